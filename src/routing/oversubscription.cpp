#include "routing/oversubscription.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/fabric_builder.hpp"
#include "model/fabric_summary.hpp"
#include "routing/columns.hpp"

namespace heddle::routing {

using model::Errc;
using model::Fabric;
using model::fail;
using model::NodeGuid;
using model::NodeIndex;
using model::PortIndex;
using model::PortKey;
using model::PortNum;
using model::Result;
using model::Status;
using model::SwitchIndex;

namespace {

constexpr unsigned kMostPorts = 254;

std::uint64_t ceiling(std::uint64_t dividend, std::uint64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

/// The middle one, the lower of two; 0 of none.
std::uint64_t median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  const std::size_t middle = (values.size() - 1) / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(middle));
  return values[middle];
}

/// Columns, and parallel cables in each.
struct Width {
  std::uint32_t columns = 0;
  std::uint32_t parallel = 0;
  [[nodiscard]] std::uint32_t uplinks() const noexcept { return columns * parallel; }
};

/// The tree seen from its leaves.
class Tree {
 public:
  Tree(const Fabric& fabric, const Graph& graph, const Structure& structure)
      : fabric_(fabric), graph_(graph), structure_(structure), place_(graph.switch_count()) {
    number_columns();
    measure();
  }

  [[nodiscard]] std::uint8_t level(SwitchIndex sw) const noexcept {
    return structure_.level[sw.value()].value_or(0);
  }
  /// The column of a switch of level 1.
  [[nodiscard]] std::uint32_t place(SwitchIndex sw) const noexcept { return place_[sw.value()]; }
  [[nodiscard]] bool leads_up(const Arc& arc) const noexcept {
    return level(arc.from) < level(arc.to);
  }
  [[nodiscard]] bool is_uplink(const Arc& arc) const noexcept {
    return level(arc.from) == 0 && level(arc.to) == 1;
  }
  /// Which of the cables from a leaf to the same switch, in order of port.
  [[nodiscard]] std::uint32_t parallel(ArcIndex index) const noexcept {
    const Arc& arc = graph_.arc(index);
    std::uint32_t before = 0;
    for (const Arc& other : graph_.arcs_of(arc.from)) {
      before += other.to == arc.to && other.exit < arc.exit ? 1U : 0U;
    }
    return before;
  }
  [[nodiscard]] Width width() const noexcept { return width_; }

  /// Uplinks of a typical leaf that carry 1/ratio of what its hosts can send.
  [[nodiscard]] std::uint64_t wanted_uplinks(std::uint32_t ratio) const {
    std::vector<std::uint64_t> wanted;
    for (const Leaf& leaf : leaves_) {
      wanted.push_back(ceiling(leaf.down, std::uint64_t{ratio} * leaf.uplink));
    }
    return std::max<std::uint64_t>(median(std::move(wanted)), 1);
  }

 private:
  /// In Mb/s, or in cables where a rate is not known.
  struct Leaf {
    std::uint64_t down;
    std::uint64_t uplink;  ///< of one cable
  };

  void number_columns() {
    std::vector<std::uint8_t> level;
    for (const auto& known : structure_.level) level.push_back(known.value_or(0));
    const Columns columns = find_columns(graph_, level);
    std::map<std::optional<std::uint32_t>, std::vector<std::uint32_t>> of_pod;
    for (std::uint32_t s = 0; s < level.size(); ++s) {
      if (level[s] == 1) of_pod[structure_.pod[s]].push_back(s);
    }
    for (auto& [pod, switches] : of_pod) {
      const auto label = [&](std::uint32_t s) { return columns.at(SwitchIndex{s}).label; };
      std::ranges::stable_sort(switches, {}, label);
      // Where all lead to the same switches above, labels do not tell them apart: then their order.
      const bool apart = std::ranges::adjacent_find(switches, {}, label) == switches.end();
      for (std::uint32_t i = 0; i < switches.size(); ++i) {
        place_[switches[i]] = apart ? label(switches[i]) : i;
        width_.columns = std::max(width_.columns, place_[switches[i]] + 1);
      }
    }
  }

