#pragma once

#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "routing/graph.hpp"

namespace heddle::routing::recognition {

/// A port of a host, and which of the host's ports it is.
struct HostPort {
  TerminalIndex terminal;
  /// The part of the adapter's description behind the host's name, and the port number: the same
  /// for the same place in different hosts where names follow the kernel's custom (`host HCA-1`).
  std::string place;
};

/// The ports of host adapters by host, each in order of place, hosts in order of their lowest
/// terminal. A host is what one system image GUID names; where every adapter has one of its own, as
/// most vendors ship them, what all words of the descriptions but the last name, if no description
/// in it comes twice (factory texts and `localhost` do).
[[nodiscard]] std::vector<std::vector<HostPort>> hosts_of(const model::Fabric& fabric,
                                                          const Graph& graph);

/// See Structure::rail.
[[nodiscard]] std::vector<std::uint8_t> rails_of(const Graph& graph,
                                                 const std::vector<std::vector<HostPort>>& hosts);

}  // namespace heddle::routing::recognition
