#include "discovery/forwarding_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "discovery/line_scanner.hpp"

namespace heddle::discovery {

using model::Errc;
using model::Fabric;
using model::fail;
using model::ForwardingTables;
using model::kMaxUnicastLid;
using model::Lid;
using model::NodeIndex;
using model::NodeKind;
using model::PortIndex;
using model::PortNum;
using model::Result;
using model::Status;
using model::SwitchIndex;

namespace {

struct Entry {
  std::uint16_t lid;
  std::uint8_t port;
  bool operator==(const Entry&) const = default;
};

struct Section {
  SwitchIndex index;
  std::uint8_t port_count;
  std::uint32_t line;
  std::vector<Entry> entries;
  bool ended = false;  ///< its `… lids dumped` line was there
};

std::string lid_text(std::uint64_t lid) { return fmt::format("0x{:04x}", lid); }

class ForwardingParser {
 public:
  ForwardingParser(std::string file, const Fabric& fabric, Strangers strangers)
      : file_(std::move(file)),
        fabric_(fabric),
        strangers_(strangers),
        section_of_(fabric.switches().size(), false) {}

  Result<ForwardingTables> parse(std::string_view text) {
    LineReader lines(text);
    while (const std::optional<std::string_view> line = lines.next()) {
      if (const Status status = parse_line(LineScanner(*line), lines.number()); !status) {
        return fail(Errc::kInvalidInput, status.error().text, {file_, lines.number()});
      }
    }
    if (any_ended_ && !sections_.back().ended) {
      return fail(Errc::kInvalidInput, "the text ends inside the table that begins here",
                  {file_, sections_.back().line});
    }
    return assemble();
  }

 private:
  Status parse_line(LineScanner in, std::uint32_t line) {
    in.skip_blanks();
    if (in.at_end() || in.starts_with("#") || is_column_heading(in)) return {};
    if (in.starts_with("Unicast lids")) return begin_section(in, line);
    if (skipping_) return {};
    if (in.starts_with("0x")) return parse_entry(in);
    if (in.rest().find("lids dumped") != std::string_view::npos) return end_section(in);
    return fail(Errc::kInvalidInput, expected_at(in, "a switch, an entry or a count of LIDs"));
  }

  static bool is_column_heading(LineScanner in) {
    const std::string_view first = in.word();
    in.skip_blanks();
    const std::string_view second = in.word();
    return (first == "Lid" && second == "Out") || (first == "Port" && second == "Info");
  }

  /// `Unicast lids [0x0-0x7] of switch … guid 0x… (name):`; OpenSM's own dump has the range in
  /// decimal.
  Status begin_section(LineScanner in, std::uint32_t line) {
    const std::size_t open = in.rest().find('[');
    const std::size_t guid_at = in.rest().find(" guid 0x");
    if (open == std::string_view::npos || guid_at == std::string_view::npos || open > guid_at) {
      return fail(Errc::kInvalidInput, "expected a range of LIDs and the GUID of the switch");
    }
    LineScanner range(in.rest().substr(open + 1));
    const std::optional<std::uint64_t> first = take_lid(range);
    const bool dash = range.accept("-");
    const std::optional<std::uint64_t> last = take_lid(range);
    if (!first || !dash || !last || !range.accept("]") || *last > kMaxUnicastLid.value()) {
      return fail(Errc::kInvalidInput, "expected a range of unicast LIDs like [0x0-0x7]");
    }
    LineScanner guid(in.rest().substr(guid_at + 6));
    const std::optional<std::uint64_t> value = guid.hexadecimal();
    if (!value || (!guid.at_end() && !guid.starts_with(" "))) {
      return fail(Errc::kInvalidInput, "expected the GUID of the switch after 'guid'");
    }
    const std::optional<NodeIndex> node = fabric_.find_node(model::NodeGuid{*value});
    const std::optional<SwitchIndex> index = node ? fabric_.switch_index(*node) : std::nullopt;
    skipping_ = !index && strangers_ == Strangers::kSkip;
    if (skipping_) return {};
    if (!index) {
      return fail(Errc::kInvalidInput,
                  fmt::format("the fabric has no switch {}", model::NodeGuid{*value}));
    }
    if (section_of_[index->value()]) {
      return fail(Errc::kInvalidInput,
                  fmt::format("a second table of switch {}", model::NodeGuid{*value}));
    }
    section_of_[index->value()] = true;
    top_ = std::max(top_, static_cast<std::uint16_t>(*last));
    sections_.push_back({*index, fabric_.node(*node).port_count, line, {}, false});
    return {};
  }

