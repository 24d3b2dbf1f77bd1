#include "discovery/walk_assembly.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/fabric_builder.hpp"

namespace heddle::discovery {
namespace {

using model::NodeIndex;
using model::PortIndex;
using model::PortKey;
using Beyond = SeenPort::Beyond;
using Info = SeenPort::Info;

template <class T>
std::optional<T> unless_zero(T value) {
  return value == T{} ? std::nullopt : std::optional(value);
}

/// Adds what the walk saw, then what the previous snapshot knew behind silence.
class Assembly {
 public:
  Assembly(const WalkRecord& walk, const model::Fabric* previous, const std::string& fabric_name,
           model::SweepReport& report)
      : walk_(walk), previous_(previous), report_(report), builder_(fabric_name) {
    if (previous_ != nullptr) carried_.assign(previous_->nodes().size(), false);
  }

  [[nodiscard]] model::Fabric run() && {
    for (const SeenNode& seen : walk_.nodes) add_node(seen);
    for (const SeenNode& seen : walk_.nodes) add_ports(seen);
    std::vector<Impostor> impostors = walk_.impostors;
    std::ranges::sort(impostors, {}, &Impostor::behind);
    for (Impostor& impostor : impostors) {
      builder_.add_node(node_of(impostor.info, std::move(impostor.description)));
    }
    for (const SeenNode& seen : walk_.nodes) report_silence(seen);
    while (!to_carry_.empty()) {
      const NodeIndex node = to_carry_.front();
      to_carry_.pop_front();
      carry_cables(node);
    }
    std::ranges::sort(report_.mute, {}, &model::SweepReport::Mute::behind);
    return std::move(builder_).build();
  }

 private:
  static model::Node node_of(const mad::NodeInfo& info, std::string description) {
    const model::NodeKind kind = mad::kind_of(info, description);
    // Devices put 0 for what they do not have.
    return {.guid = info.node_guid,
            .system_guid = unless_zero(info.system_guid),
            .kind = kind,
            .vendor_id = unless_zero(info.vendor_id),
            .device_id = info.device_id,
            .port_count = info.port_count,
            .description = std::move(description)};
  }

  [[nodiscard]] std::string description_of(const SeenNode& seen) const {
    if (seen.description) return *seen.description;
    if (previous_ == nullptr) return {};
    const auto known = previous_->find_node(seen.info.node_guid);
    return known ? previous_->node(*known).description : std::string{};
  }

  void add_node(const SeenNode& seen) {
    builder_.add_node(node_of(seen.info, description_of(seen)));
  }

  void add_ports(const SeenNode& seen) {
    const model::NodeGuid guid = seen.info.node_guid;
    for (std::size_t number = seen.is_switch() ? 0 : 1; number < seen.ports.size(); ++number) {
      const SeenPort& port = seen.ports[number];
      const PortKey key{guid, port.port.number};
      if (port.info == Info::kAnswered) {
        builder_.set_port(guid, port.port);
      } else {
        add_silent_port(key, port);
      }
      if (port.beyond == Beyond::kPeer) {
        // Said once, by the lower end, unless the other end does not know it.
        const SeenPort* const far = walk_.find(port.peer);
        const bool far_says_it = far != nullptr && far->beyond == Beyond::kPeer && far->peer == key;
        if (!far_says_it || key <= port.peer) builder_.connect(key, port.peer);
      } else if (port.beyond == Beyond::kUnfit) {
        builder_.connect_unresolved(key, port.unfit, std::nullopt, {});
      }
    }
  }

  /// A port without PortInfo: as it was before if it did not answer; unknown if it was not asked
  /// because no cable led there.
  void add_silent_port(PortKey key, const SeenPort& seen) {
    const bool failed = seen.info == Info::kFailed;
    const std::optional<PortIndex> before = failed ? find_previous(key) : std::nullopt;
    model::Port port = before ? previous_->port(*before) : seen.port;
    if (seen.port.guid) port.guid = seen.port.guid;
    builder_.set_port(key.node, std::move(port));
  }

  [[nodiscard]] std::optional<PortIndex> find_previous(PortKey key) const {
    return previous_ == nullptr ? std::nullopt : previous_->find_port(key);
  }

  /// Whether the far side of a port of an answering node is still open, so that what was known
  /// before may stand.
  [[nodiscard]] static bool open(const SeenPort& port) noexcept {
    return port.beyond == Beyond::kMute ||
           (port.beyond == Beyond::kNothing && port.info != Info::kAnswered);
  }

