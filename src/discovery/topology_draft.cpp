#include "discovery/topology_draft.hpp"

#include <fmt/format.h>

#include <utility>

namespace heddle::discovery {

using model::Lid;
using model::NodeGuid;
using model::NodeKind;
using model::Port;
using model::PortGuid;
using model::PortKey;
using model::PortNum;

std::optional<NodeGuid> guid_in_id(std::string_view id) noexcept {
  if (id.size() < 3 || id[1] != '-') return std::nullopt;
  const std::string_view digits = id.substr(2);
  if (digits.size() > 16 || digits.starts_with("0x") || digits.starts_with("0X")) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> value = model::parse_guid(digits);
  return value ? std::optional(NodeGuid{*value}) : std::nullopt;
}

namespace {

bool known(model::LinkRate rate) noexcept {
  return rate.width != model::LinkWidth::kUnknown && rate.speed != model::LinkSpeed::kUnknown;
}

}  // namespace

TopologyDraft::TopologyDraft(std::string file, std::string fabric_name)
    : file_(std::move(file)), builder_(std::move(fabric_name)) {}

bool TopologyDraft::add_node(std::string_view id, model::Node node, std::uint32_t line) {
  const NodeGuid guid = node.guid;
  const NodeKind kind = node.kind;
  if (!builder_.add_node(std::move(node), position(line))) return false;
  nodes_.emplace(guid, NodeLines{kind, line, line});
  if (!id.empty() && guid_in_id(id) != guid) {
    const auto [known, fresh] = by_id_.emplace(id, guid);
    if (!fresh) {
      builder_.report({model::AnomalyKind::kDuplicateNodeGuid,
                       {guid, PortNum{}},
                       fmt::format("the id \"{}\" stands for GUID {} and for {}",
                                   model::printable(id), known->second, guid),
                       position(line)});
    }
  }
  return true;
}

void TopologyDraft::set_management_port(NodeGuid node, Port port, std::uint32_t line) {
  builder_.set_port(node, std::move(port), position(line));
}

void TopologyDraft::add_bare_port(PortKey port, std::uint32_t line) {
  if (builder_.port(port) != nullptr) {
    bare_.emplace(port, line);
    return;
  }
  builder_.report({model::AnomalyKind::kPortOutOfRange, port,
                   fmt::format("there is no port {} on {}", port.port, port.node), position(line)});
}

std::optional<NodeGuid> TopologyDraft::peer_of(const CableLine& cable) const {
  if (cable.peer_node) return cable.peer_node;
  if (!by_id_.empty()) {
    const auto found = by_id_.find(cable.peer_id);
    if (found != by_id_.end()) return found->second;
  }
  return guid_in_id(cable.peer_id);
}

model::Fabric TopologyDraft::finish() && {
  stated_.reserve(cables_.size());
  for (const CableLine& cable : cables_) state_own_end(cable);
  for (const CableLine& cable : cables_) join(cable);
  report_one_way();
  return std::move(builder_).build([this](PortKey port) { return place_of(port); });
}

/// The line that describes a port, else that of its node.
std::optional<model::SourcePosition> TopologyDraft::place_of(PortKey port) const {
  if (const auto stated = stated_.find(port); stated != stated_.end()) {
    return position(stated->second.line->line);
  }
  const auto node = nodes_.find(port.node);
  if (node == nodes_.end()) return std::nullopt;
  return position(port.port == PortNum{} ? node->second.lid_line : node->second.line);
}

/// Of two lines about one port the first describes it; the second cable makes an anomaly in
/// build(), and here if it is the same once more.
void TopologyDraft::state_own_end(const CableLine& cable) {
  const auto [stated, first] = stated_.emplace(cable.from, PortLines{&cable, true});
  if (!first) {
    const CableLine& before = *stated->second.line;
    if (before.peer_id != cable.peer_id || before.peer_port != cable.peer_port) return;
    builder_.report({model::AnomalyKind::kPortCabledTwice, cable.from,
                     fmt::format("{} has a line of its own already, line {}", to_string(cable.from),
                                 before.line),
                     position(cable.line)});
    return;
  }
  Port port;
  port.number = cable.from.port;
  port.guid = cable.from_guid;
  port.lid = cable.from_lid;
  port.lmc = cable.from_lmc;
  port.rate = cable.rate;
  port.physical_state = model::PhysicalState::kLinkUp;
  builder_.set_port(cable.from.node, std::move(port), position(cable.line));
}

void TopologyDraft::join(const CableLine& cable) {
  if (builder_.port(cable.from) == nullptr) return;  // out of range, reported by set_port
  const std::optional<NodeGuid> guid = peer_of(cable);
  if (!guid || !builder_.has_node(*guid)) {
    const std::string_view name =
        guid || !cable.peer_name.empty() ? cable.peer_name : cable.peer_id;
    if (guid && guid->value() == 0) {
      builder_.report({model::AnomalyKind::kZeroGuid, cable.from,
                       fmt::format("{} leads to a node whose GUID is 0", to_string(cable.from)),
                       position(cable.line)});
    }
    builder_.connect_unresolved(cable.from, guid, cable.peer_port, std::string(name));
    return;
  }
  const PortKey peer{*guid, cable.peer_port};
  builder_.connect(cable.from, peer, position(cable.line));
  if (builder_.port(peer) != nullptr) state_peer_end(cable, peer);
}

/// The block of the peer may lack the line for this cable (excerpts, netlists): then the one from
/// this side describes both ends.
void TopologyDraft::state_peer_end(const CableLine& cable, PortKey peer) {
  NodeLines& node = nodes_.at(peer.node);
  const bool is_switch = node.kind == NodeKind::kSwitch;
  if (stated_.emplace(peer, PortLines{&cable, false}).second) {
    Port port;
    port.number = peer.port;
    port.rate = cable.rate;
    port.physical_state = model::PhysicalState::kLinkUp;
    if (!is_switch) {
      port.guid = cable.peer_guid;
      port.lid = cable.peer_lid;
    }
    builder_.set_port(peer.node, std::move(port), position(cable.line));
  } else {
    compare_ends(cable, peer, *builder_.port(peer));
  }
  if (!is_switch || !cable.peer_lid) return;

  const PortKey management{peer.node, PortNum{}};
  Port port = *builder_.port(management);
  if (!port.lid) {
    port.lid = cable.peer_lid;
    node.lid_line = cable.line;
    builder_.set_port(peer.node, std::move(port), position(cable.line));
  } else if (*port.lid != *cable.peer_lid) {
    disagree(cable, management, fmt::format("LID {} or {}", *port.lid, *cable.peer_lid));
  }
}

void TopologyDraft::compare_ends(const CableLine& cable, PortKey peer, const Port& stated) {
  if (cable.peer_lid && stated.lid && *cable.peer_lid != *stated.lid) {
    disagree(cable, peer, fmt::format("LID {} or {}", *stated.lid, *cable.peer_lid));
  } else if (cable.peer_guid && stated.guid && *cable.peer_guid != *stated.guid) {
    disagree(cable, peer, fmt::format("port GUID {} or {}", *stated.guid, *cable.peer_guid));
  } else if (cable.from < peer && known(cable.rate) && known(stated.rate) &&
             cable.rate != stated.rate) {
    disagree(cable, peer,
             fmt::format("rate {} or {}", to_string(stated.rate), to_string(cable.rate)));
  }
}

std::optional<PortKey> TopologyDraft::peer_port_of(const CableLine& cable) const {
  const std::optional<NodeGuid> guid = peer_of(cable);
  if (!guid || !builder_.has_node(*guid)) return std::nullopt;
  const PortKey peer{*guid, cable.peer_port};
  return builder_.port(peer) == nullptr ? std::nullopt : std::optional(peer);
}

/// A text that names most cables from one end only, as netlists by hand do, means both by it. In
/// any other the end that is silent has no cable there, or its line is lost. A port that is listed
/// without a cable is not silent: it has none.
void TopologyDraft::report_one_way() {
  const auto report = [this](const CableLine& cable, PortKey peer, std::string why) {
    builder_.report(
        {model::AnomalyKind::kOneWayCable, cable.from,
         fmt::format("a cable from {} to {}, {}", to_string(cable.from), to_string(peer), why),
         position(cable.line)});
  };
  std::size_t from_both_ends = 0;  // cables, each counted twice
  std::vector<const CableLine*> one_way;
  for (const CableLine& cable : cables_) {
    if (builder_.port(cable.from) == nullptr) continue;  // out of range: joined to nothing
    const std::optional<PortKey> peer = peer_port_of(cable);
    if (!peer || stated_.at(cable.from).line != &cable) continue;  // not there, or a second cable
    if (stated_.at(*peer).own) {
      ++from_both_ends;
    } else if (const auto bare = bare_.find(*peer); bare != bare_.end()) {
      report(cable, *peer, fmt::format("which has none by line {}", bare->second));
    } else {
      one_way.push_back(&cable);
    }
  }
  if (one_way.size() > from_both_ends / 2) return;
  for (const CableLine* const cable : one_way) {
    report(*cable, *peer_port_of(*cable), "which has no line for it");
  }
}

/// Once a port, or a switch would be reported by each of its neighbours.
void TopologyDraft::disagree(const CableLine& cable, PortKey peer, std::string what) {
  if (!in_dispute_.insert(peer).second) return;
  builder_.report({model::AnomalyKind::kEndsDisagree, peer,
                   fmt::format("{} has {}: its own line and the one of {} disagree",
                               to_string(peer), what, to_string(cable.from)),
                   position(cable.line)});
}

}  // namespace heddle::discovery
