/*
 * heddle in OpenSM: the plugin's entry points, and the copying between OpenSM's structures and the
 * plain arrays of bridge.h. It and requests.c alone know the former. OpenSM holds its lock
 * exclusively around the routing callbacks and the SL2VL one, shared or exclusively around path_sl.
 */

/* First: the layouts in the other headers depend on it, and they do not include it. */
#include <opensm/osm_config.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <complib/cl_passivelock.h>
#include <complib/cl_ptr_vector.h>
#include <complib/cl_qmap.h>
#include <iba/ib_types.h>
#include <opensm/osm_base.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_log.h>
#include <opensm/osm_node.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_port.h>
#include <opensm/osm_sm.h>
#include <opensm/osm_subnet.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_version.h>

#include "plugins/opensm/bridge.h"
#include "plugins/opensm/requests.h"

/* OpenSM compares only its version; what a build without osm_config.h, or another one, would read
 * at the wrong places is caught here and in `fits`. */
#if defined(HEDDLE_OPENSM_3_3_23) && defined(__x86_64__)
static_assert(sizeof(osm_opensm_t) == 189016, "osm_opensm_t of OpenSM 3.3.23");
static_assert(sizeof(osm_subn_t) == 133992, "osm_subn_t of OpenSM 3.3.23");
static_assert(sizeof(osm_subn_opt_t) == 1496, "osm_subn_opt_t of OpenSM 3.3.23");
static_assert(sizeof(osm_switch_t) == 256, "osm_switch_t of OpenSM 3.3.23");
static_assert(offsetof(osm_opensm_t, sm) == 134000, "osm_opensm_t::sm of OpenSM 3.3.23");
static_assert(offsetof(osm_opensm_t, lock) == 188520, "osm_opensm_t::lock of OpenSM 3.3.23");
static_assert(offsetof(osm_opensm_t, routing_engine_list) == 188584,
              "osm_opensm_t::routing_engine_list of OpenSM 3.3.23");
#endif

static const char kName[] = "heddle";

struct plugin {
  osm_opensm_t* osm;
  struct heddle_engine* engine;
  struct opensm_requests asker;
  struct heddle_requests requests;
};

/* The arrays behind a heddle_subnet. */
struct arrays {
  struct heddle_node* nodes;
  struct heddle_end_port* end_ports;
  struct heddle_cable* cables;
  struct heddle_switch* switches;
};

static void free_arrays(struct arrays* arrays) {
  free(arrays->nodes);
  free(arrays->end_ports);
  free(arrays->cables);
  free(arrays->switches);
}

static int has_memory(const struct arrays* arrays) {
  return arrays->nodes != NULL && arrays->end_ports != NULL && arrays->cables != NULL &&
         arrays->switches != NULL;
}

static const osm_node_t* first_node(const osm_subn_t* subnet) {
  return (const osm_node_t*)cl_qmap_head(&subnet->node_guid_tbl);
}

static const osm_node_t* next_node(const osm_node_t* node) {
  return (const osm_node_t*)cl_qmap_next(&node->map_item);
}

static int is_node(const osm_subn_t* subnet, const osm_node_t* node) {
  return &node->map_item != cl_qmap_end(&subnet->node_guid_tbl);
}

static size_t count_ports(const osm_subn_t* subnet) {
  size_t count = 0;
  for (const osm_node_t* node = first_node(subnet); is_node(subnet, node); node = next_node(node)) {
    count += node->physp_tbl_size;
  }
  return count;
}

static int is_usable(const osm_physp_t* port) {
  return osm_physp_is_valid(port) && osm_physp_is_healthy(port) &&
         osm_physp_get_port_state(port) != IB_LINK_DOWN;
}