  void report_silence(const SeenNode& seen) {
    for (const SeenPort& port : seen.ports) {
      if (port.beyond != Beyond::kMute && (port.info != Info::kFailed || !open(port))) continue;
      const PortKey key{seen.info.node_guid, port.port.number};
      const std::optional<PortIndex> before = find_previous(key);
      const std::optional<PortIndex> peer = before ? previous_->peer(*before) : std::nullopt;
      if (port.beyond == Beyond::kMute) report_mute(seen, key, peer);
      if (peer) carry(key, *peer);
    }
  }

  void report_mute(const SeenNode& seen, PortKey key, std::optional<PortIndex> peer) {
    const std::string where = fmt::format("port {} of {} \"{}\"", key.port, key.node,
                                          model::printable(description_of(seen)));
    if (!peer) {
      builder_.connect_unresolved(key, std::nullopt, std::nullopt, {});
      report_.mute.push_back({std::nullopt, key, fmt::format("no answer behind {}", where)});
      return;
    }
    const model::Node& node = previous_->node(previous_->port(*peer).node);
    if (walk_.by_guid.contains(node.guid)) {
      report_.mute.push_back(
          {std::nullopt, key,
           fmt::format("no answer through the cable at {}; {} \"{}\", which it led to, answers "
                       "elsewhere",
                       where, node.guid, model::printable(node.description))});
      return;
    }
    report_.mute.push_back({node.guid, key,
                            fmt::format("no answer behind {}, where {} \"{}\" was", where,
                                        node.guid, model::printable(node.description))});
  }

  /// The previous cable from `key` to `peer` stands, and what is behind it.
  void carry(PortKey key, PortIndex peer) {
    const PortKey peer_key = previous_->key(peer);
    if (walk_.by_guid.contains(peer_key.node)) {
      let_stand(key, peer_key);
      return;
    }
    carry_node(previous_->port(peer).node);
  }

  /// A previous cable that ends at `far`, a port of an answering node, unless that port now says
  /// otherwise.
  void let_stand(PortKey near, PortKey far) {
    const SeenPort* const seen = walk_.find(far);
    if (seen == nullptr || !open(*seen)) return;
    const std::optional<PortIndex> before = find_previous(far);
    if (seen->info == Info::kNotAsked && before) {
      builder_.set_port(far.node, previous_->port(*before));
    }
    builder_.connect(near, far);
  }

  void carry_node(NodeIndex node) {
    if (carried_[node.value()]) return;
    carried_[node.value()] = true;
    const model::Node& known = previous_->node(node);
    builder_.add_node(known);
    for (const model::Port& port : previous_->ports_of(node)) builder_.set_port(known.guid, port);
    to_carry_.push_back(node);
  }

  /// Cables of a carried node: to answering ports that are still open, and to what can only be
  /// behind it.
  void carry_cables(NodeIndex node) {
    const PortIndex first = previous_->first_port(node);
    const std::size_t count = previous_->ports_of(node).size();
    for (std::size_t i = 0; i < count; ++i) {
      const PortIndex port{static_cast<std::uint32_t>(first.value() + i)};
      const std::optional<PortIndex> peer = previous_->peer(port);
      if (!peer) continue;
      const PortKey far = previous_->key(*peer);
      if (walk_.by_guid.contains(far.node)) {
        let_stand(previous_->key(port), far);
        continue;
      }
      const NodeIndex next = previous_->port(*peer).node;
      if (!carried_[next.value()] && gone(next)) continue;
      carry_node(next);
      builder_.connect(previous_->key(port), far);
    }
  }

  /// Whether a node had cables to nodes that answer, and none of those is there any more.
  [[nodiscard]] bool gone(NodeIndex node) const {
    bool had_answering_neighbour = false;
    const PortIndex first = previous_->first_port(node);
    const std::size_t count = previous_->ports_of(node).size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto peer = previous_->peer(PortIndex{static_cast<std::uint32_t>(first.value() + i)});
      if (!peer) continue;
      const PortKey far = previous_->key(*peer);
      if (!walk_.by_guid.contains(far.node)) continue;
      const SeenPort* const seen = walk_.find(far);
      if (seen != nullptr && open(*seen)) return false;
      had_answering_neighbour = true;
    }
    return had_answering_neighbour;
  }

  const WalkRecord& walk_;
  const model::Fabric* previous_;
  model::SweepReport& report_;
  model::FabricBuilder builder_;
  std::vector<bool> carried_;  ///< by NodeIndex of previous_
  std::deque<NodeIndex> to_carry_;
};

}  // namespace

model::Fabric assemble(const WalkRecord& walk, const model::Fabric* previous,
                       const std::string& fabric_name, model::SweepReport& report) {
  return Assembly(walk, previous, fabric_name, report).run();
}

}  // namespace heddle::discovery
