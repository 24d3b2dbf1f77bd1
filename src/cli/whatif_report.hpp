#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "model/fabric.hpp"
#include "model/units.hpp"
#include "routing/structure.hpp"
#include "routing/traffic.hpp"

namespace heddle::cli {

/// What `heddle whatif` found; stands for itself, as its states are of different fabrics.
struct WhatifReport {
  struct End {
    model::PortKey port;
    std::string name;
  };
  struct Flow {
    End from;
    End to;
    std::uint32_t job = 0;  ///< into jobs
  };
  /// A direction of a cable that keeps flows below what the cables of their ends carry.
  struct Limit {
    End from;
    End to;
    std::size_t flows = 0;
    model::BitsPerSecond rate;  ///< of each of them
  };
  /// How a tree was built anew for another oversubscription.
  struct Reshape {
    std::uint32_t ratio = 0;  ///< asked for, to 1
    std::uint32_t uplinks = 0;
    std::size_t switches_removed = 0;
    std::size_t switches_added = 0;
    std::size_t cables_removed = 0;
    std::size_t cables_added = 0;
  };
  struct State {
    std::string name;    ///< `before`, `recomputed`, `after` or `N:1`
    std::string tables;  ///< the engine, or the file
    std::optional<std::uint32_t> leaf_oversubscription_permille;  ///< trees only
    routing::RateSummary all;
    std::vector<routing::RateSummary> jobs;
    std::vector<Limit> limits;  ///< those of most flows first
    std::vector<model::BitsPerSecond> rates;
    std::vector<std::optional<std::uint32_t>> limited_by;  ///< by flow, into limits
    std::size_t lost = 0;                         ///< flows that had a rate before and have none
    std::optional<routing::PathChanges> changes;  ///< against before, on the same switches
    std::size_t over_drained = 0;  ///< flows over drained cables, as nothing else leads there
    std::optional<Reshape> reshape;
  };

  routing::Shape shape = routing::Shape::kEmpty;
  std::size_t switches = 0;
  std::size_t end_ports = 0;
  std::string traffic;  ///< pattern or file
  std::vector<Flow> flows;
  std::vector<std::string> jobs;
  /// What cables of unknown rate count as; nothing if all are known.
  std::optional<model::BitsPerSecond> assumed_rate;
  std::vector<State> states;  ///< the first is what the others are compared with

  [[nodiscard]] bool good() const noexcept;
};

/// For people.
[[nodiscard]] std::string render_whatif(const WhatifReport& report, Colour colour);
/// For programs: one object. Rates in bit/s.
[[nodiscard]] std::string whatif_json(const WhatifReport& report);

}  // namespace heddle::cli