static void copy_node(const osm_node_t* node, struct heddle_node* to) {
  to->guid = cl_ntoh64(node->node_info.node_guid);
  to->system_guid = cl_ntoh64(node->node_info.sys_guid);
  to->description = node->print_desc != NULL ? node->print_desc : "";
  to->vendor_id = cl_ntoh32(ib_node_info_get_vendor_id(&node->node_info));
  to->device_id = cl_ntoh16(node->node_info.device_id);
  to->type = node->node_info.node_type;
  to->port_count = node->node_info.num_ports;
}

static void copy_rate(const osm_physp_t* port, struct heddle_cable* to) {
  to->width = port->port_info.link_width_active;
  to->speed = ib_port_info_get_link_speed_active(&port->port_info);
  to->speed_ext = ib_port_info_get_link_speed_ext_active(&port->port_info);
  to->is_fdr10 = port->ext_port_info.link_speed_active == FDR10;
}

/* Each cable from the end that comes first in memory. Neither a plug that leads back into its own
 * port nor what only one end still takes for a cable is one. */
static size_t copy_cables(const osm_node_t* node, struct heddle_cable* to) {
  size_t count = 0;
  for (uint32_t number = 1; number < node->physp_tbl_size; ++number) {
    const osm_physp_t* const port = &node->physp_table[number];
    const osm_physp_t* const peer = port->p_remote_physp;
    if (peer == NULL || peer <= port || peer->p_remote_physp != port) continue;
    if (!is_usable(port) || !is_usable(peer)) continue;
    to[count].node_guid[0] = cl_ntoh64(node->node_info.node_guid);
    to[count].node_guid[1] = cl_ntoh64(peer->p_node->node_info.node_guid);
    to[count].port[0] = port->port_num;
    to[count].port[1] = peer->port_num;
    if (node->sw != NULL && peer->p_node->sw != NULL) copy_rate(port, &to[count]);
    ++count;
  }
  return count;
}

static void copy_end_port(const osm_subn_t* subnet, const osm_port_t* port,
                          struct heddle_end_port* to) {
  const uint16_t lid = cl_ntoh16(osm_port_get_base_lid(port));
  to->node_guid = cl_ntoh64(port->p_node->node_info.node_guid);
  to->port_guid = cl_ntoh64(port->guid);
  to->number = port->p_physp->port_num;
  /* A LID that the port still has, but that is another's or nobody's by now, is no destination. */
  const int is_owner = lid < cl_ptr_vector_get_size(&subnet->port_lid_tbl) &&
                       cl_ptr_vector_get(&subnet->port_lid_tbl, lid) == port;
  to->lid = is_owner ? lid : 0;
  /* OpenSM gives a switch one LID that is used, whatever the LMC. */
  to->lmc = port->p_node->sw != NULL ? 0 : osm_port_get_lmc(port);
}

static void copy_switch(osm_switch_t* sw, struct heddle_switch* to) {
  to->guid = cl_ntoh64(sw->p_node->node_info.node_guid);
  to->handle = sw;
  to->present = sw->lft;
  to->next = sw->new_lft;
  to->present_size = sw->lft != NULL ? sw->lft_size : 0;
  to->top_lid = sw->max_lid_ho;
  to->hop_size = sw->num_ports;
}

/* Memory of a row is OpenSM's own, so its own function makes it. */
static uint8_t* hop_row(void* handle, uint16_t lid) {
  osm_switch_t* const sw = handle;
  if (sw->hops[lid] == NULL && osm_switch_set_hops(sw, lid, 0, OSM_NO_PATH) != CL_SUCCESS) {
    return NULL;
  }
  return sw->hops[lid];
}

