/*
 * What a repair asks of OpenSM, by OpenSM's own request functions: answers go to its own receivers,
 * which keep its port states and tables true, and keys and the number of requests on the wire are
 * its business. Called from the plugin's own thread only.
 */

/* First: the layouts in the other headers depend on it, and they do not include it. */
#include <opensm/osm_config.h>

#include "plugins/opensm/requests.h"

#include <string.h>

#include <complib/cl_passivelock.h>
#include <complib/cl_qlist.h>
#include <complib/cl_qmap.h>
#include <complib/cl_spinlock.h>
#include <iba/ib_types.h>
#include <opensm/osm_log.h>
#include <opensm/osm_madw.h>
#include <opensm/osm_node.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_path.h>
#include <opensm/osm_port.h>
#include <opensm/osm_sm.h>
#include <opensm/osm_stats.h>
#include <opensm/osm_subnet.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_vl15intf.h>

/* What is to be known of a switch to send it something. */
struct target {
  osm_dr_path_t path;
  ib_net64_t node_guid;
  ib_net64_t port_guid;
  ib_net64_t key; /* M_Key */
};

/* With the lock held. Nonzero if OpenSM has the switch. */
static int find_target(osm_opensm_t* osm, const struct heddle_path* path, uint64_t guid,
                       struct target* to) {
  const osm_switch_t* const sw = osm_get_switch_by_guid(&osm->subn, cl_hton64(guid));
  if (sw == NULL) return 0;
  osm_physp_t* const port = osm_node_get_physp_ptr(sw->p_node, 0);
  if (port == NULL) return 0;
  to->node_guid = osm_node_get_node_guid(sw->p_node);
  to->port_guid = osm_physp_get_port_guid(port);
  to->key = ib_port_info_get_m_key(&port->port_info);
  if (path == NULL) {
    to->path = *osm_physp_get_dr_path_ptr(port);
    return 1;
  }
  if (path->hops >= IB_SUBNET_PATH_HOPS_MAX) return 0;
  memset(&to->path, 0, sizeof to->path);
  to->path.hop_count = path->hops;
  memcpy(&to->path.path[1], path->ports, path->hops);
  return 1;
}

/* Ahead of what OpenSM's sweep has queued: that would take longer than all of the repair. OpenSM
 * serves its other queue first, whoever is in it. */
static void send_first(osm_opensm_t* osm, osm_madw_t* request) {
  osm_vl15_t* const line = osm->sm.p_vl15;
  cl_spinlock_acquire(&line->lock);
  cl_qlist_insert_tail(&line->ufifo, &request->list_item);
  osm_stats_inc_qp0_outstanding(line->p_stats);
  cl_spinlock_release(&line->lock);
  osm_vl15_poll(line);
}

/* A Get is a Set without payload but for its method. */
static int send_get(osm_opensm_t* osm, const struct target* to, ib_net16_t attribute,
                    uint32_t modifier, const osm_madw_context_t* answer) {
  static const uint8_t nothing[IB_SMP_DATA_SIZE];
  osm_madw_t* const request =
      osm_prepare_req_set(&osm->sm, &to->path, nothing, sizeof nothing, attribute,
                          cl_hton32(modifier), FALSE, to->key, 0, CL_DISP_MSGID_NONE, answer);
  if (request == NULL) return 0;
  osm_madw_get_smp_ptr(request)->method = IB_MAD_METHOD_GET;
  send_first(osm, request);
  return 1;
}

static int get_ports(void* context, const struct heddle_path* path, uint64_t guid,
                     const uint8_t* ports, size_t count, uint16_t block) {
  struct opensm_requests* const self = context;
  osm_opensm_t* const osm = self->osm;
  struct target to;
  cl_plock_acquire(&osm->lock);
  int sent = find_target(osm, path, guid, &to);
  osm_madw_context_t answer;
  for (size_t i = 0; sent && i < count; ++i) {
    memset(&answer, 0, sizeof answer);
    answer.pi_context.node_guid = to.node_guid;
    answer.pi_context.port_guid = to.port_guid;
    /* As the answer to a Set, it is entered, and no discovery of what lies behind begins. */
    answer.pi_context.set_method = TRUE;
    sent = send_get(osm, &to, IB_MAD_ATTR_PORT_INFO, ports[i], &answer);
  }
  if (sent) {
    memset(&answer, 0, sizeof answer);
    answer.lft_context.node_guid = to.node_guid;
    sent = send_get(osm, &to, IB_MAD_ATTR_LIN_FWD_TBL, block, &answer);
  }
  cl_plock_release(&osm->lock);
  return sent;
}

