#include "model/fabric_builder.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "model/fabric_storage.hpp"

namespace heddle::model {
namespace {

std::string label(const Node& node) {
  return fmt::format("{} \"{}\"", node.guid, printable(node.description));
}

}  // namespace

FabricBuilder::FabricBuilder(std::string fabric_name) : name_(std::move(fabric_name)) {}

void FabricBuilder::note(AnomalyKind kind, PortKey where, std::string text,
                         std::optional<SourcePosition> position) {
  anomalies_.push_back({kind, where, std::move(text), std::move(position)});
}

const FabricBuilder::Draft* FabricBuilder::draft(NodeGuid guid) const noexcept {
  const auto found = by_guid_.find(guid);
  return found == by_guid_.end() ? nullptr : &drafts_[found->second];
}

bool FabricBuilder::has_node(NodeGuid guid) const noexcept { return by_guid_.contains(guid); }

bool FabricBuilder::add_node(Node node, std::optional<SourcePosition> where) {
  if (const Draft* const known = draft(node.guid)) {
    note(AnomalyKind::kDuplicateNodeGuid, {node.guid, PortNum{}},
         fmt::format("GUID {} belongs to \"{}\" and to \"{}\"", node.guid,
                     printable(known->node.description), printable(node.description)),
         std::move(where));
    return false;
  }
  if (node.guid.value() == 0) {
    note(AnomalyKind::kZeroGuid, {node.guid, PortNum{}},
         fmt::format("the GUID of \"{}\" is 0", printable(node.description)), std::move(where));
  }
  const std::uint32_t lowest = storage::lowest_port(node.kind);
  std::vector<Port> ports(node.port_count + 1U - lowest);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports[i].number = PortNum{static_cast<std::uint8_t>(i + lowest)};
  }
  by_guid_.emplace(node.guid, drafts_.size());
  drafts_.push_back({std::move(node), std::move(ports)});
  return true;
}

bool FabricBuilder::set_port(NodeGuid node, Port port, std::optional<SourcePosition> where) {
  const auto found = by_guid_.find(node);
  if (found != by_guid_.end()) {
    Draft& known = drafts_[found->second];
    const std::uint32_t lowest = storage::lowest_port(known.node.kind);
    if (port.number.value() >= lowest && port.number.value() <= known.node.port_count) {
      const std::size_t at = port.number.value() - lowest;
      known.ports[at] = std::move(port);
      return true;
    }
  }
  note(AnomalyKind::kPortOutOfRange, {node, port.number},
       fmt::format("there is no port {} on {}", port.number, node), std::move(where));
  return false;
}

const Port* FabricBuilder::port(PortKey key) const noexcept {
  const Draft* const known = draft(key.node);
  if (known == nullptr) return nullptr;
  const std::uint32_t lowest = storage::lowest_port(known->node.kind);
  if (key.port.value() < lowest || key.port.value() > known->node.port_count) return nullptr;
  return &known->ports[key.port.value() - lowest];
}

void FabricBuilder::connect(PortKey a, PortKey b, std::optional<SourcePosition> where) {
  if (b < a) std::swap(a, b);
  cables_.push_back({a, b, std::move(where)});
}

void FabricBuilder::connect_unresolved(PortKey port, std::optional<NodeGuid> peer,
                                       std::optional<PortNum> peer_port, std::string description) {
  loose_.push_back({port, peer, peer_port, std::move(description)});
}