  static std::optional<std::uint64_t> take_lid(LineScanner& in) {
    return in.starts_with("0x") ? in.hexadecimal() : in.decimal(0xFFFF);
  }

  /// `0x0004 001 : (…)`. An entry that discards is 255, or another number that `-a` calls an
  /// illegal port; `-` and UNREACHABLE are OpenSM's words for it.
  Status parse_entry(LineScanner in) {
    if (sections_.empty() || sections_.back().ended) {
      return fail(Errc::kInvalidInput, "an entry before the line of its switch");
    }
    const LineScanner begin = in;
    const std::optional<std::uint64_t> lid = in.hexadecimal();
    const bool separated = in.starts_with(" ") || in.starts_with("\t");
    if (!lid || !separated || *lid > kMaxUnicastLid.value()) {
      return fail(Errc::kInvalidInput, expected_at(begin, "a unicast LID"));
    }
    in.skip_blanks();
    const Result<std::uint8_t> port = take_port(in);
    if (!port) return fail(port.error());
    top_ = std::max(top_, static_cast<std::uint16_t>(*lid));
    sections_.back().entries.push_back({static_cast<std::uint16_t>(*lid), *port});
    return {};
  }

  [[nodiscard]] Result<std::uint8_t> take_port(LineScanner in) const {
    const LineScanner begin = in;
    const std::string_view word = in.word();
    in.skip_blanks();
    if (!in.at_end() && !in.starts_with(":") && !in.starts_with("#")) {
      return fail(Errc::kInvalidInput, expected_at(in, "':' or the end of the line"));
    }
    if (word == "-" || word == "UNREACHABLE") return ForwardingTables::kNoPort;
    const std::optional<std::uint64_t> port = model::parse_decimal(word, 255);
    if (!port) return fail(Errc::kInvalidInput, expected_at(begin, "a port number"));
    if (*port == ForwardingTables::kNoPort || *port <= sections_.back().port_count) {
      return static_cast<std::uint8_t>(*port);
    }
    if (in.rest().find("illegal port") != std::string_view::npos) return ForwardingTables::kNoPort;
    return fail(Errc::kInvalidInput,
                fmt::format("port {} of a switch that has {}", *port, sections_.back().port_count));
  }

  /// `5 valid lids dumped` counts the lines of its table; the other forms count something else.
  Status end_section(LineScanner in) {
    if (sections_.empty() || sections_.back().ended) {
      return fail(Errc::kInvalidInput, "a count of LIDs without a table");
    }
    const LineScanner begin = in;
    const std::optional<std::uint64_t> count = in.decimal(0xFFFF);
    if (!count) return fail(Errc::kInvalidInput, expected_at(begin, "a number of LIDs"));
    Section& section = sections_.back();
    if (in.starts_with(" valid") && *count != section.entries.size()) {
      return fail(Errc::kInvalidInput, fmt::format("{} LIDs are announced, {} are there", *count,
                                                   section.entries.size()));
    }
    section.ended = true;
    any_ended_ = true;
    return {};
  }

