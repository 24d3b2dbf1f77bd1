#pragma once

#include <cstdint>
#include <vector>

#include "model/fabric.hpp"
#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"

namespace heddle::support {

/// Two ports of one host.
struct Homes {
  routing::TerminalIndex first;
  routing::TerminalIndex second;
};
/// Of every host with several ports, each two of them.
[[nodiscard]] std::vector<Homes> homes_of(const model::Fabric& fabric, const routing::Graph& graph);

/// Over all hosts and all leaves besides their own.
struct SharedWays {
  std::uint64_t ways = 0;    ///< (leaf, two ports of a host) whose two paths were followed
  std::uint64_t shared = 0;  ///< those whose paths meet at a switch after the leaf
  bool operator==(const SharedWays&) const = default;
};
/// Tables without loops that lead to every terminal.
[[nodiscard]] SharedWays shared_ways(const model::Fabric& fabric, const routing::Graph& graph,
                                     const model::ForwardingTables& tables);

/// Hosts none of whose ports is left.
[[nodiscard]] std::uint64_t hosts_cut_off(const model::Fabric& fabric, const routing::Graph& graph,
                                          const routing::Availability& availability);

}  // namespace heddle::support