void FabricBuilder::freeze_nodes(Fabric& fabric) {
  std::ranges::sort(drafts_, {}, [](const Draft& d) { return d.node.guid; });
  by_guid_.clear();
  fabric.nodes_.reserve(drafts_.size());
  fabric.first_port_.reserve(drafts_.size() + 1);
  for (Draft& draft : drafts_) {
    const NodeIndex index{static_cast<std::uint32_t>(fabric.nodes_.size())};
    fabric.first_port_.push_back(static_cast<std::uint32_t>(fabric.ports_.size()));
    for (Port& port : draft.ports) {
      port.node = index;
      fabric.ports_.push_back(std::move(port));
    }
    if (draft.node.kind == NodeKind::kSwitch) {
      fabric.switch_of_node_.push_back(static_cast<std::uint32_t>(fabric.switches_.size()));
      fabric.switches_.push_back(index);
    } else {
      fabric.switch_of_node_.push_back(storage::kNone);
    }
    fabric.nodes_.push_back(std::move(draft.node));
  }
  fabric.first_port_.push_back(static_cast<std::uint32_t>(fabric.ports_.size()));
  drafts_.clear();
}

void FabricBuilder::freeze_links(Fabric& fabric) {
  std::ranges::stable_sort(cables_, {}, [](const Cable& c) { return std::pair(c.a, c.b); });
  fabric.link_of_port_.assign(fabric.ports_.size(), storage::kNone);
  const Cable* previous = nullptr;
  for (Cable& cable : cables_) {
    if (previous != nullptr && previous->a == cable.a && previous->b == cable.b) continue;
    previous = &cable;
    const std::optional<PortIndex> a = fabric.find_port(cable.a);
    const std::optional<PortIndex> b = fabric.find_port(cable.b);
    if (!a || !b) {
      const bool a_known = fabric.find_node(cable.a.node).has_value();
      const bool b_known = fabric.find_node(cable.b.node).has_value();
      if ((a_known && !a) || (b_known && !b)) {
        const PortKey missing = a_known && !a ? cable.a : cable.b;
        note(AnomalyKind::kPortOutOfRange, missing,
             fmt::format("a cable ends at port {} of {}, which has no such port", missing.port,
                         label(fabric.node(*fabric.find_node(missing.node)))),
             std::move(cable.where));
      }
      if (a) loose_.push_back({cable.a, cable.b.node, cable.b.port, {}});
      if (b) loose_.push_back({cable.b, cable.a.node, cable.a.port, {}});
      continue;
    }
    const bool a_taken = fabric.link_of_port_[a->value()] != storage::kNone;
    if (a == b || a_taken || fabric.link_of_port_[b->value()] != storage::kNone) {
      const PortKey twice = a_taken || a == b ? cable.a : cable.b;
      note(AnomalyKind::kPortCabledTwice, twice,
           fmt::format("a cable from {} to {}, but port {} of {} has another peer already",
                       to_string(cable.a), to_string(cable.b), twice.port,
                       label(fabric.node(*fabric.find_node(twice.node)))),
           std::move(cable.where));
      continue;
    }
    const auto index = static_cast<std::uint32_t>(fabric.links_.size());
    fabric.link_of_port_[a->value()] = index;
    fabric.link_of_port_[b->value()] = index;
    fabric.links_.push_back({*a, *b});
  }
  cables_.clear();
}

void FabricBuilder::freeze_unresolved(Fabric& fabric) {
  for (Loose& loose : loose_) {
    const std::optional<PortIndex> port = fabric.find_port(loose.port);
    if (!port || fabric.link_of(*port)) continue;
    fabric.unresolved_.push_back(
        {*port, loose.peer, loose.peer_port, std::move(loose.description)});
  }
  // The fuller statement of two on one port wins: one that was made with a description comes first.
  std::ranges::stable_sort(fabric.unresolved_, {}, [](const UnresolvedPeer& u) {
    return std::pair(u.port, u.description.empty());
  });
  // Not the ranges form: its subrange does not compile with clang 14, which lint and fuzzing use.
  const auto repeated = std::unique(
      fabric.unresolved_.begin(), fabric.unresolved_.end(),
      [](const UnresolvedPeer& a, const UnresolvedPeer& b) { return a.port == b.port; });
  fabric.unresolved_.erase(repeated, fabric.unresolved_.end());
  loose_.clear();
}

