/*
 * load_check PATH_OF_LIBHEDDLE opens the plugin as OpenSM does, and stands for OpenSM: it defines
 * what the plugin calls. Each entry is called with what OpenSM sends and with what it never should,
 * from several threads; then a subnet of two switches is routed through the registered callbacks.
 * Exits 1 with the line of the first expectation that does not hold.
 */

#include <opensm/osm_config.h>

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <complib/cl_passivelock.h>
#include <complib/cl_ptr_vector.h>
#include <complib/cl_qlist.h>
#include <complib/cl_qmap.h>
#include <complib/cl_spinlock.h>
#include <iba/ib_types.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_log.h>
#include <opensm/osm_madw.h>
#include <opensm/osm_node.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_port.h>
#include <opensm/osm_sm.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_version.h>
#include <opensm/osm_vl15intf.h>

#define EXPECT(what)                                                       \
  do {                                                                     \
    if (!(what)) {                                                         \
      fprintf(stderr, "%s:%d: expected: %s\n", __FILE__, __LINE__, #what); \
      fprintf(stderr, "the log so far:\n%s", log_text);                    \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

/* ---- what the plugin calls of OpenSM ---- */

static char log_text[1 << 16];
static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct osm_routing_engine registered;
static int registrations;
static cl_status_t registration_answer = CL_SUCCESS;
static atomic_int hop_rows_left = INT_MAX;

void osm_log(osm_log_t* log, osm_log_level_t level, const char* format, ...) {
  char line[4096];
  va_list arguments;
  (void)log;
  (void)level;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  pthread_mutex_lock(&log_mutex);
  if (strlen(log_text) + strlen(line) < sizeof log_text) strcat(log_text, line);
  pthread_mutex_unlock(&log_mutex);
}

/* OpenSM gives the third argument to the callbacks, not what the module says. */
cl_status_t osm_register_external_routing_engine(osm_opensm_t* osm,
                                                 const external_routing_engine_module_t* module,
                                                 void* context) {
  ++registrations;
  if (registration_answer != CL_SUCCESS) return registration_answer;
  memset(&registered, 0, sizeof registered);
  registered.context = context;
  EXPECT(strcmp(module->name, "heddle") == 0);
  EXPECT(module->setup(&registered, osm) == 0);
  return CL_SUCCESS;
}

cl_status_t osm_switch_set_hops(osm_switch_t* sw, uint16_t lid, uint8_t port, uint8_t hops) {
  if (lid > sw->max_lid_ho) return CL_ERROR;
  if (atomic_fetch_sub(&hop_rows_left, 1) <= 0) return CL_INSUFFICIENT_MEMORY;
  if (sw->hops[lid] == NULL) {
    sw->hops[lid] = malloc(sw->num_ports);
    if (sw->hops[lid] == NULL) return CL_INSUFFICIENT_MEMORY;
    memset(sw->hops[lid], OSM_NO_PATH, sw->num_ports);
  }
  sw->hops[lid][port] = hops;
  return CL_SUCCESS;
}

static atomic_int sweep_signals;

void osm_sm_signal(osm_sm_t* sm, osm_signal_t signal) {
  (void)sm;
  if (signal == OSM_SIGNAL_SWEEP) atomic_fetch_add(&sweep_signals, 1);
}

void osm_switch_clear_hops(osm_switch_t* sw) {
  for (unsigned lid = 0; lid < sw->num_hops; ++lid) {
    if (sw->hops[lid] != NULL) memset(sw->hops[lid], OSM_NO_PATH, sw->num_ports);
  }
}

static osm_event_plugin_t* plugin;
static void* answered; /* the plugin's data that answers are reported to */
static atomic_int reads, writes;

osm_port_t* osm_get_port_by_guid(const osm_subn_t* subnet, ib_net64_t guid) {
  cl_map_item_t* const item = cl_qmap_get(&subnet->port_guid_tbl, guid);
  return item == cl_qmap_end(&subnet->port_guid_tbl) ? NULL : (osm_port_t*)item;
}

osm_switch_t* osm_get_switch_by_guid(const osm_subn_t* subnet, ib_net64_t guid) {
  cl_map_item_t* const item = cl_qmap_get(&subnet->sw_guid_tbl, guid);
  return item == cl_qmap_end(&subnet->sw_guid_tbl) ? NULL : (osm_switch_t*)item;
}

osm_madw_t* osm_prepare_req_set(osm_sm_t* sm, const osm_dr_path_t* path, const uint8_t* payload,
                                size_t payload_size, ib_net16_t attribute, ib_net32_t modifier,
                                boolean_t find_key, ib_net64_t key, uint32_t timeout,
                                cl_disp_msgid_t error, const osm_madw_context_t* context) {
  (void)sm, (void)find_key, (void)key, (void)timeout, (void)error;
  EXPECT(path->path[0] == 0 && path->hop_count < IB_SUBNET_PATH_HOPS_MAX);
  osm_madw_t* const request = calloc(1, sizeof *request);
  ib_smp_t* const smp = calloc(1, MAD_BLOCK_SIZE);
  EXPECT(request != NULL && smp != NULL);
  smp->method = IB_MAD_METHOD_SET;
  smp->attr_id = attribute;
  smp->attr_mod = modifier;
  memcpy(smp->data, payload, payload_size);
  request->p_mad = (ib_mad_t*)smp;
  request->context = *context;
  return request;
}

/* Answers of OpenSM's receivers: a table is entered, then reported. */
static void answer(osm_vl15_t* line, osm_madw_t* request) {
  const ib_smp_t* const smp = osm_madw_get_smp_ptr(request);
  if (smp->attr_id == IB_MAD_ATTR_LIN_FWD_TBL) {
    osm_switch_t* const sw =
        osm_get_switch_by_guid(line->p_subn, request->context.lft_context.node_guid);
    EXPECT(sw != NULL && cl_ntoh32(smp->attr_mod) == 0);
    if (smp->method == IB_MAD_METHOD_SET) memcpy(sw->lft, smp->data, IB_SMP_DATA_SIZE);
    atomic_fetch_add(smp->method == IB_MAD_METHOD_SET ? &writes : &reads, 1);
    osm_epi_lft_change_event_t change = {.p_sw = sw, .flags = LFT_CHANGED_BLOCK};
    plugin->report(answered, OSM_EVENT_ID_LFT_CHANGE, &change);
  } else {
    EXPECT(smp->attr_id == IB_MAD_ATTR_PORT_INFO && smp->method == IB_MAD_METHOD_GET);
    EXPECT(request->context.pi_context.set_method && !request->context.pi_context.light_sweep);
  }
  free((void*)request->p_mad);
  free(request);
}

void osm_vl15_poll(osm_vl15_t* line) {
  cl_spinlock_acquire(&line->lock);
  osm_madw_t* const request = (osm_madw_t*)cl_qlist_remove_head(&line->ufifo);
  cl_spinlock_release(&line->lock);
  EXPECT(&request->list_item != cl_qlist_end(&line->ufifo));
  answer(line, request);
}

void osm_send_req_mad(osm_sm_t* sm, osm_madw_t* request) { answer(sm->p_vl15, request); }

/* ---- a subnet of two switches with a host each ----
 *
 *   host 0xA ─1── leaf 0x1 ─2───2─ leaf 0x2 ──1─ host 0xB     LIDs: leaves 1 and 2, hosts 3 and 4
 *                      └─3───3─┘
 *                  port 4 of both: a plug that leads back into its own port
 */

enum { kPorts = 5, kTopLid = 6, kNodes = 4 };

struct subnet {
  osm_opensm_t* osm;
  osm_node_t* nodes[kNodes];
  osm_switch_t switches[2];
  osm_port_t ports[kNodes];
};

static const uint64_t kGuids[kNodes] = {0x1, 0x2, 0xA, 0xB};

static osm_opensm_t* new_opensm(const char* options) {
  osm_opensm_t* const osm = calloc(1, sizeof *osm);
  EXPECT(osm != NULL);
  osm->sm.p_subn = &osm->subn;
  osm->sm.p_log = &osm->log;
  osm->subn.p_osm = osm;
  osm->sm.p_vl15 = &osm->vl15;
  osm->vl15.p_subn = &osm->subn;
  osm->vl15.p_stats = &osm->stats;
  cl_plock_construct(&osm->lock);
  EXPECT(cl_plock_init(&osm->lock) == CL_SUCCESS);
  cl_spinlock_construct(&osm->vl15.lock);
  EXPECT(cl_spinlock_init(&osm->vl15.lock) == CL_SUCCESS);
  cl_qlist_init(&osm->vl15.ufifo);
  EXPECT(pthread_mutex_init(&osm->stats.mutex, NULL) == 0);
  osm->subn.opt.event_plugin_options = options == NULL ? NULL : strdup(options);
  osm->subn.min_data_vls = 8;
  cl_qmap_init(&osm->subn.node_guid_tbl);
  cl_qmap_init(&osm->subn.port_guid_tbl);
  cl_qmap_init(&osm->subn.sw_guid_tbl);
  cl_ptr_vector_construct(&osm->subn.port_lid_tbl);
  EXPECT(cl_ptr_vector_init(&osm->subn.port_lid_tbl, kTopLid + 1, 1) == CL_SUCCESS);
  return osm;
}

static void delete_opensm(osm_opensm_t* osm) {
  cl_plock_destroy(&osm->lock);
  cl_spinlock_destroy(&osm->vl15.lock);
  pthread_mutex_destroy(&osm->stats.mutex);
  cl_ptr_vector_destroy(&osm->subn.port_lid_tbl);
  free(osm->subn.opt.event_plugin_options);
  free(osm);
}

static void link_up(osm_node_t* a, uint8_t a_port, osm_node_t* b, uint8_t b_port) {
  a->physp_table[a_port].p_remote_physp = &b->physp_table[b_port];
  b->physp_table[b_port].p_remote_physp = &a->physp_table[a_port];
  ib_port_info_set_port_state(&a->physp_table[a_port].port_info, IB_LINK_ACTIVE);
  ib_port_info_set_port_state(&b->physp_table[b_port].port_info, IB_LINK_ACTIVE);
}

static osm_node_t* new_node(uint64_t guid, uint8_t type, uint8_t ports) {
  osm_node_t* const node = calloc(1, sizeof *node + ports * sizeof(osm_physp_t));
  EXPECT(node != NULL);
  node->node_info.node_guid = cl_hton64(guid);
  node->node_info.node_type = type;
  node->node_info.num_ports = ports;
  node->physp_tbl_size = ports + 1u;
  for (uint8_t number = 0; number <= ports; ++number) {
    osm_physp_t* const port = &node->physp_table[number];
    port->port_num = number;
    port->p_node = node;
    port->port_guid = cl_hton64(guid);
    port->healthy = TRUE;
    ib_port_info_set_port_state(&port->port_info, IB_LINK_DOWN);
  }
  return node;
}

static void build_subnet(struct subnet* subnet, osm_opensm_t* osm) {
  memset(subnet, 0, sizeof *subnet);
  subnet->osm = osm;
  osm->subn.opt.qos = TRUE;
  for (int n = 0; n < kNodes; ++n) {
    const int is_switch = n < 2;
    osm_node_t* const node = new_node(kGuids[n], is_switch ? IB_NODE_TYPE_SWITCH : IB_NODE_TYPE_CA,
                                      is_switch ? kPorts - 1 : 1);
    subnet->nodes[n] = node;
    cl_qmap_insert(&osm->subn.node_guid_tbl, node->node_info.node_guid, &node->map_item);
    osm_port_t* const port = &subnet->ports[n];
    port->p_node = node;
    port->p_physp = &node->physp_table[is_switch ? 0 : 1];
    port->guid = node->node_info.node_guid;
    port->p_physp->port_info.base_lid = cl_hton16((uint16_t)(n + 1));
    cl_ptr_vector_set(&osm->subn.port_lid_tbl, (size_t)n + 1, port);
    cl_qmap_insert(&osm->subn.port_guid_tbl, port->guid, &port->map_item);
    if (!is_switch) continue;
    osm_switch_t* const sw = &subnet->switches[n];
    node->sw = sw;
    sw->p_node = node;
    sw->max_lid_ho = kTopLid;
    sw->num_hops = kTopLid + 1;
    sw->num_ports = kPorts;
    sw->hops = calloc(kTopLid + 1, sizeof *sw->hops);
    sw->new_lft = malloc(kTopLid + 1);
    EXPECT(sw->hops != NULL && sw->new_lft != NULL);
    memset(sw->new_lft, OSM_NO_PATH, kTopLid + 1);
    cl_qmap_insert(&osm->subn.sw_guid_tbl, node->node_info.node_guid, &sw->map_item);
  }
  link_up(subnet->nodes[0], 1, subnet->nodes[2], 1);
  link_up(subnet->nodes[1], 1, subnet->nodes[3], 1);
  link_up(subnet->nodes[0], 2, subnet->nodes[1], 2);
  link_up(subnet->nodes[0], 3, subnet->nodes[1], 3);
  link_up(subnet->nodes[0], 4, subnet->nodes[0], 4);
  link_up(subnet->nodes[1], 4, subnet->nodes[1], 4);
}

static void free_subnet(struct subnet* subnet) {
  for (int s = 0; s < 2; ++s) {
    for (int lid = 0; lid <= kTopLid; ++lid) free(subnet->switches[s].hops[lid]);
    free(subnet->switches[s].hops);
    free(subnet->switches[s].new_lft);
    free(subnet->switches[s].lft);
  }
  for (int n = 0; n < kNodes; ++n) free(subnet->nodes[n]);
}

static int all_clear(const struct subnet* subnet) {
  for (int s = 0; s < 2; ++s) {
    const osm_switch_t* const sw = &subnet->switches[s];
    for (int lid = 0; lid <= kTopLid; ++lid) {
      if (sw->new_lft[lid] != OSM_NO_PATH) return 0;
      for (int port = 0; sw->hops[lid] != NULL && port < kPorts; ++port) {
        if (sw->hops[lid][port] != OSM_NO_PATH) return 0;
      }
    }
  }
  return 1;
}

static void expect_routed(const struct subnet* subnet) {
  const uint8_t* const left = subnet->switches[0].new_lft;
  const uint8_t* const right = subnet->switches[1].new_lft;
  EXPECT(left[1] == 0 && right[2] == 0);
  EXPECT(left[3] == 1 && right[4] == 1);
  EXPECT((left[4] == 2 || left[4] == 3) && (right[3] == 2 || right[3] == 3));
  EXPECT((left[2] == 2 || left[2] == 3) && (right[1] == 2 || right[1] == 3));
  EXPECT(left[0] == OSM_NO_PATH && left[5] == OSM_NO_PATH && left[6] == OSM_NO_PATH);
  EXPECT(subnet->switches[0].hops[2][0] == 1 && subnet->switches[0].hops[2][2] == 1);
  EXPECT(subnet->switches[0].hops[1][0] == 0);
}

/* ---- loading ---- */

static void check_refusals(void) {
  EXPECT(plugin->create(NULL) == NULL);
  plugin->delete (NULL);
  EXPECT(log_text[0] == '\0');

  /* An OpenSM whose parts are elsewhere: its log must not be touched. */
  osm_opensm_t* osm = new_opensm("");
  osm->sm.p_log = NULL;
  EXPECT(plugin->create(osm) == NULL);
  delete_opensm(osm);
  EXPECT(log_text[0] == '\0' && registrations == 0);

  osm = new_opensm("max_lanes=many");
  EXPECT(plugin->create(osm) == NULL);
  EXPECT(strstr(log_text, "ERR HD03") != NULL && strstr(log_text, "max_lanes=many") != NULL);
  EXPECT(registrations == 0);
  delete_opensm(osm);

  osm = new_opensm(NULL);
  registration_answer = CL_DUPLICATE;
  EXPECT(plugin->create(osm) == NULL);
  registration_answer = CL_SUCCESS;
  EXPECT(strstr(log_text, "ERR HD04") != NULL && registrations == 1);
  delete_opensm(osm);
}

/* ---- routing through the callbacks ---- */

/* As OpenSM does before each sweep's routing. */
static void prepare(struct subnet* subnet) {
  for (int s = 0; s < 2; ++s) {
    memset(subnet->switches[s].new_lft, OSM_NO_PATH, kTopLid + 1);
    osm_switch_clear_hops(&subnet->switches[s]);
  }
}

static int run_engine(void) {
  EXPECT(registered.build_lid_matrices(registered.context) == 0);
  return registered.ucast_build_fwd_tables(registered.context);
}

static void check_routing(struct subnet* subnet) {
  EXPECT(run_engine() == 0);
  expect_routed(subnet);
  EXPECT(strstr(log_text, "2 hosts, 2 switches") != NULL);

  /* No memory for a hop row in the middle: the next engine finds what OpenSM had prepared. */
  for (int s = 0; s < 2; ++s) {
    for (int lid = 0; lid <= kTopLid; ++lid) {
      free(subnet->switches[s].hops[lid]);
      subnet->switches[s].hops[lid] = NULL;
    }
  }
  atomic_store(&hop_rows_left, 1);
  EXPECT(run_engine() < 0);
  atomic_store(&hop_rows_left, INT_MAX);
  EXPECT(all_clear(subnet));
  EXPECT(strstr(log_text, "ERR HD01") != NULL && strstr(log_text, "no memory") != NULL);
  EXPECT(run_engine() == 0);
  expect_routed(subnet);

  /* A port that is linked to one whose own peer is another: half of what is known is stale. */
  osm_physp_t* const stale = &subnet->nodes[0]->physp_table[4];
  stale->p_remote_physp = &subnet->nodes[1]->physp_table[2];
  EXPECT(run_engine() == 0);
  expect_routed(subnet);
  stale->p_remote_physp = NULL;

  /* A switch that answered NodeInfo alone joins the leaves, nothing else does: nobody would write
   * its tables, so nothing may lead there. */
  osm_node_t* const mute = new_node(0x3, IB_NODE_TYPE_SWITCH, 2);
  cl_qmap_insert(&subnet->osm->subn.node_guid_tbl, mute->node_info.node_guid, &mute->map_item);
  link_up(subnet->nodes[0], 4, mute, 1);
  link_up(subnet->nodes[1], 4, mute, 2);
  subnet->nodes[0]->physp_table[2].healthy = FALSE;
  subnet->nodes[1]->physp_table[3].healthy = FALSE;
  prepare(subnet);
  EXPECT(run_engine() == 0);
  EXPECT(subnet->switches[0].new_lft[3] == 1 && subnet->switches[0].new_lft[4] == OSM_NO_PATH);
  EXPECT(subnet->switches[0].hops[2][0] == OSM_NO_PATH);
  subnet->nodes[0]->physp_table[2].healthy = TRUE;
  subnet->nodes[1]->physp_table[3].healthy = TRUE;
  cl_qmap_remove_item(&subnet->osm->subn.node_guid_tbl, &mute->map_item);
  subnet->nodes[0]->physp_table[4].p_remote_physp = NULL;
  subnet->nodes[1]->physp_table[4].p_remote_physp = NULL;
  free(mute);

  /* A LID that is another's by now leads nowhere, an unhealthy port and a lame cable neither. */
  subnet->ports[3].p_physp->port_info.base_lid = cl_hton16(3);
  cl_ptr_vector_set(&subnet->osm->subn.port_lid_tbl, 4, NULL);
  subnet->nodes[0]->physp_table[2].healthy = FALSE;
  prepare(subnet);
  EXPECT(run_engine() == 0);
  EXPECT(subnet->switches[0].new_lft[3] == 1 && subnet->switches[0].new_lft[2] == 3);
  EXPECT(subnet->switches[0].hops[2][2] == OSM_NO_PATH && subnet->switches[0].hops[2][3] == 1);
  subnet->nodes[0]->physp_table[2].healthy = TRUE;
  subnet->ports[3].p_physp->port_info.base_lid = cl_hton16(4);
  cl_ptr_vector_set(&subnet->osm->subn.port_lid_tbl, 4, &subnet->ports[3]);
  EXPECT(run_engine() == 0);
  expect_routed(subnet);
}

/* ---- every event, from several threads ---- */

enum { kThreads = 4, kRounds = 2000 };

/* Of calls of `report`, in nanoseconds. */
enum { kTimes = kRounds * OSM_EVENT_ID_MAX };

struct caller {
  pthread_t thread;
  uint32_t* times;
  int timed;
  void* plugin_data;
  struct subnet* subnet;
};

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void report_all(struct caller* self) {
  void* const plugin_data = self->plugin_data;
  struct subnet* const subnet = self->subnet;
  static const int kOddIds[] = {INT_MIN, -1, OSM_EVENT_ID_MAX, OSM_EVENT_ID_MAX + 1, 255, INT_MAX};
  osm_epi_pe_event_t errors = {.symbol_err_cnt = ~0ull};
  osm_epi_dc_event_t data = {.xmit_data = ~0ull};
  osm_epi_ps_event_t select = {.xmit_wait = 1};
  ib_mad_notice_attr_t trap;
  osm_epi_lft_change_event_t lft = {
      .p_sw = &subnet->switches[0], .flags = LFT_CHANGED_BLOCK, .lft_top = 6, .block_num = 0};
  memset(&trap, 0xFF, sizeof trap);
  void* const payloads[] = {&errors, &data, &select, &trap,
                            NULL,    NULL,  NULL,    (void*)UCAST_ROUTING_REROUTE,
                            NULL,    NULL,  &lft};
  for (int event = 0; event < OSM_EVENT_ID_MAX; ++event) {
    const uint64_t before = nanoseconds();
    plugin->report(plugin_data, (osm_epi_event_id_t)event, payloads[event]);
    self->times[self->timed++] = (uint32_t)(nanoseconds() - before);
    plugin->report(plugin_data, (osm_epi_event_id_t)event, NULL);
    plugin->report(NULL, (osm_epi_event_id_t)event, payloads[event]);
  }
  for (size_t i = 0; i < sizeof kOddIds / sizeof kOddIds[0]; ++i) {
    plugin->report(plugin_data, (osm_epi_event_id_t)kOddIds[i], NULL);
    plugin->report(plugin_data, (osm_epi_event_id_t)kOddIds[i], &trap);
    plugin->report(NULL, (osm_epi_event_id_t)kOddIds[i], NULL);
  }
}

static void* call_entries(void* data) {
  struct caller* const self = data;
  for (int round = 0; round < kRounds; ++round) {
    report_all(self);
    for (unsigned lid = 0; lid <= kTopLid + 1u; ++lid) {
      const ib_net16_t source = cl_hton16((uint16_t)lid);
      EXPECT(registered.path_sl(registered.context, 5, source, cl_hton16(4)) == 5);
      EXPECT(registered.path_sl(registered.context, 5, cl_hton16(0xFFFF), source) == 5);
    }
    for (int n = 0; n < kNodes; ++n) {
      osm_node_t* const node = self->subnet->nodes[n];
      for (uint8_t port = 0; port < node->physp_tbl_size; ++port) {
        ib_slvl_table_t table;
        memset(&table, 0x12, sizeof table);
        const ib_slvl_table_t before = table;
        registered.update_sl2vl(registered.context, &node->physp_table[port], port, 1, &table);
        registered.update_sl2vl(registered.context, &node->physp_table[port], 255, 255, &table);
        /* One lane holds all: it stays as OpenSM's QoS has it. */
        EXPECT(memcmp(&table, &before, sizeof table) == 0);
      }
    }
  }
  return NULL;
}

static int by_size(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a;
  const uint32_t y = *(const uint32_t*)b;
  return (x > y) - (x < y);
}

/* A callback may hold OpenSM up for 50 microseconds at p99. */
static void check_times(uint32_t* times, size_t count) {
  qsort(times, count, sizeof *times, by_size);
  const double p50 = times[count / 2] / 1e3;
  const double p99 = times[count - 1 - count / 100] / 1e3;
  printf("callbacks: %zu calls from %d threads, p50 %.2f us, p99 %.2f us, slowest %.0f us\n", count,
         kThreads, p50, p99, times[count - 1] / 1e3);
  EXPECT(p99 <= 50);
}

static void check_threads(void* plugin_data, struct subnet* subnet) {
  struct caller callers[kThreads];
  uint32_t* const times = calloc((size_t)kThreads * kTimes, sizeof *times);
  EXPECT(times != NULL);
  for (int i = 0; i < kThreads; ++i) {
    callers[i].plugin_data = plugin_data;
    callers[i].times = times + (size_t)i * kTimes;
    callers[i].timed = 0;
    callers[i].subnet = subnet;
    EXPECT(pthread_create(&callers[i].thread, NULL, call_entries, &callers[i]) == 0);
  }
  for (int round = 0; round < 50; ++round) {
    EXPECT(run_engine() == 0);
    expect_routed(subnet);
  }
  for (int i = 0; i < kThreads; ++i) EXPECT(pthread_join(callers[i].thread, NULL) == 0);
  for (int i = 0; i < kThreads; ++i) EXPECT(callers[i].timed == kTimes);
  check_times(times, (size_t)kThreads * kTimes);
  free(times);
}

/* ---- what stands for heddled ---- */

struct heddled {
  pthread_t thread;
  char folder[32];
  char path[48];
  int listener;
  size_t bytes; /* read after the thread has ended */
};

static void* read_all(void* data) {
  struct heddled* const self = data;
  char buffer[65536];
  const int connection = accept(self->listener, NULL, NULL);
  EXPECT(connection != -1);
  for (ssize_t got = 0; (got = read(connection, buffer, sizeof buffer)) > 0;) {
    if (self->bytes == 0) EXPECT(got > 12 && memcmp(buffer + 8, "HDDL", 4) == 0);
    self->bytes += (size_t)got;
  }
  close(connection);
  return NULL;
}

static void start_heddled(struct heddled* self) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memset(self, 0, sizeof *self);
  strcpy(self->folder, "/tmp/load_check_XXXXXX");
  EXPECT(mkdtemp(self->folder) != NULL);
  snprintf(self->path, sizeof self->path, "%s/s", self->folder);
  strcpy(address.sun_path, self->path);
  self->listener = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT(bind(self->listener, (const struct sockaddr*)&address, sizeof address) == 0);
  EXPECT(listen(self->listener, 1) == 0);
  EXPECT(pthread_create(&self->thread, NULL, read_all, self) == 0);
}

/* The plugin has left. */
static void stop_heddled(struct heddled* self) {
  EXPECT(pthread_join(self->thread, NULL) == 0);
  EXPECT(self->bytes > 1000);
  close(self->listener);
  unlink(self->path);
  rmdir(self->folder);
}

/* ---- a cable dies ---- */

static int is_logged(const char* text) {
  for (int i = 0; i < 500; ++i) {
    pthread_mutex_lock(&log_mutex);
    const int found = strstr(log_text, text) != NULL;
    pthread_mutex_unlock(&log_mutex);
    if (found) return 1;
    usleep(10000);
  }
  return 0;
}

static void check_repair(void* plugin_data, struct subnet* subnet) {
  osm_opensm_t* const osm = subnet->osm;
  ib_mad_notice_attr_t trap;
  /* What the plugin's thread may read meanwhile is written as OpenSM writes it: with its lock. */
  cl_plock_excl_acquire(&osm->lock);
  for (int s = 0; s < 2; ++s) {
    osm_switch_t* const sw = &subnet->switches[s];
    sw->lft_size = IB_SMP_DATA_SIZE;
    sw->lft = malloc(sw->lft_size);
    EXPECT(sw->lft != NULL);
    memset(sw->lft, OSM_NO_PATH, sw->lft_size);
  }
  EXPECT(run_engine() == 0);
  for (int s = 0; s < 2; ++s) {
    memcpy(subnet->switches[s].lft, subnet->switches[s].new_lft, kTopLid + 1);
  }
  osm->subn.sm_state = IB_SMINFO_STATE_MASTER;
  osm->routing_engine_used = &registered;
  const uint8_t port = subnet->switches[1].lft[3];
  cl_plock_release(&osm->lock);
  plugin->report(plugin_data, OSM_EVENT_ID_UCAST_ROUTING_DONE, (void*)UCAST_ROUTING_HEAVY_SWEEP);
  answered = plugin_data;
  EXPECT(port == 2 || port == 3);
  /* Of the cable that it does not use for OpenSM's traps. */
  const uint8_t dead = port == 2 ? 3 : 2;
  cl_plock_excl_acquire(&osm->lock);
  ib_port_info_set_port_state(&subnet->nodes[1]->physp_table[dead].port_info, IB_LINK_DOWN);
  cl_plock_release(&osm->lock);
  memset(&trap, 0, sizeof trap);
  trap.generic_type = 0x80;
  trap.g_or_v.generic.trap_num = CL_HTON16(SM_LINK_STATE_CHANGED_TRAP);
  trap.data_details.ntc_128.sw_lid = cl_hton16(2);
  plugin->report(plugin_data, OSM_EVENT_ID_TRAP, &trap);
  EXPECT(is_logged(" in place "));
  EXPECT(atomic_load(&reads) > 0 && atomic_load(&writes) > 0);
  for (int s = 0; s < 2; ++s) {
    for (int lid = 1; lid <= kNodes; ++lid) EXPECT(subnet->switches[s].lft[lid] != dead);
    EXPECT(subnet->switches[s].lft[4 - s] == port);
  }
}

static void check_life(const char* options) {
  struct subnet subnet;
  osm_opensm_t* const osm = new_opensm(options);
  osm->subn.sm_port_guid = cl_hton64(kGuids[2]);
  const int before = registrations;
  void* const plugin_data = plugin->create(osm);
  EXPECT(plugin_data != NULL);
  EXPECT(registrations == before + 1);
  EXPECT(registered.build_lid_matrices != NULL && registered.ucast_build_fwd_tables != NULL &&
         registered.update_sl2vl != NULL && registered.path_sl != NULL);
  /* An empty subnet: nothing to write. */
  EXPECT(run_engine() == 0);
  build_subnet(&subnet, osm);
  check_routing(&subnet);
  check_threads(plugin_data, &subnet);
  if (strstr(options, "fast_repair=on") != NULL) check_repair(plugin_data, &subnet);
  plugin->delete (plugin_data);
  free_subnet(&subnet);
  delete_opensm(osm);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: load_check PATH_OF_LIBHEDDLE\n");
    return 2;
  }
  /* OpenSM's folder, where the plugin keeps what was once there. */
  char folder[] = "/tmp/load_check_XXXXXX";
  char places[64];
  EXPECT(mkdtemp(folder) != NULL && setenv("OSM_CACHE_DIR", folder, 1) == 0);
  snprintf(places, sizeof places, "%s/heddle-places", folder);
  for (int round = 0; round < 2; ++round) {
    void* const library = dlopen(argv[1], RTLD_LAZY);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    plugin = dlsym(library, OSM_EVENT_PLUGIN_IMPL_NAME);
    EXPECT(plugin != NULL);
    EXPECT(strcmp(plugin->osm_version, OSM_VERSION) == 0);
    EXPECT(plugin->create != NULL && plugin->delete != NULL && plugin->report != NULL);
    EXPECT(dlsym(library, "heddle_engine_create") == NULL);
    log_text[0] = '\0';
    registrations = 0;
    check_refusals();
    EXPECT(access(places, F_OK) == (round == 0 ? -1 : 0));
    if (round == 0) {
      check_life("socket=none");
    } else {
      struct heddled heddled;
      char options[128];
      start_heddled(&heddled);
      snprintf(options, sizeof options, "threads=3 max_lanes=4 fast_repair=on socket=%s",
               heddled.path);
      check_life(options);
      stop_heddled(&heddled);
    }
    EXPECT((strstr(log_text, "places: 4 nodes remembered in ") != NULL) == (round == 1));
    EXPECT(strstr(log_text, "HD08") == NULL);
    EXPECT(dlclose(library) == 0);
  }
  EXPECT(unlink(places) == 0 && rmdir(folder) == 0);
  puts("loaded, called and unloaded twice");
  return 0;
}
