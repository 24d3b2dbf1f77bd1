#include "discovery/topology_port_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "discovery/line_scanner.hpp"
#include "discovery/topology_comment.hpp"
#include "mad/smp.hpp"

namespace heddle::discovery {

using model::Errc;
using model::fail;
using model::NodeGuid;
using model::PortGuid;
using model::PortNum;
using model::Result;
using model::Status;

namespace {

struct PortEnd {
  std::string_view type;  ///< SW, CA, RT, ??
  std::optional<model::Lid> lid;
  PortNum number;
  PortGuid guid;
  bool operator==(const PortEnd&) const = default;
};

struct PortLine {
  PortEnd own;
  model::LinkRate rate;
  std::optional<PortEnd> peer;
  std::string_view name;  ///< of the node; both names with what is between them, if there is a peer
  std::uint32_t line = 0;
};

constexpr std::string_view kBetweenNames = "' - '";

std::optional<mad::NodeType> node_type_of(std::string_view type) noexcept {
  if (type == "SW") return mad::NodeType::kSwitch;
  if (type == "CA") return mad::NodeType::kChannelAdapter;
  if (type == "RT") return mad::NodeType::kRouter;
  if (type == "??") return mad::NodeType::kUnknown;
  return std::nullopt;
}

Result<PortEnd> take_end(LineScanner& in) {
  const LineScanner begin = in;
  PortEnd end;
  end.type = in.word();
  in.skip_blanks();
  const std::optional<std::uint64_t> lid = in.decimal(0xFFFF);
  in.skip_blanks();
  const std::optional<std::uint64_t> number = in.decimal(254);
  in.skip_blanks();
  const std::optional<std::uint64_t> guid = in.hexadecimal();
  if (!node_type_of(end.type) || !lid || !may_be_lid(*lid) || !number || *number == 0 || !guid) {
    return fail(Errc::kInvalidInput, expected_at(begin, "a port: type, LID, number and GUID"));
  }
  end.lid = printed_lid(*lid);
  end.number = PortNum{static_cast<std::uint8_t>(*number)};
  end.guid = PortGuid{*guid};
  in.skip_blanks();
  return end;
}

Result<PortLine> parse_port_line(std::string_view text, std::uint32_t line) {
  LineScanner in(text);
  in.skip_blanks();
  const Result<PortEnd> own = take_end(in);
  if (!own) return fail(own.error());
  PortLine port{*own, {}, std::nullopt, {}, line};
  const std::string_view width = in.word();
  in.skip_blanks();
  const std::string_view speed = in.word();
  port.rate = {model::parse_link_width(width), model::parse_link_speed(speed)};
  in.skip_blanks();
  if (in.accept("- ")) {
    in.skip_blanks();
    const Result<PortEnd> peer = take_end(in);
    if (!peer) return fail(peer.error());
    port.peer = *peer;
    const std::string_view rest = in.rest();
    if (!rest.starts_with("( '") || !rest.ends_with("' )") || rest.size() < 6 ||
        rest.find(kBetweenNames) == std::string_view::npos) {
      return fail(Errc::kInvalidInput, expected_at(in, "the names of both ends: ( 'a' - 'b' )"));
    }
    port.name = rest.substr(3, rest.size() - 6);
    return port;
  }
  const std::string_view rest = in.rest();
  if (rest.size() < 2 || !rest.starts_with('\'') || !rest.ends_with('\'')) {
    return fail(Errc::kInvalidInput, expected_at(in, "a peer, or the name of the node in quotes"));
  }
  port.name = rest.substr(1, rest.size() - 2);
  return port;
}

/// Names may hold `' - '` themselves. Where a line can be cut in one way only the names are sure;
/// the others are cut such that they fit a sure name of either end.
class Names {
 public:
  explicit Names(const std::vector<PortLine>& lines) {
    for (const PortLine& line : lines) {
      if (!line.peer) {
        sure_.emplace(line.own.guid, line.name);
        continue;
      }
      const std::size_t cut = line.name.find(kBetweenNames);
      if (cut != line.name.rfind(kBetweenNames)) continue;
      sure_.emplace(line.own.guid, line.name.substr(0, cut));
      sure_.emplace(line.peer->guid, line.name.substr(cut + kBetweenNames.size()));
    }
  }

  [[nodiscard]] std::pair<std::string_view, std::string_view> of(const PortLine& line) const {
    if (!line.peer) return {line.name, {}};
    const std::size_t first = line.name.find(kBetweenNames);
    for (std::size_t cut = first; cut != std::string_view::npos;
         cut = line.name.find(kBetweenNames, cut + 1)) {
      const auto names = split(line.name, cut);
      if (is_sure(line.own.guid, names.first) || is_sure(line.peer->guid, names.second)) {
        return names;
      }
    }
    return split(line.name, first);
  }