  [[nodiscard]] Result<ForwardingTables> assemble() const {
    ForwardingTables tables(fabric_.switches().size(), Lid{top_});
    std::vector<bool> written(tables.row_length());
    for (const Section& section : sections_) {
      const auto row = tables.row(section.index);
      std::fill(written.begin(), written.end(), false);
      for (const Entry& entry : section.entries) {
        if (written[entry.lid] && row[entry.lid] != entry.port) {
          return fail(Errc::kInvalidInput,
                      fmt::format("LID {} has two entries in the table that begins here",
                                  lid_text(entry.lid)),
                      {file_, section.line});
        }
        written[entry.lid] = true;
        row[entry.lid] = entry.port;
      }
      tables.mark_known(section.index);
    }
    return tables;
  }

  std::string file_;
  const Fabric& fabric_;
  Strangers strangers_;
  bool skipping_ = false;  ///< within the table of a switch that the fabric does not have
  std::vector<bool> section_of_;
  std::vector<Section> sections_;
  std::uint16_t top_ = 0;
  bool any_ended_ = false;
};

std::string_view type_name(NodeKind kind) noexcept {
  switch (kind) {
    case NodeKind::kSwitch:
      return "Switch";
    case NodeKind::kRouter:
      return "Router";
    default:
      return "Channel Adapter";
  }
}

/// What dump_fts says about each LID: the same behind every switch, so made once. OpenSM finds the
/// port again by its GUID when LIDs have moved.
std::vector<std::string> destinations(const Fabric& fabric, std::size_t row_length) {
  std::vector<std::string> texts(row_length);
  for (std::size_t lid = 0; lid < row_length; ++lid) {
    const auto found = fabric.find_lid(Lid{static_cast<std::uint16_t>(lid)});
    if (!found) continue;
    const model::Port& port = fabric.port(*found);
    const model::Node& node = fabric.node(port.node);
    const std::uint64_t guid = port.guid ? port.guid->value() : node.guid.value();
    const std::size_t path = lid - port.lid->value();
    texts[lid] = path == 0 ? fmt::format(" : ({} portguid 0x{:016x}: '{}')", type_name(node.kind),
                                         guid, model::printable(node.description))
                           : fmt::format(" : (path #{} out of {}: portguid 0x{:016x})", path + 1,
                                         std::size_t{1} << port.lmc, guid);
  }
  return texts;
}

}  // namespace

Result<ForwardingTables> parse_forwarding(std::string_view text, const std::string& file,
                                          const Fabric& fabric, Strangers strangers) {
  return ForwardingParser(file, fabric, strangers).parse(text);
}

Result<ForwardingTables> read_forwarding(const std::string& path, const Fabric& fabric) {
  const Result<std::string> text = read_text(path);
  if (!text) return fail(text.error());
  return parse_forwarding(*text, path, fabric);
}

std::string format_forwarding(const Fabric& fabric, const ForwardingTables& tables) {
  std::string out;
  const std::vector<std::string> texts = destinations(fabric, tables.row_length());
  for (std::uint32_t i = 0; i < tables.switch_count(); ++i) {
    const SwitchIndex sw{i};
    if (!tables.known(sw)) continue;
    const NodeIndex index = fabric.node_of(sw);
    const model::Node& node = fabric.node(index);
    const std::optional<Lid> lid = fabric.port(*fabric.find_port(index, PortNum{})).lid;
    fmt::format_to(std::back_inserter(out),
                   "Unicast lids [0x0-0x{:x}] of switch Lid {} guid {} ({}):\n",
                   tables.row_length() - 1, lid.value_or(Lid{}), node.guid,
                   model::printable(node.description));
    out += "  Lid  Out   Destination\n       Port     Info \n";
    std::size_t count = 0;
    const auto row = tables.row(sw);
    for (std::size_t entry = 0; entry < row.size(); ++entry) {
      if (row[entry] == ForwardingTables::kNoPort) continue;
      fmt::format_to(std::back_inserter(out), "{} {:03d}{}\n", lid_text(entry), row[entry],
                     texts[entry]);
      ++count;
    }
    fmt::format_to(std::back_inserter(out), "{} valid lids dumped \n", count);
  }
  return out;
}

}  // namespace heddle::discovery