  void measure() {
    std::vector<std::uint64_t> parallel;
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
      const SwitchIndex leaf{s};
      if (!structure_.level[s] || level(leaf) != 0) continue;
      std::map<SwitchIndex, std::uint64_t> cables;
      std::vector<std::uint64_t> rates;
      for (const Arc& arc : graph_.arcs_of(leaf)) {
        if (!is_uplink(arc)) continue;
        ++cables[arc.to];
        rates.push_back(megabits(fabric_.find_port(fabric_.node_of(leaf), arc.exit)));
      }
      std::uint64_t down = 0;
      std::uint64_t hosts = 0;
      bool known = std::ranges::find(rates, 0U) == rates.end();
      for (const Terminal& terminal : graph_.terminals_of(leaf)) {
        if (terminal.kind != model::NodeKind::kHostAdapter) continue;
        const std::uint64_t rate = megabits(terminal.port);
        known = known && rate != 0;
        down += rate;
        ++hosts;
      }
      for (const auto& [to, count] : cables) parallel.push_back(count);
      if (hosts == 0 || rates.empty()) continue;
      leaves_.push_back(known ? Leaf{down, median(std::move(rates))} : Leaf{hosts, 1});
    }
    width_.parallel = static_cast<std::uint32_t>(median(std::move(parallel)));
  }

  [[nodiscard]] std::uint64_t megabits(std::optional<PortIndex> port) const {
    const auto link = port ? fabric_.link_of(*port) : std::nullopt;
    const auto rate =
        link ? model::data_rate(model::rate_of(fabric_, fabric_.link(*link))) : std::nullopt;
    return rate ? rate->value() / 1'000'000 : 0;
  }

  const Fabric& fabric_;
  const Graph& graph_;
  const Structure& structure_;
  std::vector<std::uint32_t> place_;  ///< by SwitchIndex, 0 for other levels
  std::vector<Leaf> leaves_;
  Width width_;
};

Width width_for(std::uint64_t uplinks, Width now) {
  if (uplinks > now.uplinks()) {
    return {static_cast<std::uint32_t>(ceiling(uplinks, now.parallel)), now.parallel};
  }
  Width best = now;
  for (std::uint32_t parallel = 1; parallel <= now.parallel; ++parallel) {
    const auto columns = static_cast<std::uint32_t>(ceiling(uplinks, parallel));
    if (columns <= now.columns && columns * parallel < best.uplinks()) best = {columns, parallel};
  }
  return best;
}

