#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "discovery/topology_text.hpp"

namespace heddle::discovery {

using model::Fabric;
using model::Lid;
using model::LinkRate;
using model::LinkSpeed;
using model::LinkWidth;
using model::Node;
using model::NodeIndex;
using model::NodeKind;
using model::Port;
using model::PortIndex;
using model::PortNum;

namespace {

/// ibsim reads lines into 256 bytes and names end at the first quote there; a name of 64 bytes, the
/// most that NodeDescription holds, leaves room. Line ends and other control characters cannot
/// stand in a line.
std::string one_line(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  return out;
}

char letter_of(NodeKind kind) noexcept {
  switch (kind) {
    case NodeKind::kSwitch:
      return 'S';
    case NodeKind::kHostAdapter:
    case NodeKind::kAggregationNode:
      return 'H';
    case NodeKind::kRouter:
      return 'R';
    case NodeKind::kUnknown:
      return '?';
  }
  return '?';
}

std::string_view keyword_of(NodeKind kind) noexcept {
  switch (letter_of(kind)) {
    case 'S':
      return "Switch";
    case 'H':
      return "Ca";
    case 'R':
      return "Rt";
    default:
      return "???";
  }
}

std::string_view guid_key_of(NodeKind kind) noexcept {
  switch (letter_of(kind)) {
    case 'S':
      return "switchguid";
    case 'H':
      return "caguid";
    case 'R':
      return "rtguid";
    default:
      return "???guid";
  }
}

std::uint32_t printed(const std::optional<Lid>& lid) noexcept { return lid ? lid->value() : 0U; }

/// Unknown halves as ibnetdiscover prints them.
std::string printed(LinkRate rate) {
  return fmt::format("{}{}", rate.width == LinkWidth::kUnknown ? "??" : to_string(rate.width),
                     rate.speed == LinkSpeed::kUnknown ? "???" : to_string(rate.speed));
}

class Formatter {
 public:
  explicit Formatter(const Fabric& fabric) : fabric_(fabric) {
    for (const model::UnresolvedPeer& peer : fabric.unresolved()) {
      unresolved_.emplace(peer.port.value(), &peer);
    }
  }

  std::string format() {
    out_ = "#\n# Topology file: written by heddle\n#\n";
    constexpr std::array<NodeKind, 5> kOrder{NodeKind::kSwitch, NodeKind::kHostAdapter,
                                             NodeKind::kAggregationNode, NodeKind::kRouter,
                                             NodeKind::kUnknown};
    for (const NodeKind kind : kOrder) {
      for (std::uint32_t i = 0; i < fabric_.nodes().size(); ++i) {
        if (fabric_.node(NodeIndex{i}).kind == kind) add_node(NodeIndex{i});
      }
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void add_node(NodeIndex index) {
    const Node& node = fabric_.node(index);
    add("\nvendid={:#x}\ndevid={:#x}\n", node.vendor_id.value_or(0), node.device_id);
    if (node.system_guid) add("sysimgguid={:#x}\n", node.system_guid->value());
    add("{}={:#x}", guid_key_of(node.kind), node.guid.value());
    const bool is_switch = node.kind == NodeKind::kSwitch;
    const std::optional<PortIndex> management = fabric_.find_port(index, PortNum{});
    if (is_switch && fabric_.port(*management).guid) {
      add("({:x})", fabric_.port(*management).guid->value());
    }
    add("\n{}\t{} \"{}-{:016x}\"\t\t# \"{}\"", keyword_of(node.kind), node.port_count,
        letter_of(node.kind), node.guid.value(), one_line(node.description));
    if (is_switch) {
      const Port& port = fabric_.port(*management);
      add(" enhanced port 0 lid {} lmc {}", printed(port.lid), port.lmc);
    }
    out_ += '\n';
    const std::uint32_t first = fabric_.first_port(index).value();
    for (std::uint32_t i = 0; i < fabric_.ports_of(index).size(); ++i) {
      const PortIndex port{first + i};
      if (fabric_.port(port).number.value() != 0) add_port(node, port);
    }
  }

  void add_port(const Node& node, PortIndex index) {
    const std::optional<PortIndex> peer_index = fabric_.peer(index);
    if (peer_index) {
      const Port& peer = fabric_.port(*peer_index);
      const Node& peer_node = fabric_.node(peer.node);
      begin_port(node, index);
      add("\"{}-{:016x}\"[{}]", letter_of(peer_node.kind), peer_node.guid.value(), peer.number);
      if (peer_node.kind != NodeKind::kSwitch && peer.guid) add("({:x}) ", peer.guid->value());
      end_port(node, index, peer_node.description, fabric_.management_lid(*peer_index));
      return;
    }
    const auto found = unresolved_.find(index.value());
    if (found == unresolved_.end()) return;
    const model::UnresolvedPeer& peer = *found->second;
    if (!peer.peer || !peer.peer_port) {
      // The form has no way to say it; a comment does not stop ibsim.
      add("# [{}] is cabled to \"{}\", which did not tell its GUID or port\n",
          fabric_.port(index).number, one_line(peer.description));
      return;
    }
    begin_port(node, index);
    add("\"?-{:016x}\"[{}]", peer.peer->value(), *peer.peer_port);
    end_port(node, index, peer.description, std::nullopt);
  }

  void begin_port(const Node& node, PortIndex index) {
    const Port& port = fabric_.port(index);
    add("[{}]", port.number);
    if (node.kind != NodeKind::kSwitch && port.guid) add("({:x}) ", port.guid->value());
    out_ += '\t';
  }

  void end_port(const Node& node, PortIndex index, std::string_view peer_name,
                std::optional<Lid> peer_lid) {
    const Port& port = fabric_.port(index);
    out_ += "\t\t# ";
    if (node.kind != NodeKind::kSwitch) add("lid {} lmc {} ", printed(port.lid), port.lmc);
    add("\"{}\" lid {} {}\n", one_line(peer_name), printed(peer_lid), printed(port.rate));
  }

  const Fabric& fabric_;
  std::unordered_map<std::uint32_t, const model::UnresolvedPeer*> unresolved_;
  std::string out_;
};

}  // namespace

std::string format_topology(const Fabric& fabric) { return Formatter(fabric).format(); }

}  // namespace heddle::discovery