/* With the lock held. */
static int has_our_tables(const struct opensm_requests* self) {
  const osm_opensm_t* const osm = self->osm;
  return osm->subn.sm_state == IB_SMINFO_STATE_MASTER && !osm->subn.first_time_master_sweep &&
         osm->routing_engine_used != NULL &&
         osm->routing_engine_used->context == self->routing_context;
}

/* With the lock held. */
static int set_block(struct opensm_requests* self, const struct heddle_block* block, uint64_t run) {
  osm_opensm_t* const osm = self->osm;
  struct target to;
  if (!has_our_tables(self) || heddle_engine_run(self->engine) != run ||
      !find_target(osm, &block->path, block->guid, &to)) {
    return 0;
  }
  osm_madw_context_t answer;
  memset(&answer, 0, sizeof answer);
  answer.lft_context.node_guid = to.node_guid;
  answer.lft_context.set_method = TRUE;
  osm_madw_t* const request = osm_prepare_req_set(
      &osm->sm, &to.path, block->entries, HEDDLE_BLOCK_LIDS, IB_MAD_ATTR_LIN_FWD_TBL,
      cl_hton32(block->number), FALSE, to.key, 0, CL_DISP_MSGID_NONE, &answer);
  if (request == NULL) return 0;
  if (heddle_engine_written_run(self->engine) == run) {
    send_first(osm, request);
  } else {
    /* Behind the tables of that run, which are still on their way. */
    osm_send_req_mad(&osm->sm, request);
  }
  return 1;
}

enum { kBlocksALock = 32 };

/* OpenSM computes and queues new tables under one exclusive lock, so whatever is queued here is
 * either before them or refused. */
static size_t set_blocks(void* context, const struct heddle_block* blocks, size_t count,
                         uint64_t run) {
  struct opensm_requests* const self = context;
  size_t sent = 0;
  int good = 1;
  while (good && sent < count) {
    cl_plock_acquire(&self->osm->lock);
    for (int i = 0; i < kBlocksALock && sent < count; ++i) {
      good = set_block(self, &blocks[sent], run);
      if (!good) break;
      ++sent;
    }
    cl_plock_release(&self->osm->lock);
  }
  return sent;
}

static void down_ports(void* context, const struct heddle_switch_port* ports, size_t count,
                       uint8_t* is_down) {
  struct opensm_requests* const self = context;
  osm_opensm_t* const osm = self->osm;
  cl_plock_acquire(&osm->lock);
  for (size_t i = 0; i < count; ++i) {
    const osm_switch_t* const sw = osm_get_switch_by_guid(&osm->subn, cl_hton64(ports[i].guid));
    is_down[i] = 0;
    if (sw == NULL || ports[i].port >= sw->p_node->physp_tbl_size) continue;
    const osm_physp_t* const port = &sw->p_node->physp_table[ports[i].port];
    is_down[i] = osm_physp_is_valid(port) && osm_physp_get_port_state(port) == IB_LINK_DOWN;
  }
  cl_plock_release(&osm->lock);
}

static size_t changed_switches(void* context, uint64_t* guids, size_t size) {
  struct opensm_requests* const self = context;
  osm_opensm_t* const osm = self->osm;
  const cl_qmap_t* const table = &osm->subn.sw_guid_tbl;
  size_t count = 0;
  cl_plock_acquire(&osm->lock);
  for (const cl_map_item_t* item = cl_qmap_head(table); item != cl_qmap_end(table) && count < size;
       item = cl_qmap_next(item)) {
    const osm_switch_t* const sw = (const osm_switch_t*)item;
    if (ib_switch_info_get_state_change(&sw->switch_info)) {
      guids[count++] = cl_ntoh64(sw->p_node->node_info.node_guid);
    }
  }
  cl_plock_release(&osm->lock);
  return count;
}

static int is_master(void* context) {
  struct opensm_requests* const self = context;
  cl_plock_acquire(&self->osm->lock);
  const int answer = has_our_tables(self);
  cl_plock_release(&self->osm->lock);
  return answer;
}

static void reroute(void* context) {
  struct opensm_requests* const self = context;
  if (self->osm->subn.sm_state != IB_SMINFO_STATE_MASTER) return;
  self->osm->subn.force_reroute = TRUE;
  osm_sm_signal(&self->osm->sm, OSM_SIGNAL_SWEEP);
}

static void log_line(void* context, int is_error, const char* line) {
  struct opensm_requests* const self = context;
  osm_log(&self->osm->log, is_error ? OSM_LOG_ERROR : OSM_LOG_INFO, "heddle: %s%s\n",
          is_error ? "ERR HD09: " : "", line);
  heddle_engine_note(self->engine, is_error, line);
}

struct heddle_requests opensm_requests_of(struct opensm_requests* asker) {
  const struct heddle_requests requests = {
      asker, get_ports, set_blocks, down_ports, changed_switches, is_master, reroute, log_line};
  return requests;
}