/// Builds the fabric anew: what stays first, then copies.
class Rebuilder {
 public:
  Rebuilder(const Fabric& fabric, const Graph& graph, const Structure& structure, const Tree& tree)
      : fabric_(fabric),
        graph_(graph),
        structure_(structure),
        tree_(tree),
        gone_(graph.switch_count()),
        ports_(graph.switch_count()) {
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      ports_[s] = graph.port_count(SwitchIndex{s});
    }
  }

  Status reshape(Width now, Width wanted) {
    result_.uplinks = wanted.uplinks();
    if (Status chosen = choose_gone(wanted); !chosen) return chosen;
    for (std::uint32_t c = now.columns; c < wanted.columns; ++c) {
      if (Status copied = plan_copy(c % now.columns, c / now.columns); !copied) return copied;
    }
    return {};
  }

  Reshaped build(Width wanted) && {
    model::FabricBuilder builder(fabric_.name());
    add_nodes(builder);
    for (const model::Anomaly& anomaly : fabric_.anomalies()) builder.report(anomaly);
    for (const model::Link& link : fabric_.links()) {
      if (stays(link, wanted)) {
        builder.connect(fabric_.key(link.a), fabric_.key(link.b));
      } else {
        ++result_.cables_removed;
        for (const PortIndex end : {link.a, link.b}) unplug(builder, end);
      }
    }
    for (const model::UnresolvedPeer& loose : fabric_.unresolved()) {
      if (is_gone(fabric_.port(loose.port).node)) continue;
      builder.connect_unresolved(fabric_.key(loose.port), loose.peer, loose.peer_port,
                                 loose.description);
    }
    for (const auto& [node, ports] : copies_) builder.add_node(node);
    for (const auto& [node, ports] : copies_) {
      for (const model::Port& port : ports) builder.set_port(node.guid, port);
    }
    for (const auto& [key, port] : new_leaf_ports_) builder.set_port(key.node, port);
    for (const auto& [a, b] : new_cables_) builder.connect(a, b);
    result_.cables_added = new_cables_.size();
    result_.switches_added = copies_.size();
    for (const SwitchIndex root : structure_.roots) {
      if (gone_[root.value()] == 0) result_.roots.push_back(graph_.guid(root));
    }
    result_.fabric = std::move(builder).build();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_gone(NodeIndex node) const {
    if (const auto sw = fabric_.switch_index(node)) return gone_[sw->value()] != 0;
    // What hangs on a switch that goes is no host: see choose_gone().
    const auto ports = fabric_.ports_of(node);
    bool cabled = false;
    for (std::uint32_t i = 0; i < ports.size(); ++i) {
      const auto peer = fabric_.peer(PortIndex{fabric_.first_port(node).value() + i});
      const auto sw = peer ? fabric_.switch_index(fabric_.port(*peer).node) : std::nullopt;
      if (!sw) continue;
      if (gone_[sw->value()] == 0) return false;
      cabled = true;
    }
    return cabled;
  }

  /// Columns beyond those wanted, and above them what has nothing left below.
  Status choose_gone(Width wanted) {
    std::vector<SwitchIndex> upwards;
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
      if (tree_.level(SwitchIndex{s}) != 0) upwards.emplace_back(s);
    }
    std::ranges::stable_sort(upwards, {}, [&](SwitchIndex sw) { return tree_.level(sw); });
    for (const SwitchIndex sw : upwards) {
      bool goes = false;
      if (tree_.level(sw) == 1) {
        goes = tree_.place(sw) >= wanted.columns;
      } else {
        std::size_t below = 0;
        std::size_t left = 0;
        for (const Arc& arc : graph_.arcs_of(sw)) {
          if (tree_.level(arc.to) >= tree_.level(sw)) continue;
          ++below;
          left += gone_[arc.to.value()] == 0 ? 1U : 0U;
        }
        goes = below != 0 && left == 0;
      }
      if (!goes) continue;
      gone_[sw.value()] = 1;
      ++result_.switches_removed;
      for (const Terminal& terminal : graph_.terminals_of(sw)) {
        if (terminal.kind == model::NodeKind::kAggregationNode) continue;
        return fail(
            Errc::kUnsupported,
            fmt::format("{} hangs on {}, which fewer uplinks would take away",
                        describe_end(fabric_, terminal.port), describe_switch(fabric_, sw)));
      }
    }
    return {};
  }

  [[nodiscard]] bool stays(const model::Link& link, Width wanted) const {
    for (const PortIndex end : {link.a, link.b}) {
      if (is_gone(fabric_.port(end).node)) return false;
    }
    for (const PortIndex end : {link.a, link.b}) {
      const auto sw = fabric_.switch_index(fabric_.port(end).node);
      if (!sw) continue;
      const PortTarget target = graph_.target(*sw, fabric_.port(end).number);
      if (target.kind != PortTarget::Kind::kSwitch) continue;
      const ArcIndex arc{target.index};
      if (tree_.is_uplink(graph_.arc(arc)) && tree_.parallel(arc) >= wanted.parallel) return false;
    }
    return true;
  }

  void unplug(model::FabricBuilder& builder, PortIndex end) const {
    if (is_gone(fabric_.port(end).node)) return;
    model::Port port = fabric_.port(end);
    port.state = model::PortState::kDown;
    port.physical_state = model::PhysicalState::kPolling;
    port.rate = {};
    builder.set_port(fabric_.key(end).node, std::move(port));
  }

  void add_nodes(model::FabricBuilder& builder) const {
    for (std::uint32_t n = 0; n < fabric_.nodes().size(); ++n) {
      const NodeIndex index{n};
      if (is_gone(index)) continue;
      model::Node node = fabric_.node(index);
      if (const auto sw = fabric_.switch_index(index)) {
        node.port_count = static_cast<std::uint8_t>(ports_[sw->value()]);
      }
      const NodeGuid guid = node.guid;
      builder.add_node(std::move(node));
      for (const model::Port& port : fabric_.ports_of(index)) builder.set_port(guid, port);
    }
  }

  /// All switches of a column, and what they lead up to.
  [[nodiscard]] std::vector<SwitchIndex> column(std::uint32_t place) const {
    std::vector<SwitchIndex> members;
    std::vector<std::uint8_t> seen(graph_.switch_count());
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
      if (tree_.level(SwitchIndex{s}) != 1 || tree_.place(SwitchIndex{s}) != place) continue;
      seen[s] = 1;
      members.emplace_back(s);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const Arc& arc : graph_.arcs_of(members[i])) {
        if (!tree_.leads_up(arc) || seen[arc.to.value()] != 0) continue;
        seen[arc.to.value()] = 1;
        members.push_back(arc.to);
      }
    }
    return members;
  }

  Status plan_copy(std::uint32_t place, std::uint32_t generation) {
    std::map<SwitchIndex, NodeGuid> twin;
    for (const SwitchIndex sw : column(place)) {
      const Result<NodeGuid> guid = next_guid();
      if (!guid) return fail(guid.error());
      twin.emplace(sw, *guid);
      add_copy(sw, *guid, generation);
    }
    for (const auto& [sw, guid] : twin) {
      for (std::uint32_t i = 0; i < graph_.arcs_of(sw).size(); ++i) {
        const Arc& arc = graph_.arcs_of(sw)[i];
        const auto above = twin.find(arc.to);
        if (tree_.leads_up(arc) && above != twin.end()) {
          new_cables_.emplace_back(PortKey{guid, arc.exit}, PortKey{above->second, arc.entry});
        }
        if (!tree_.is_uplink(graph_.arc(arc.reverse))) continue;
        const Result<PortNum> port = add_leaf_port(arc.to, arc.entry);
        if (!port) return fail(port.error());
        new_cables_.emplace_back(PortKey{guid, arc.exit}, PortKey{graph_.guid(arc.to), *port});
      }
    }
    return {};
  }

  void add_copy(SwitchIndex sw, NodeGuid guid, std::uint32_t generation) {
    model::Node node = fabric_.node(fabric_.node_of(sw));
    node.guid = guid;
    node.system_guid.reset();
    node.description += fmt::format(" (copy {})", generation);
    std::vector<model::Port> ports;
    for (model::Port port : fabric_.ports_of(fabric_.node_of(sw))) {
      port.lid.reset();
      port.lmc = 0;
      if (port.guid) port.guid = model::PortGuid{guid.value()};
      ports.push_back(std::move(port));
    }
    copies_.emplace_back(std::move(node), std::move(ports));
    if (std::ranges::find(structure_.roots, sw) != structure_.roots.end()) {
      result_.roots.push_back(guid);
    }
  }

  /// A port like the leaf's port `like`: the lowest that is free, or one more.
  Result<PortNum> add_leaf_port(SwitchIndex leaf, PortNum like) {
    const NodeIndex node = fabric_.node_of(leaf);
    unsigned number = 1;
    const auto is_taken = [&](unsigned candidate) {
      const PortNum port{static_cast<std::uint8_t>(candidate)};
      if (new_leaf_ports_.contains({graph_.guid(leaf), port})) return true;
      const auto index = fabric_.find_port(node, port);
      return index && (fabric_.peer(*index) || is_unresolved(*index));
    };
    while (number <= kMostPorts && is_taken(number)) ++number;
    if (number > kMostPorts) {
      return fail(Errc::kUnsupported, fmt::format("{} would need more than {} ports",
                                                  describe_switch(fabric_, leaf), kMostPorts));
    }
    ports_[leaf.value()] = std::max(ports_[leaf.value()], number);
    model::Port port = fabric_.port(*fabric_.find_port(node, like));
    port.number = PortNum{static_cast<std::uint8_t>(number)};
    new_leaf_ports_.emplace(PortKey{graph_.guid(leaf), port.number}, port);
    return port.number;
  }

  [[nodiscard]] bool is_unresolved(PortIndex port) const {
    return std::ranges::find(fabric_.unresolved(), port, &model::UnresolvedPeer::port) !=
           fabric_.unresolved().end();
  }

  Result<NodeGuid> next_guid() {
    if (last_guid_ == 0) {
      for (const model::Node& node : fabric_.nodes()) {
        last_guid_ = std::max(last_guid_, node.guid.value());
      }
      for (const model::Port& port : fabric_.ports()) {
        if (port.guid) last_guid_ = std::max(last_guid_, port.guid->value());
      }
    }
    if (last_guid_ == std::numeric_limits<std::uint64_t>::max()) {
      return fail(Errc::kUnsupported, "there is no GUID left for a switch more");
    }
    return NodeGuid{++last_guid_};
  }

  const Fabric& fabric_;
  const Graph& graph_;
  const Structure& structure_;
  const Tree& tree_;
  std::vector<std::uint8_t> gone_;  ///< by SwitchIndex
  std::vector<unsigned> ports_;     ///< by SwitchIndex
  std::vector<std::pair<model::Node, std::vector<model::Port>>> copies_;
  std::map<PortKey, model::Port> new_leaf_ports_;
  std::vector<std::pair<PortKey, PortKey>> new_cables_;
  std::uint64_t last_guid_ = 0;
  Reshaped result_;
};

}  // namespace

Result<Reshaped> with_oversubscription(const Fabric& fabric, const Graph& graph,
                                       const Structure& structure, std::uint32_t ratio) {
  if (ratio == 0) return fail(Errc::kInvalidInput, "an oversubscription of 0:1 means nothing");
  if (structure.shape != Shape::kFatTree || structure.levels < 2) {
    return fail(Errc::kUnsupported,
                fmt::format("another oversubscription can be tried on a fat tree of two levels or "
                            "more, and this fabric is {}, levels: {}",
                            to_string(structure.shape), structure.levels));
  }
  const Tree tree(fabric, graph, structure);
  const Width now = tree.width();
  if (now.uplinks() == 0) {
    return fail(Errc::kUnsupported, "no leaf has a cable to a switch above it");
  }
  const Width wanted = width_for(tree.wanted_uplinks(ratio), now);
  Rebuilder rebuilder(fabric, graph, structure, tree);
  if (const Status done = rebuilder.reshape(now, wanted); !done) return fail(done.error());
  return std::move(rebuilder).build(wanted);
}

}  // namespace heddle::routing
