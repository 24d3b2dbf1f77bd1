#pragma once

/// OpenSM's headers in C++. osm_config.h comes first: the layouts in the others depend on it.
/// osm_event_plugin.h has a member called `delete`.

#include <cstdlib>
#include <cstring>

#define delete delete_
extern "C" {
// clang-format off
#include <opensm/osm_config.h>
#include <opensm/osm_version.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_madw.h>
#include <opensm/osm_node.h>
#include <opensm/osm_port.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_ucast_mgr.h>
// clang-format on
}
#undef delete
