#pragma once

/*
 * Events of OpenSM as the shim decodes them, once, in the callback: numbers in host byte order, no
 * pointers. C and C++.
 */

#include <stdint.h>

enum heddle_event_kind {
  HEDDLE_EVENT_PORT_ERRORS,
  HEDDLE_EVENT_PORT_DATA,
  HEDDLE_EVENT_PORT_SELECT,
  HEDDLE_EVENT_TRAP,
  HEDDLE_EVENT_SUBNET_UP,
  HEDDLE_EVENT_HEAVY_SWEEP_START,
  HEDDLE_EVENT_HEAVY_SWEEP_DONE,
  HEDDLE_EVENT_ROUTING_DONE, /* detail: 1 in a heavy sweep, 2 without one */
  HEDDLE_EVENT_STATE_CHANGE, /* detail: SMInfo.SMState; guid: the SM's port; count: priority */
  HEDDLE_EVENT_TABLE_BLOCK,  /* guid: switch; count: block number */
  HEDDLE_EVENT_TABLE_TOP     /* guid: switch; count: LinearFDBTop */
};

enum { HEDDLE_EVENT_VALUES = 13 };

struct heddle_event {
  uint64_t time;  /* nanoseconds since 1970; of the callback's entry */
  uint64_t began; /* heddle_event_clock() at the callback's entry */
  uint64_t guid;  /* of the node */
  uint64_t port_guid;
  uint32_t kind;  /* enum heddle_event_kind */
  uint32_t count; /* of port counters: seconds since the last */
  uint32_t producer;
  uint16_t number; /* of a trap */
  uint16_t issuer_lid;
  uint16_t lid;
  uint8_t port;
  uint8_t detail; /* of a trap: Notice.Type */
  uint8_t generic;
  uint8_t value_count;
  uint64_t values[HEDDLE_EVENT_VALUES]; /* of port counters, in OpenSM's order */
};