/* Nonzero, with arrays to be freed, if there is memory for them. */
static int copy_subnet(osm_opensm_t* osm, struct arrays* arrays, struct heddle_subnet* to) {
  osm_subn_t* const subnet = &osm->subn;
  /* One more each, as an empty array would be no memory. */
  arrays->nodes = calloc(cl_qmap_count(&subnet->node_guid_tbl) + 1, sizeof *arrays->nodes);
  arrays->end_ports = calloc(cl_qmap_count(&subnet->port_guid_tbl) + 1, sizeof *arrays->end_ports);
  arrays->cables = calloc(count_ports(subnet) / 2 + 1, sizeof *arrays->cables);
  arrays->switches = calloc(cl_qmap_count(&subnet->sw_guid_tbl) + 1, sizeof *arrays->switches);
  if (!has_memory(arrays)) return 0;
  memset(to, 0, sizeof *to);
  for (const osm_node_t* node = first_node(subnet); is_node(subnet, node); node = next_node(node)) {
    copy_node(node, &arrays->nodes[to->node_count++]);
    to->cable_count += copy_cables(node, &arrays->cables[to->cable_count]);
  }
  for (cl_map_item_t* item = cl_qmap_head(&subnet->port_guid_tbl);
       item != cl_qmap_end(&subnet->port_guid_tbl); item = cl_qmap_next(item)) {
    copy_end_port(subnet, (const osm_port_t*)item, &arrays->end_ports[to->end_port_count++]);
  }
  for (cl_map_item_t* item = cl_qmap_head(&subnet->sw_guid_tbl);
       item != cl_qmap_end(&subnet->sw_guid_tbl); item = cl_qmap_next(item)) {
    copy_switch((osm_switch_t*)item, &arrays->switches[to->switch_count++]);
  }
  to->nodes = arrays->nodes;
  to->end_ports = arrays->end_ports;
  to->cables = arrays->cables;
  to->switches = arrays->switches;
  to->hop_row = hop_row;
  const osm_port_t* const own = osm_get_port_by_guid(subnet, subnet->sm_port_guid);
  if (own != NULL) {
    to->manager_node = cl_ntoh64(own->p_node->node_info.node_guid);
    to->manager_port = own->p_physp->port_num;
  }
  /* Without QoS OpenSM writes no SL2VL table, so no packet changes its lane. */
  to->lanes = subnet->opt.qos ? subnet->min_data_vls : 1;
  return 1;
}

/* As OpenSM had prepared them: it does not do so again for the next engine. */
static void clear_tables(osm_subn_t* subnet) {
  for (cl_map_item_t* item = cl_qmap_head(&subnet->sw_guid_tbl);
       item != cl_qmap_end(&subnet->sw_guid_tbl); item = cl_qmap_next(item)) {
    osm_switch_t* const sw = (osm_switch_t*)item;
    memset(sw->new_lft, OSM_NO_PATH, (size_t)sw->max_lid_ho + 1);
    osm_switch_clear_hops(sw);
  }
}

/* Hops are filled with the tables, much faster than by OpenSM's relaxation. */
static int build_lid_matrices(void* context) {
  (void)context;
  return 0;
}

static double milliseconds_since(const struct timespec* begin) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begin->tv_sec) * 1e3 + (double)(now.tv_nsec - begin->tv_nsec) / 1e6;
}

static int build_tables(void* context) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const struct plugin* const self = context;
  osm_opensm_t* const osm = self->osm;
  struct arrays arrays = {NULL, NULL, NULL, NULL};
  struct heddle_subnet subnet;
  struct heddle_outcome outcome = {"no memory for a copy of the subnet", "", ""};
  const int routed =
      copy_subnet(osm, &arrays, &subnet) && heddle_engine_route(self->engine, &subnet, &outcome);
  free_arrays(&arrays);
  if (!routed) {
    clear_tables(&osm->subn);
    osm_log(&osm->log, OSM_LOG_ERROR, "%s: ERR HD01: no tables, the next engine has its turn: %s\n",
            kName, outcome.result);
    return -1;
  }
  osm_log(&osm->log, OSM_LOG_INFO, "%s: %s; lock held for %.1f ms\n", kName, outcome.result,
          milliseconds_since(&begin));
  if (outcome.alarm[0] != '\0') {
    osm_log(&osm->log, OSM_LOG_ERROR, "%s: ERR HD02: %s\n", kName, outcome.alarm);
  }
  if (outcome.substitute[0] != '\0') {
    osm_log(&osm->log, OSM_LOG_ERROR, "%s: ERR HD05: %s\n", kName, outcome.substitute);
  }
  return 0;
}

