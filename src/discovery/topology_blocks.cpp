#include "discovery/topology_blocks.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "discovery/line_scanner.hpp"
#include "discovery/topology_comment.hpp"
#include "mad/smp.hpp"

namespace heddle::discovery {

using model::Errc;
using model::fail;
using model::NodeGuid;
using model::NodeKind;
using model::PortGuid;
using model::PortNum;
using model::Result;
using model::Status;
using model::SystemGuid;

namespace {

constexpr std::uint64_t kMaxPort = 254;  // 255 discards in forwarding tables

struct Keyword {
  std::string_view text;
  mad::NodeType node_type;
};
constexpr std::array<Keyword, 5> kNodeKeywords{{{"Switch", mad::NodeType::kSwitch},
                                                {"Ca", mad::NodeType::kChannelAdapter},
                                                {"Hca", mad::NodeType::kChannelAdapter},
                                                {"Rt", mad::NodeType::kRouter},
                                                {"???", mad::NodeType::kUnknown}}};

/// Lines of `ibnetdiscover -g` and `-s` that carry no topology.
constexpr std::array<std::string_view, 4> kHeadings{"Chassis", "Non-Chassis Nodes",
                                                    "Hostname:", "DR path "};

/// What stands before a node's own line.
struct BlockHead {
  std::optional<std::uint32_t> vendor_id;
  std::uint16_t device_id = 0;
  std::optional<SystemGuid> system_guid;
  std::optional<NodeGuid> guid;
  std::optional<PortGuid> port_guid;
  std::uint32_t line = 0;  ///< of its latest line, 0 if there is none
};

class BlockParser {
 public:
  explicit BlockParser(TopologyDraft& draft) : draft_(draft) {}

  Status parse(std::string_view text) {
    LineReader lines(text);
    while (const std::optional<std::string_view> line = lines.next()) {
      line_ = lines.number();
      if (const Status status = parse_line(LineScanner(*line)); !status) {
        const bool cut = lines.number() > 0 && !lines.terminated();
        return fail(Errc::kInvalidInput,
                    status.error().text + (cut ? "; the text ends inside this line" : ""),
                    draft_.position(line_));
      }
    }
    if (head_.line != 0) {
      return fail(Errc::kInvalidInput, "the text ends before the line of this node",
                  draft_.position(head_.line));
    }
    return {};
  }

 private:
  static Status expected(const LineScanner& in, std::string_view what) {
    return fail(Errc::kInvalidInput, expected_at(in, what));
  }

  Status parse_line(LineScanner in) {
    in.skip_blanks();
    if (in.at_end() || in.starts_with("#")) return {};
    if (in.starts_with("[")) return parse_port_line(in);
    for (const Keyword& keyword : kNodeKeywords) {
      LineScanner after = in;
      if (!after.accept(keyword.text)) continue;
      if (!after.starts_with(" ") && !after.starts_with("\t")) continue;
      return parse_node_line(after, keyword.node_type);
    }
    for (const std::string_view heading : kHeadings) {
      if (in.starts_with(heading)) return {};
    }
    return parse_head_line(in);
  }

  /// `vendid=0x2c9`, `switchguid=0x10(10)`, … ; a comment may follow.
  Status parse_head_line(LineScanner in) {
    const LineScanner begin = in;
    const std::optional<std::string_view> key = in.until('=');
    if (!key) return expected(begin, "a node, a port or a comment");
    const bool is_guid =
        *key == "switchguid" || *key == "caguid" || *key == "rtguid" || *key == "???guid";
    if (!is_guid && *key != "vendid" && *key != "devid" && *key != "sysimgguid") {
      return expected(begin, "a node, a port or a comment");
    }
    in.skip_blanks();
    const LineScanner number = in;
    const std::optional<std::uint64_t> value = in.hexadecimal();
    if (!value) return expected(number, "a hexadecimal number");
    if (*key == "vendid") {
      if (*value > 0xFFFFFFU) return expected(number, "a vendor id of 24 bits");
      // Writers of this form put 0 for what they do not know, here and below.
      if (*value != 0) head_.vendor_id = static_cast<std::uint32_t>(*value);
    } else if (*key == "devid") {
      if (*value > 0xFFFFU) return expected(number, "a device id of 16 bits");
      head_.device_id = static_cast<std::uint16_t>(*value);
    } else if (*key == "sysimgguid") {
      if (*value != 0) head_.system_guid = SystemGuid{*value};
    } else {
      head_.guid = NodeGuid{*value};
      if (in.accept("(")) {
        const std::optional<std::uint64_t> port = in.hexadecimal();
        if (!port || !in.accept(")")) return expected(in, "a port GUID in parentheses");
        head_.port_guid = PortGuid{*port};
      }
    }
    head_.line = line_;
    in.skip_blanks();
    if (!in.at_end() && !in.starts_with("#")) return expected(in, "the end of the line");
    return {};
  }

