#pragma once

/* The requests of bridge.h as an OpenSM answers them. For C files that know OpenSM's structures. */

#include <opensm/osm_opensm.h>

#include "plugins/opensm/bridge.h"

struct opensm_requests {
  osm_opensm_t* osm;
  const void* routing_context; /* of the routing engine whose tables may be repaired */
  struct heddle_engine* engine;
};

/* Good as long as `asker`. */
struct heddle_requests opensm_requests_of(struct opensm_requests* asker);