static void update_sl2vl(void* context, osm_physp_t* port, uint8_t in_port, uint8_t out_port,
                         ib_slvl_table_t* table) {
  const struct plugin* const self = context;
  uint8_t vl_by_sl[16];
  if (port->p_node->sw == NULL)
    return; /* hosts: the lane of a level is that of the configuration */
  if (!heddle_engine_sl2vl(self->engine, cl_ntoh64(port->p_node->node_info.node_guid), in_port,
                           out_port, vl_by_sl)) {
    return;
  }
  for (uint8_t sl = 0; sl < 16; ++sl) {
    /* No path has the level of the management lane, on which data would be dropped. */
    if (vl_by_sl[sl] != 15) ib_slvl_table_set(table, sl, vl_by_sl[sl]);
  }
}

static uint8_t path_sl(void* context, uint8_t wish, const ib_net16_t source_lid,
                       const ib_net16_t destination_lid) {
  const struct plugin* const self = context;
  return heddle_engine_path_sl(self->engine, wish, cl_ntoh16(source_lid),
                               cl_ntoh16(destination_lid));
}

static int set_up(struct osm_routing_engine* engine, struct osm_opensm* osm) {
  (void)osm;
  engine->build_lid_matrices = build_lid_matrices;
  engine->ucast_build_fwd_tables = build_tables;
  engine->update_sl2vl = update_sl2vl;
  engine->path_sl = path_sl;
  return 0;
}

/* ---- what the C++ asks for, from a thread of its own ---- */

static void write_log(void* context, int is_error, const char* text) {
  osm_opensm_t* const osm = context;
  osm_log(&osm->log, is_error ? OSM_LOG_ERROR : OSM_LOG_INFO, "%s: %s\n", kName, text);
}

static struct heddle_cable* usable_cables(void* context, size_t* count) {
  osm_opensm_t* const osm = context;
  cl_plock_acquire(&osm->lock);
  const osm_subn_t* const subnet = &osm->subn;
  struct heddle_cable* const cables = calloc(count_ports(subnet) / 2 + 1, sizeof *cables);
  *count = 0;
  if (cables != NULL) {
    for (const osm_node_t* node = first_node(subnet); is_node(subnet, node);
         node = next_node(node)) {
      *count += copy_cables(node, &cables[*count]);
    }
  }
  cl_plock_release(&osm->lock);
  return cables;
}

/* Without the lock, which the sweeper may hold while it waits for this callback: single words, and
 * what changes them tells of it by another event. */
static void describe_manager(void* context, struct heddle_event* event) {
  const osm_opensm_t* const osm = context;
  event->detail = osm->subn.sm_state;
  event->guid = cl_ntoh64(osm->subn.sm_port_guid);
  event->count = osm->subn.opt.sm_priority;
}

/* ---- events ---- */

static void take_port(const osm_epi_port_id_t* port, time_t seconds, struct heddle_event* to) {
  to->guid = port->node_guid; /* the performance manager has it in host byte order */
  to->port = port->port_num;
  to->count = (uint32_t)seconds;
}

static void take_errors(const osm_epi_pe_event_t* from, struct heddle_event* to) {
  const uint64_t values[] = {
      from->symbol_err_cnt, from->link_err_recover,    from->link_downed,
      from->rcv_err,        from->rcv_rem_phys_err,    from->rcv_switch_relay_err,
      from->xmit_discards,  from->xmit_constraint_err, from->rcv_constraint_err,
      from->link_integrity, from->buffer_overrun,      from->vl15_dropped,
      from->xmit_wait};
  static_assert(sizeof values == sizeof to->values, "room for the longest");
  take_port(&from->port_id, from->time_diff_s, to);
  memcpy(to->values, values, sizeof values);
  to->value_count = sizeof values / sizeof values[0];
}