void FabricBuilder::index_lids(Fabric& fabric) {
  for (std::size_t i = 0; i < fabric.ports_.size(); ++i) {
    const Port& port = fabric.ports_[i];
    if (!port.lid) continue;
    const PortKey key = fabric.key(PortIndex{static_cast<std::uint32_t>(i)});
    const std::uint32_t size = 1U << std::min<std::uint32_t>(port.lmc, 7U);
    const std::uint32_t first = port.lid->value();
    const bool within = is_unicast(*port.lid) && first + size - 1 <= kMaxUnicastLid.value();
    if (!within || first % size != 0) {
      const std::string why = within ? fmt::format("no multiple of {}", size)
                                     : fmt::format("not within 1..{}", kMaxUnicastLid);
      note(AnomalyKind::kBadLidRange, key,
           fmt::format("LID {} with LMC {} is {}, at port {} of {}", first, port.lmc, why, key.port,
                       label(fabric.node(port.node))),
           std::nullopt);
    }
    if (!is_unicast(*port.lid)) continue;
    const std::uint32_t end =
        std::min<std::uint32_t>(first + size, kMaxUnicastLid.value() + std::uint32_t{1});
    if (fabric.port_of_lid_.size() < end) fabric.port_of_lid_.resize(end, storage::kNone);
    for (std::uint32_t lid = first; lid < end;) {
      const std::uint32_t owner = fabric.port_of_lid_[lid];
      if (owner == storage::kNone) {
        fabric.port_of_lid_[lid++] = static_cast<std::uint32_t>(i);
        continue;
      }
      const std::uint32_t taken = lid;
      while (lid < end && fabric.port_of_lid_[lid] == owner) ++lid;
      const std::string lids = lid == taken + 1
                                   ? fmt::format("LID {} belongs", taken)
                                   : fmt::format("LIDs {} to {} belong", taken, lid - 1);
      note(AnomalyKind::kDuplicateLid, key,
           fmt::format("{} to {} and to {}", lids, label(fabric.node(fabric.ports_[owner].node)),
                       label(fabric.node(port.node))),
           std::nullopt);
    }
  }
}

void FabricBuilder::check_port_guids(const Fabric& fabric) {
  std::vector<std::pair<PortGuid, PortIndex>> guids;
  for (std::size_t i = 0; i < fabric.ports_.size(); ++i) {
    const std::optional<PortGuid> guid = fabric.ports_[i].guid;
    if (!guid) continue;
    const PortIndex index{static_cast<std::uint32_t>(i)};
    if (guid->value() != 0) {
      guids.emplace_back(*guid, index);
      continue;
    }
    note(AnomalyKind::kZeroGuid, fabric.key(index),
         fmt::format("the GUID of port {} of {} is 0", fabric.ports_[i].number,
                     label(fabric.node(fabric.ports_[i].node))),
         std::nullopt);
  }
  std::ranges::sort(guids);
  for (std::size_t i = 1; i < guids.size(); ++i) {
    if (guids[i].first != guids[i - 1].first) continue;
    note(AnomalyKind::kDuplicatePortGuid, fabric.key(guids[i].second),
         fmt::format("port GUID {} belongs to {} and to {}", guids[i].first,
                     label(fabric.node(fabric.port(guids[i - 1].second).node)),
                     label(fabric.node(fabric.port(guids[i].second).node))),
         std::nullopt);
  }
}

Fabric FabricBuilder::build(const PlaceOf& place_of) && {
  Fabric fabric;
  fabric.name_ = std::move(name_);
  freeze_nodes(fabric);
  freeze_links(fabric);
  freeze_unresolved(fabric);
  index_lids(fabric);
  check_port_guids(fabric);
  for (Anomaly& anomaly : anomalies_) {
    if (place_of && !anomaly.position) anomaly.position = place_of(anomaly.where);
  }
  std::ranges::stable_sort(anomalies_, {},
                           [](const Anomaly& a) { return std::tuple(a.kind, a.where); });
  fabric.anomalies_ = std::move(anomalies_);
  return fabric;
}

}  // namespace heddle::model
