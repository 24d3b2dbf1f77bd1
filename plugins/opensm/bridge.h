#pragma once

/*
 * What crosses between the C shim, the only file that knows OpenSM's structures, and the C++ behind
 * it: plain arrays and numbers, all in host byte order. No function throws, none keeps a pointer
 * that it is given.
 */

#include <stddef.h>
#include <stdint.h>

#include "plugins/opensm/events.h"

#ifdef __cplusplus
#define HEDDLE_NOEXCEPT noexcept
extern "C" {
#else
#define HEDDLE_NOEXCEPT
#endif

/* A discovered node; port_count counts external ports. */
struct heddle_node {
  uint64_t guid;
  uint64_t system_guid; /* 0 for none */
  const char* description;
  uint32_t vendor_id;
  uint16_t device_id;
  uint8_t type; /* NodeInfo.NodeType: 1 channel adapter, 2 switch, 3 router */
  uint8_t port_count;
};

/* A port that has LIDs of its own: of a switch, port 0. */
struct heddle_end_port {
  uint64_t node_guid;
  uint64_t port_guid;
  uint16_t lid; /* the first of 2^lmc; 0 for none */
  uint8_t number;
  uint8_t lmc;
};

/* A cable that may be used. Its rate is said between switches only, else all is 0. */
struct heddle_cable {
  uint64_t node_guid[2];
  uint8_t port[2];
  uint8_t width;     /* PortInfo.LinkWidthActive */
  uint8_t speed;     /* PortInfo.LinkSpeedActive */
  uint8_t speed_ext; /* PortInfo.LinkSpeedExtActive, 0 for none */
  uint8_t is_fdr10;
};

/* Tables of a switch, by LID up to top_lid. */
struct heddle_switch {
  uint64_t guid;
  void* handle;           /* for hop_row */
  const uint8_t* present; /* what the switch holds now; 0xFF for no port */
  uint8_t* next;          /* what it is to hold, all 0xFF at first */
  uint16_t present_size;  /* LIDs in `present` */
  uint16_t top_lid;
  uint8_t hop_size; /* octets in a hop row: ports, port 0 included */
};

struct heddle_subnet {
  const struct heddle_node* nodes;
  const struct heddle_end_port* end_ports;
  const struct heddle_cable* cables;
  const struct heddle_switch* switches;
  size_t node_count;
  size_t end_port_count;
  size_t cable_count;
  size_t switch_count;
  /* Hops from a switch to a LID by port, the least of them at 0; null without memory. Called from
   * several threads, at one time for different switches. */
  uint8_t* (*hop_row)(void* handle, uint16_t lid);
  uint8_t lanes;         /* data VLs that every port has, 1 where OpenSM writes no SL2VL */
  uint8_t manager_port;  /* by which OpenSM is attached; of a switch, port 0 */
  uint64_t manager_node; /* 0 where it does not know */
};

/* Lines for a log, empty where there is nothing to say. */
struct heddle_outcome {
  char result[1024];
  char alarm[512];
  char substitute[256];
};

/* What only the shim can do for the C++ behind it. */
struct heddle_host {
  void* context;
  void (*log)(void* context, int is_error, const char* text);
  /* The cables that may be used, without their rates, to be freed; null without memory. */
  struct heddle_cable* (*cables)(void* context, size_t* count);
  /* `detail`, `guid` and `count` as of HEDDLE_EVENT_STATE_CHANGE. */
  void (*manager)(void* context, struct heddle_event* event);
};

struct heddle_engine;

/* Null, and the reason in `error`, for options that it does not understand. */
struct heddle_engine* heddle_engine_create(const char* options, char* error,
                                           size_t error_size) HEDDLE_NOEXCEPT;
void heddle_engine_destroy(struct heddle_engine* engine) HEDDLE_NOEXCEPT;

/* Fills `next` and the hop rows of all switches. Nonzero if there are tables; else the reason is in
 * `result`, and what was written of tables and hop rows is worth nothing. One call at a time. */
int heddle_engine_route(struct heddle_engine* engine, const struct heddle_subnet* subnet,
                        struct heddle_outcome* outcome) HEDDLE_NOEXCEPT;

/* Reads what was once there from the file that the options name, or from one in `folder`, and has
 * the engine's runs kept there from now on, by a thread of the engine's own. Lines for OpenSM's log
 * go to `log`, here and on that thread, until heddle_engine_destroy returns. Once, before
 * heddle_engine_route. Zero, and the reason in `error`, if it cannot be. */
int heddle_places_start(struct heddle_engine* engine, const char* folder,
                        void (*log)(void* context, int is_error, const char* text), void* context,
                        char* error, size_t error_size) HEDDLE_NOEXCEPT;

/* Events go to heddled from now on, and weights come from it. `host` is called from a thread of the
 * engine's own until heddle_engine_destroy returns. Zero, and the reason in `error`, if it cannot
 * be. */
int heddle_engine_attach(struct heddle_engine* engine, const struct heddle_host* host,
                         const char* software, char* error, size_t error_size) HEDDLE_NOEXCEPT;

/* A decoded event. From any thread; waits for nobody. */
void heddle_engine_report(struct heddle_engine* engine,
                          const struct heddle_event* event) HEDDLE_NOEXCEPT;

/* A line of a repair's for heddled, as for OpenSM's log. From any thread but a callback's. */
void heddle_engine_note(struct heddle_engine* engine, int is_error,
                        const char* text) HEDDLE_NOEXCEPT;

/* Sets `time` and `began` of an event, first thing in the callback. */
void heddle_event_begin(struct heddle_event* event) HEDDLE_NOEXCEPT;

/* The service level of a path by the newest tables; `wish` where they leave it free. From any
 * thread, beside heddle_engine_route too; waits for nobody. */
uint8_t heddle_engine_path_sl(const struct heddle_engine* engine, uint8_t wish, uint16_t source_lid,
                              uint16_t destination_lid) HEDDLE_NOEXCEPT;

/* Whether the newest tables demand a mapping of a switch; it is then in `vl_by_sl`. As above. */
int heddle_engine_sl2vl(const struct heddle_engine* engine, uint64_t switch_guid, uint8_t in_port,
                        uint8_t out_port, uint8_t vl_by_sl[16]) HEDDLE_NOEXCEPT;

/* ---- repairs between sweeps (fast_repair.hpp) ---- */

enum { HEDDLE_PATH_HOPS = 63, HEDDLE_BLOCK_LIDS = 64 };

/* A directed path: the ports by which a request leaves, from OpenSM's own on. */
struct heddle_path {
  uint8_t hops;
  uint8_t ports[HEDDLE_PATH_HOPS];
};

struct heddle_switch_port {
  uint64_t guid;
  uint8_t port;
};

/* A block of a switch's table as it is to be. */
struct heddle_block {
  uint64_t guid;
  uint16_t number; /* LIDs from 64 times that on */
  struct heddle_path path;
  uint8_t entries[HEDDLE_BLOCK_LIDS];
};

/* What a repair asks of OpenSM; each takes OpenSM's lock, shared, for a few words at a time, so it
 * is not to be called with that lock held. */
struct heddle_requests {
  void* context;
  /* Reads the state of ports of a switch, which down_ports() then tells, and after them a block of
   * its table, whose answer comes as heddle_repair_block(). A null path is OpenSM's own. Nonzero if
   * all is on its way. */
  int (*get_ports)(void* context, const struct heddle_path* path, uint64_t guid,
                   const uint8_t* ports, size_t count, uint16_t block);
  /* Writes blocks, with the same answer each, until this OpenSM is no master, its tables are not
   * those of this engine's run of that number, or a later run has begun: looked at before each. How
   * many are on their way. */
  size_t (*set_blocks)(void* context, const struct heddle_block* blocks, size_t count,
                       uint64_t run);
  /* For each of the ports, whether OpenSM knows it to be down. */
  void (*down_ports)(void* context, const struct heddle_switch_port* ports, size_t count,
                     uint8_t* is_down);
  /* GUIDs of switches that say PortStateChange, at most `size` of them; how many were given. */
  size_t (*changed_switches)(void* context, uint64_t* guids, size_t size);
  /* Whether a repair may be thought of: master, and the tables are this engine's. */
  int (*is_master)(void* context);
  /* Asks for routing without a sweep, if this SM is the master; one that is not routes when it
   * becomes one. */
  void (*reroute)(void* context);
  void (*log)(void* context, int is_error, const char* line);
};

/* Once, before any of what follows; starts a thread if the options ask for it. `requests` and what
 * it points to live until heddle_engine_destroy(), which ends the thread. Nonzero unless the reason
 * is in `error`. */
int heddle_repair_start(struct heddle_engine* engine, const struct heddle_requests* requests,
                        char* error, size_t error_size) HEDDLE_NOEXCEPT;

/* The number of the engine's run that began last, and of the last one all of whose tables OpenSM
 * has written; 0 before the first. From any thread. */
uint64_t heddle_engine_run(const struct heddle_engine* engine) HEDDLE_NOEXCEPT;
uint64_t heddle_engine_written_run(const struct heddle_engine* engine) HEDDLE_NOEXCEPT;

/* What OpenSM reports. From any thread; waits for nobody, takes no lock. */
/* Trap 128 of the switch with that LID. */
void heddle_repair_trap(struct heddle_engine* engine, uint16_t switch_lid) HEDDLE_NOEXCEPT;
/* A block was read or written, and holds these entries now. */
void heddle_repair_block(struct heddle_engine* engine, uint64_t guid, uint16_t block,
                         const uint8_t entries[HEDDLE_BLOCK_LIDS]) HEDDLE_NOEXCEPT;
/* A heavy sweep begins. */
void heddle_repair_sweep(struct heddle_engine* engine) HEDDLE_NOEXCEPT;
/* Tables are written, by whatever engine or cache. */
void heddle_repair_routed(struct heddle_engine* engine) HEDDLE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