 private:
  static std::pair<std::string_view, std::string_view> split(std::string_view both,
                                                             std::size_t cut) {
    return {both.substr(0, cut), both.substr(cut + kBetweenNames.size())};
  }
  [[nodiscard]] bool is_sure(PortGuid guid, std::string_view name) const {
    const auto found = sure_.find(guid);
    return found != sure_.end() && found->second == name;
  }
  std::unordered_map<PortGuid, std::string_view> sure_;
};

/// The node that a line belongs to.
struct Owner {
  NodeGuid guid;
  std::string_view type;
  std::string_view name;
  std::optional<model::Lid> switch_lid;
  std::uint8_t port_count = 0;
  std::uint32_t line = 0;
};

class PortListReader {
 public:
  PortListReader(std::vector<PortLine> lines, TopologyDraft& draft)
      : lines_(std::move(lines)), names_(lines_), draft_(draft) {}

  void read() {
    for (std::size_t begin = 0; begin < lines_.size();) {
      const std::size_t end = end_of_node(begin);
      own(begin, end);
      begin = end;
    }
    for (const auto& [guid, owner] : owners_) add_node(owner);
    for (const Owner& owner : repeated_) add_node(owner);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].peer && node_of_line_[i]) add_cable(lines_[i], *node_of_line_[i]);
    }
  }

 private:
  /// One past the last line that continues the node of line `begin`.
  [[nodiscard]] std::size_t end_of_node(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < lines_.size() && continues(lines_[end - 1], lines_[end])) ++end;
    return end;
  }

  [[nodiscard]] bool continues(const PortLine& above, const PortLine& line) const {
    const PortEnd& upper = above.own;
    const PortEnd& lower = line.own;
    if (upper.type != lower.type || upper.number <= lower.number) return false;
    if (lower.type == "SW") return upper.guid == lower.guid;
    const auto step = static_cast<std::uint64_t>(upper.number.value() - lower.number.value());
    return upper.guid.value() - lower.guid.value() == step &&
           names_.of(above).first == names_.of(line).first;
  }

  /// A switch may be listed in several places; an adapter that comes again is another one with the
  /// same GUID, and is kept out.
  void own(std::size_t begin, std::size_t end) {
    const PortLine& first = lines_[begin];
    const NodeGuid guid{lines_[end - 1].own.guid.value()};
    const bool is_switch = first.own.type == "SW";
    const Owner owner{guid,
                      first.own.type,
                      names_.of(first).first,
                      is_switch ? first.own.lid : std::nullopt,
                      first.own.number.value(),
                      first.line};
    const auto [known, added] = owners_.try_emplace(guid, owner);
    const bool mine = added || (is_switch && known->second.type == owner.type);
    if (mine) {
      known->second.port_count = std::max(known->second.port_count, owner.port_count);
    } else {
      repeated_.push_back(owner);
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (mine) node_of_port_.emplace(lines_[i].own.guid, guid);
      node_of_line_.push_back(mine ? std::optional(guid) : std::nullopt);
    }
  }

  void add_node(const Owner& owner) {
    mad::NodeInfo info;
    info.node_type = *node_type_of(owner.type);
    model::Node node;
    node.guid = owner.guid;
    node.port_count = owner.port_count;
    node.description = std::string(owner.name);
    node.kind = mad::kind_of(info, owner.name);
    const bool is_switch = node.kind == model::NodeKind::kSwitch;
    if (!draft_.add_node({}, std::move(node), owner.line) || !is_switch) return;
    model::Port port;
    port.guid = PortGuid{owner.guid.value()};
    port.lid = owner.switch_lid;
    draft_.set_management_port(owner.guid, std::move(port), owner.line);
  }

  void add_cable(const PortLine& line, NodeGuid node) {
    CableLine cable;
    cable.line = line.line;
    cable.from = {node, line.own.number};
    cable.rate = line.rate;
    if (line.own.type != "SW") {
      cable.from_guid = line.own.guid;
      cable.from_lid = line.own.lid;
    }
    const auto known = node_of_port_.find(line.peer->guid);
    cable.peer_node =
        known != node_of_port_.end() ? known->second : NodeGuid{line.peer->guid.value()};
    cable.peer_port = line.peer->number;
    if (line.peer->type != "SW") cable.peer_guid = line.peer->guid;
    cable.peer_lid = line.peer->lid;
    cable.peer_name = names_.of(line).second;
    draft_.add_cable(cable);
  }

  std::vector<PortLine> lines_;
  Names names_;
  TopologyDraft& draft_;
  std::map<NodeGuid, Owner> owners_;
  std::vector<Owner> repeated_;
  std::unordered_map<PortGuid, NodeGuid> node_of_port_;
  std::vector<std::optional<NodeGuid>> node_of_line_;
};

}  // namespace

bool is_port_list_line(std::string_view line) noexcept {
  LineScanner in(line);
  in.skip_blanks();
  return node_type_of(in.word()).has_value();
}

Status parse_port_list(std::string_view text, TopologyDraft& draft) {
  std::vector<PortLine> ports;
  LineReader lines(text);
  while (const std::optional<std::string_view> line = lines.next()) {
    LineScanner in(*line);
    in.skip_blanks();
    if (in.at_end() || in.starts_with("#")) continue;
    Result<PortLine> port = parse_port_line(*line, lines.number());
    if (!port) {
      return fail(Errc::kInvalidInput, port.error().text, draft.position(lines.number()));
    }
    ports.push_back(*port);
  }
  PortListReader(std::move(ports), draft).read();
  return {};
}

}  // namespace heddle::discovery
