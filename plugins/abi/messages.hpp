#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// What the OpenSM plugin and heddled tell each other. Numbers are in host byte order here; times
/// are nanoseconds since 1970-01-01 UTC, intervals say their unit. A GUID or LID of 0 is unknown.
namespace heddle::abi {

inline constexpr std::uint32_t kMagic = 0x4C444448;  ///< "HDDL" as it stands on the wire
inline constexpr std::uint16_t kVersion = 1;

/// The first message of both sides. Any version is talked to: what is new to a side it skips.
struct Hello {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint64_t instance = 0;  ///< another one for each start of the program
  std::uint32_t process = 0;
  std::string software;
  bool operator==(const Hello&) const = default;
};

/// A notice that OpenSM received or made.
struct Trap {
  std::uint64_t time = 0;
  std::uint8_t generic = 0;    ///< else `number` is a device's own, of vendor `producer`
  std::uint8_t type = 0;       ///< Notice.Type: 0 fatal to 4 informational
  std::uint32_t producer = 0;  ///< of a generic one 1 adapter, 2 switch, 3 router, 4 SM
  std::uint16_t number = 0;
  std::uint16_t issuer_lid = 0;
  std::uint16_t lid = 0;        ///< what it is about
  std::uint64_t node_guid = 0;  ///< of `lid`, else of the issuer
  std::uint64_t port_guid = 0;  ///< what 64 to 67 are about
  std::uint8_t port = 0;        ///< 0 where it says none
  bool operator==(const Trap&) const = default;
};

/// OpenSM came to some point of its sweep.
struct SweepStep {
  enum class What : std::uint8_t {
    kHeavySweepStarted,
    kHeavySweepDone,  ///< discovery alone
    kSubnetUp,
    kRoutingDone,   ///< in a heavy sweep; blocks are acknowledged
    kReroutingDone  ///< without one
  };
  std::uint64_t time = 0;
  What what = What::kSubnetUp;
  bool operator==(const SweepStep&) const = default;
};

/// What OpenSM is; sent at the beginning and whenever it changes.
struct ManagerState {
  std::uint64_t time = 0;
  std::uint8_t state = 0;  ///< SMInfo.SMState: 0 not active, 1 discovering, 2 standby, 3 master
  std::uint8_t priority = 0;
  std::uint64_t port_guid = 0;
  bool operator==(const ManagerState&) const = default;
};

/// Counters of a port as OpenSM's performance manager reports them: differences.
struct PortCounters {
  enum class What : std::uint8_t { kErrors, kData, kSelect };
  std::uint64_t time = 0;
  std::uint64_t node_guid = 0;
  std::uint8_t port = 0;
  What what = What::kErrors;
  std::uint32_t seconds = 0;
  std::vector<std::uint64_t> values;  ///< in the order of OpenSM's structure
  bool operator==(const PortCounters&) const = default;
};

/// Writes to forwarding tables that switches acknowledged, so many at once as came together.
struct TableWrites {
  std::uint64_t first = 0;  ///< times
  std::uint64_t last = 0;
  std::uint32_t blocks = 0;
  std::uint32_t tops = 0;
  std::uint32_t switches = 0;
  std::uint64_t node_guid = 0;  ///< if it was one switch
  bool operator==(const TableWrites&) const = default;
};

/// One run of the engine.
struct RoutingRun {
  std::uint64_t time = 0;  ///< of its end
  std::uint64_t nanoseconds = 0;
  std::uint8_t routed = 0;  ///< else the next engine had its turn
  std::uint8_t proved = 0;  ///< free of loops and of cycles of waiting
  std::uint8_t lanes = 0;
  std::uint32_t hosts = 0;
  std::uint32_t switches = 0;
  std::uint32_t away = 0;  ///< once known, not there now
  std::uint64_t entries = 0;
  std::uint64_t changed = 0;
  std::uint32_t blocks_changed = 0;
  std::uint64_t undelivered = 0;  ///< pairs that are connected
  std::uint64_t weights = 0;      ///< Weights::generation in use, 0 for none
  std::uint32_t weighted = 0;     ///< cables that have one
  std::string engine;
  std::string fallback;  ///< engines before it that gave up, and why; empty if none did
  std::string reason;    ///< why it failed
  bool operator==(const RoutingRun&) const = default;
};

/// A cable that came or went, as OpenSM's sweep found it.
struct LinkChange {
  std::uint64_t time = 0;  ///< of the trap that told of it, else `seen`
  std::uint64_t seen = 0;
  std::uint8_t up = 0;
  std::uint8_t by_trap = 0;
  std::uint64_t guid_a = 0;
  std::uint8_t port_a = 0;
  std::uint64_t guid_b = 0;
  std::uint8_t port_b = 0;
  bool operator==(const LinkChange&) const = default;
};

/// How the plugin gets on, since it was loaded.
struct QueueState {
  std::uint64_t time = 0;
  std::uint64_t taken = 0;                ///< events
  std::uint64_t dropped = 0;              ///< of those, lost for want of room
  std::uint64_t slowest_nanoseconds = 0;  ///< of a callback
  std::uint64_t slow = 0;                 ///< callbacks of more than 50 microseconds
  bool operator==(const QueueState&) const = default;
};

/// What of cables' capacity routes may use. Each message holds all of them; the plugin forgets them
/// when it has heard nothing for `hold_milliseconds`.
struct Weights {
  struct Entry {
    std::uint64_t node_guid = 0;  ///< either end
    std::uint8_t port = 0;
    std::uint8_t percent = 0;                ///< 0: drained
    std::uint32_t expires_milliseconds = 0;  ///< from now; 0: never
    bool operator==(const Entry&) const = default;
  };
  std::uint64_t generation = 0;  ///< changes with the entries, not with their remaining times
  std::uint32_t hold_milliseconds = 0;
  std::vector<Entry> entries;
  bool operator==(const Weights&) const = default;
};

/// What the plugin has to say to people: of repairs between sweeps.
struct Note {
  std::uint64_t time = 0;
  std::uint8_t error = 0;
  std::string text;
  bool operator==(const Note&) const = default;
};

using Message = std::variant<Hello, Trap, SweepStep, ManagerState, PortCounters, TableWrites,
                             RoutingRun, LinkChange, QueueState, Weights, Note>;

}  // namespace heddle::abi