static void take_data(const osm_epi_dc_event_t* from, struct heddle_event* to) {
  const uint64_t values[] = {from->xmit_data,           from->rcv_data,
                             from->xmit_pkts,           from->rcv_pkts,
                             from->unicast_xmit_pkts,   from->unicast_rcv_pkts,
                             from->multicast_xmit_pkts, from->multicast_rcv_pkts};
  take_port(&from->port_id, from->time_diff_s, to);
  memcpy(to->values, values, sizeof values);
  to->value_count = sizeof values / sizeof values[0];
}

/* OpenSM holds its lock, shared or exclusively, whenever it reports a trap. */
static uint64_t guid_of_lid(const osm_subn_t* subnet, uint16_t lid) {
  if (lid >= cl_ptr_vector_get_size(&subnet->port_lid_tbl)) return 0;
  const osm_port_t* const port = cl_ptr_vector_get(&subnet->port_lid_tbl, lid);
  return port != NULL && port->p_node != NULL ? cl_ntoh64(port->p_node->node_info.node_guid) : 0;
}

/* The LID, port or port GUID that a generic notice is about. */
static void take_details(const ib_mad_notice_attr_t* from, struct heddle_event* to) {
  const uint16_t number = to->number;
  if (number >= 64 && number <= 67) {
    to->port_guid = cl_ntoh64(from->data_details.ntc_64_67.gid.unicast.interface_id);
  } else if (number == 128) {
    to->lid = cl_ntoh16(from->data_details.ntc_128.sw_lid);
  } else if (number >= 129 && number <= 131) {
    to->lid = cl_ntoh16(from->data_details.ntc_129_131.lid);
    to->port = from->data_details.ntc_129_131.port_num;
  } else if (number == 144) {
    to->lid = cl_ntoh16(from->data_details.ntc_144.lid);
  } else if (number == 145) {
    to->lid = cl_ntoh16(from->data_details.ntc_145.lid);
  } else if (number == 256) {
    to->lid = cl_ntoh16(from->data_details.ntc_256.lid);
  }
}

static void take_trap(const osm_subn_t* subnet, const ib_mad_notice_attr_t* from,
                      struct heddle_event* to) {
  to->generic = ib_notice_is_generic(from) ? 1 : 0;
  to->detail = ib_notice_get_type(from);
  to->issuer_lid = cl_ntoh16(from->issuer_lid);
  if (to->generic) {
    to->producer = cl_ntoh32(ib_notice_get_prod_type(from));
    to->number = cl_ntoh16(from->g_or_v.generic.trap_num);
    take_details(from, to);
  } else {
    to->producer = cl_ntoh32(ib_notice_get_vend_id(from));
    to->number = cl_ntoh16(from->g_or_v.vend.dev_id);
  }
  to->guid = guid_of_lid(subnet, to->lid != 0 ? to->lid : to->issuer_lid);
}

/* The lock is held exclusively. */
static void take_table(const osm_epi_lft_change_event_t* from, struct heddle_event* to) {
  to->kind = (from->flags & LFT_CHANGED_BLOCK) ? HEDDLE_EVENT_TABLE_BLOCK : HEDDLE_EVENT_TABLE_TOP;
  to->count = (from->flags & LFT_CHANGED_BLOCK) ? from->block_num : from->lft_top;
  if (from->p_sw != NULL && from->p_sw->p_node != NULL) {
    to->guid = cl_ntoh64(from->p_sw->p_node->node_info.node_guid);
  }
}