  Status parse_node_line(LineScanner in, mad::NodeType node_type) {
    in.skip_blanks();
    const LineScanner number = in;
    const std::optional<std::uint64_t> ports = in.decimal(kMaxPort);
    if (!ports || *ports == 0) return expected(number, "a number of ports, 1 to 254,");
    in.skip_blanks();
    const LineScanner quoted = in;
    const std::optional<std::string_view> id =
        in.accept("\"") ? in.until('"') : std::optional<std::string_view>{};
    if (!id || id->empty()) return expected(quoted, "the id of the node in quotes");
    in.skip_blanks();
    const Result<NodeComment> comment = parse_node_comment(in);
    if (!comment) return fail(comment.error());

    const BlockHead head = std::exchange(head_, BlockHead{});
    const std::optional<NodeGuid> guid = head.guid ? head.guid : guid_in_id(*id);
    if (!guid) {
      return fail(Errc::kInvalidInput,
                  fmt::format("the node \"{}\" has no GUID: neither its id is of the form "
                              "\"S-0002c90000000001\" nor does a line with its GUID precede it",
                              model::printable(*id)));
    }
    model::Node node;
    node.guid = *guid;
    node.system_guid = head.system_guid;
    node.vendor_id = head.vendor_id;
    node.device_id = head.device_id;
    node.port_count = static_cast<std::uint8_t>(*ports);
    node.description = std::string(comment->name);
    mad::NodeInfo info;
    info.node_type = node_type;
    info.device_id = node.device_id;
    node.kind = mad::kind_of(info, node.description);

    node_ = node.guid;
    kind_ = node.kind;
    in_block_ = true;
    taken_ = draft_.add_node(*id, std::move(node), line_);
    if (taken_ && kind_ == NodeKind::kSwitch) {
      model::Port port;
      port.guid = head.port_guid;
      port.lid = comment->lid;
      port.lmc = comment->lmc;
      draft_.set_management_port(node_, std::move(port), line_);
    }
    return {};
  }

  /// `[1](guid) "H-…"[1](guid) # …`; `[1][ext 5]` where a chassis numbers its sockets.
  Status parse_port_line(LineScanner in) {
    if (!in_block_) return expected(in, "a node before its ports");
    CableLine cable;
    cable.line = line_;
    const Result<PortNum> own = bracketed_port(in);
    if (!own) return fail(own.error());
    cable.from = {node_, *own};
    if (const Status status = skip_socket(in); !status) return status;
    in.skip_blanks();
    if (const Status status = take_port_guid(in, cable.from_guid); !status) return status;
    in.skip_blanks();
    if (in.at_end() || in.starts_with("#")) {
      if (taken_) draft_.add_bare_port(cable.from, line_);
      return {};
    }

    const LineScanner quoted = in;
    const std::optional<std::string_view> id =
        in.accept("\"") ? in.until('"') : std::optional<std::string_view>{};
    if (!id || id->empty()) return expected(quoted, "the id of the peer in quotes");
    cable.peer_id = *id;
    cable.peer_port = PortNum{std::uint8_t{1}};  // ibsim: a peer without a number is its port 1
    if (in.starts_with("[") && !in.starts_with("[ext")) {
      const Result<PortNum> peer = bracketed_port(in);
      if (!peer) return fail(peer.error());
      cable.peer_port = *peer;
    }
    if (const Status status = skip_socket(in); !status) return status;
    in.skip_blanks();
    if (const Status status = take_port_guid(in, cable.peer_guid); !status) return status;
    if (const Status status = skip_netlist_options(in); !status) return status;

    const Result<PortComment> comment = parse_port_comment(in);
    if (!comment) return fail(comment.error());
    cable.from_lid = comment->own_lid;
    cable.from_lmc = comment->own_lmc;
    cable.peer_lid = comment->peer_lid;
    cable.peer_name = comment->peer_name;
    cable.rate = comment->rate;
    if (taken_) draft_.add_cable(cable);
    return {};
  }

  static Result<PortNum> bracketed_port(LineScanner& in) {
    const LineScanner begin = in;
    if (in.accept("[")) {
      const std::optional<std::uint64_t> number = in.decimal(kMaxPort);
      if (number && *number != 0 && in.accept("]")) {
        return PortNum{static_cast<std::uint8_t>(*number)};
      }
    }
    return fail(Errc::kInvalidInput, expected_at(begin, "a port number in brackets, 1 to 254,"));
  }

  static Status skip_socket(LineScanner& in) {
    if (!in.accept("[ext ")) return {};
    if (!in.decimal(0xFFFF) || !in.accept("]")) return expected(in, "a socket number and ']'");
    return {};
  }

  static Status take_port_guid(LineScanner& in, std::optional<PortGuid>& guid) {
    if (!in.accept("(")) return {};
    const std::optional<std::uint64_t> value = in.hexadecimal();
    if (!value || !in.accept(")")) return expected(in, "a port GUID and ')'");
    guid = PortGuid{*value};
    return {};
  }

  /// `w=2 s=4` before the comment: what ibsim is to enable; says nothing about the cable.
  static Status skip_netlist_options(LineScanner& in) {
    for (in.skip_blanks(); !in.at_end() && !in.starts_with("#"); in.skip_blanks()) {
      const LineScanner before = in;
      const std::string_view word = in.word();
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos || equals == 0 ||
          !model::parse_decimal(word.substr(equals + 1), 0xFFFF)) {
        return expected(before, "'#' or the end of the line");
      }
    }
    return {};
  }

  TopologyDraft& draft_;
  std::uint32_t line_ = 0;
  BlockHead head_;
  NodeGuid node_;
  NodeKind kind_ = NodeKind::kUnknown;
  bool in_block_ = false;
  bool taken_ = false;  ///< false in a block whose GUID another block has: read, not added
};

}  // namespace

Status parse_blocks(std::string_view text, TopologyDraft& draft) {
  return BlockParser(draft).parse(text);
}

}  // namespace heddle::discovery
