#pragma once

#include <optional>
#include <vector>

#include "discovery/fabric_sweep.hpp"
#include "discovery/table_sweep.hpp"

// Which tables there are to read, and by which way; shared by planning and reading.
namespace heddle::discovery {

/// An input and an output port of a switch.
struct PortPair {
  model::PortNum in;
  model::PortNum out;
};

/// Ports of a node that have a P_Key table of their own: port 0 of a switch, the cabled ports of
/// any other.
[[nodiscard]] std::vector<model::PortNum> end_ports(const model::Fabric& fabric,
                                                    model::NodeIndex node);
/// Pairs whose SL2VL mapping tells something: out of ports that are cabled and have more than one
/// data VL, into them from every other cabled port and from port 0. Of a host adapter in = out.
[[nodiscard]] std::vector<PortPair> sl_to_vl_pairs(const model::Fabric& fabric,
                                                   model::NodeIndex node);

/// How to reach a port's agent. An end port is entered by its own cable, since some attributes are
/// about the port that the question came by. Nothing if the node did not answer this sweep.
[[nodiscard]] std::optional<mad::DirectedRoute> route_to(const SweepOutcome& outcome,
                                                         model::NodeIndex node,
                                                         model::PortNum port);

}  // namespace heddle::discovery