/* Nonzero if it is one that is known, and not without what belongs to it. */
static int decode(osm_opensm_t* osm, osm_epi_event_id_t event, const void* data,
                  struct heddle_event* to) {
  switch (event) {
    case OSM_EVENT_ID_PORT_ERRORS:
      to->kind = HEDDLE_EVENT_PORT_ERRORS;
      if (data != NULL) take_errors(data, to);
      return data != NULL;
    case OSM_EVENT_ID_PORT_DATA_COUNTERS:
      to->kind = HEDDLE_EVENT_PORT_DATA;
      if (data != NULL) take_data(data, to);
      return data != NULL;
    case OSM_EVENT_ID_PORT_SELECT:
      to->kind = HEDDLE_EVENT_PORT_SELECT;
      if (data == NULL) return 0;
      take_port(&((const osm_epi_ps_event_t*)data)->port_id,
                ((const osm_epi_ps_event_t*)data)->time_diff_s, to);
      to->values[0] = ((const osm_epi_ps_event_t*)data)->xmit_wait;
      to->value_count = 1;
      return 1;
    case OSM_EVENT_ID_TRAP:
      to->kind = HEDDLE_EVENT_TRAP;
      if (data != NULL) take_trap(&osm->subn, data, to);
      return data != NULL;
    case OSM_EVENT_ID_SUBNET_UP:
      to->kind = HEDDLE_EVENT_SUBNET_UP;
      return 1;
    case OSM_EVENT_ID_HEAVY_SWEEP_START:
      to->kind = HEDDLE_EVENT_HEAVY_SWEEP_START;
      return 1;
    case OSM_EVENT_ID_HEAVY_SWEEP_DONE:
      to->kind = HEDDLE_EVENT_HEAVY_SWEEP_DONE;
      return 1;
    case OSM_EVENT_ID_UCAST_ROUTING_DONE:
      to->kind = HEDDLE_EVENT_ROUTING_DONE;
      to->detail = (uint8_t)(uintptr_t)data;
      return 1;
    case OSM_EVENT_ID_STATE_CHANGE:
      to->kind = HEDDLE_EVENT_STATE_CHANGE;
      describe_manager(osm, to);
      return 1;
    case OSM_EVENT_ID_LFT_CHANGE:
      if (data != NULL) take_table(data, to);
      return data != NULL;
    default: /* SA_DB_DUMPED tells of a file alone */
      return 0;
  }
}

/* Whether OpenSM's structures are where our headers say: parts that point at each other do. */
static int fits(const osm_opensm_t* osm) {
  return osm->sm.p_subn == &osm->subn && osm->sm.p_log == &osm->log && osm->subn.p_osm == osm;
}

static void destroy(void* data) {
  struct plugin* const self = data;
  if (self == NULL) return;
  heddle_engine_destroy(self->engine);
  free(self);
}

/* It routes without events as well. */
static void attach(struct plugin* self) {
  char reason[256] = "";
  const struct heddle_host host = {self->osm, write_log, usable_cables, describe_manager};
  if (!heddle_engine_attach(self->engine, &host, "libheddle.so " HEDDLE_VERSION " in " OSM_VERSION,
                            reason, sizeof reason)) {
    osm_log(&self->osm->log, OSM_LOG_ERROR, "%s: ERR HD06: no events for heddled: %s\n", kName,
            reason);
  }
}

/* The folder in which OpenSM keeps LIDs (guid2lid). */
static const char* cache_folder(void) {
  const char* const named = getenv("OSM_CACHE_DIR");
  return named != NULL && named[0] != '\0' ? named : OSM_DEFAULT_CACHE_DIR;
}

/* It routes without them as well. */
static void keep_places(struct plugin* self) {
  char reason[256] = "";
  if (!heddle_places_start(self->engine, cache_folder(), write_log, self->osm, reason,
                           sizeof reason)) {
    osm_log(&self->osm->log, OSM_LOG_ERROR,
            "%s: ERR HD08: places: %s; they live as long as OpenSM\n", kName, reason);
  }
}

/* Null where it does not load; OpenSM then goes on with the next engine of its list. */
static void* create(osm_opensm_t* osm) {
  if (osm == NULL) return NULL;
  if (!fits(osm)) {
    /* Its log may not be where it seems to be. */
    static const char text[] =
        "heddle: not loaded: this OpenSM's structures are not those that heddle was built for\n";
    fputs(text, stderr);
    return NULL;
  }
  char reason[512] = "no memory";
  struct plugin* const self = calloc(1, sizeof *self);
  if (self != NULL) {
    self->osm = osm;
    self->engine = heddle_engine_create(osm->subn.opt.event_plugin_options, reason, sizeof reason);
  }
  const external_routing_engine_module_t module = {kName, set_up, self};
  if (self == NULL || self->engine == NULL) {
    osm_log(&osm->log, OSM_LOG_ERROR, "%s: ERR HD03: not loaded: event_plugin_options: %s\n", kName,
            reason);
    destroy(self);
    return NULL;
  }
  self->asker = (struct opensm_requests){osm, self, self->engine};
  self->requests = opensm_requests_of(&self->asker);
  if (!heddle_repair_start(self->engine, &self->requests, reason, sizeof reason)) {
    osm_log(&osm->log, OSM_LOG_ERROR, "%s: ERR HD03: not loaded: event_plugin_options: %s\n", kName,
            reason);
    /* The third argument, not the module's, is the context of the callbacks. */
  } else if (osm_register_external_routing_engine(osm, &module, self) != CL_SUCCESS) {
    osm_log(&osm->log, OSM_LOG_ERROR, "%s: ERR HD04: not loaded: OpenSM does not take the engine\n",
            kName);
  } else {
    keep_places(self);
    attach(self);
    return self;
  }
  destroy(self);
  return NULL;
}

static void report_trap(const struct plugin* self, const ib_mad_notice_attr_t* notice) {
  if (notice == NULL || !ib_notice_is_generic(notice) ||
      notice->g_or_v.generic.trap_num != CL_HTON16(SM_LINK_STATE_CHANGED_TRAP)) {
    return;
  }
  heddle_repair_trap(self->engine, cl_ntoh16(notice->data_details.ntc_128.sw_lid));
}

/* OpenSM holds its lock exclusively, so the table stands still. */
static void report_table(const struct plugin* self, const osm_epi_lft_change_event_t* change) {
  if (change == NULL || change->flags != LFT_CHANGED_BLOCK || change->p_sw == NULL ||
      change->p_sw->lft == NULL ||
      (change->block_num + 1u) * HEDDLE_BLOCK_LIDS > change->p_sw->lft_size) {
    return;
  }
  heddle_repair_block(self->engine, cl_ntoh64(change->p_sw->p_node->node_info.node_guid),
                      (uint16_t)change->block_num,
                      change->p_sw->lft + change->block_num * HEDDLE_BLOCK_LIDS);
}

static void offer_to_repair(const struct plugin* self, osm_epi_event_id_t event,
                            const void* event_data) {
  switch (event) {
    case OSM_EVENT_ID_TRAP:
      report_trap(self, event_data);
      break;
    case OSM_EVENT_ID_LFT_CHANGE:
      report_table(self, event_data);
      break;
    case OSM_EVENT_ID_HEAVY_SWEEP_START:
      heddle_repair_sweep(self->engine);
      break;
    case OSM_EVENT_ID_UCAST_ROUTING_DONE:
      heddle_repair_routed(self->engine);
      break;
    default:
      break;
  }
}

/* From several of OpenSM's threads, some with its lock held: it is never taken here. */
static void report(void* data, osm_epi_event_id_t event, void* event_data) {
  struct plugin* const self = data;
  struct heddle_event decoded;
  if (self == NULL) return;
  heddle_event_begin(&decoded);
  offer_to_repair(self, event, event_data);
  if (decode(self->osm, event, event_data, &decoded)) heddle_engine_report(self->engine, &decoded);
}

__attribute__((visibility("default")))
osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, destroy, report};
