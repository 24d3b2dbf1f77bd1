#include "discovery/lane_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "discovery/operator_lines.hpp"

namespace heddle::discovery {

using model::Errc;
using model::Fabric;
using model::fail;
using model::Lid;
using model::NodeGuid;
using model::NodeIndex;
using model::PortNum;
using model::Result;
using model::Sl;
using model::SlToVl;
using model::SlToVlTables;
using model::Status;

namespace {

constexpr std::uint64_t kMaxLevel = 15;  // of 4-bit service levels and virtual lanes

/// The words of a line, taken as numbers one after the other.
class Fields {
 public:
  explicit Fields(LineScanner in) noexcept : in_(in) {}
  [[nodiscard]] bool at_end() const noexcept { return in_.at_end(); }

  Result<std::uint64_t> number(std::uint64_t max, std::string_view what) {
    const LineScanner begin = in_;
    const std::string_view word = in_.word();
    in_.skip_blanks();
    const std::optional<std::uint64_t> value =
        word.starts_with("0x") ? model::parse_guid(word) : model::parse_decimal(word, max);
    if (!value || *value > max) return fail(Errc::kInvalidInput, expected_at(begin, what));
    return *value;
  }
  Result<NodeGuid> guid() {
    const LineScanner begin = in_;
    const std::optional<std::uint64_t> value = model::parse_guid(in_.word());
    in_.skip_blanks();
    if (!value) return fail(Errc::kInvalidInput, expected_at(begin, "the GUID of a switch"));
    return NodeGuid{*value};
  }
  [[nodiscard]] Status end() const {
    if (at_end()) return {};
    return fail(Errc::kInvalidInput, expected_at(in_, "the end of the line"));
  }

 private:
  LineScanner in_;
};

/// Calls `take(fields, line number)` for each statement.
template <class Take>
Status for_each_line(std::string_view text, const std::string& file, Take take) {
  return for_each_statement(text, file, Comments::kAnywhere,
                            [&](LineScanner in, std::uint32_t number) -> Status {
                              Fields fields(in);
                              return take(fields, number);
                            });
}

Result<Lid> take_lid(Fields& fields, std::string_view what) {
  const Result<std::uint64_t> value = fields.number(model::kMaxUnicastLid.value(), what);
  if (!value) return fail(value.error());
  const Lid lid{static_cast<std::uint16_t>(*value)};
  if (!model::is_unicast(lid)) return fail(Errc::kInvalidInput, "LID 0 is nobody's");
  return lid;
}

Result<PathLevel> take_path(Fields& fields) {
  const Result<Lid> source = take_lid(fields, "the LID of a source");
  if (!source) return fail(source.error());
  const Result<Lid> destination = take_lid(fields, "the LID of a destination");
  if (!destination) return fail(destination.error());
  const Result<std::uint64_t> level = fields.number(kMaxLevel, "a service level from 0 to 15");
  if (!level) return fail(level.error());
  if (const Status end = fields.end(); !end) return fail(end.error());
  return PathLevel{*source, *destination, Sl{static_cast<std::uint8_t>(*level)}};
}

Result<PortNum> take_port(Fields& fields, std::string_view what, const model::Node& node) {
  const Result<std::uint64_t> port = fields.number(255, what);
  if (!port) return fail(port.error());
  if (*port > node.port_count) {
    return fail(Errc::kInvalidInput,
                fmt::format("port {} of a switch that has {}", *port, node.port_count));
  }
  return PortNum{static_cast<std::uint8_t>(*port)};
}

Result<SlToVl> take_mapping(Fields& fields) {
  SlToVl mapping{};
  for (std::uint8_t& vl : mapping) {
    const Result<std::uint64_t> value =
        fields.number(kMaxLevel, "16 virtual lanes from 0 to 15, one for each service level");
    if (!value) return fail(value.error());
    vl = static_cast<std::uint8_t>(*value);
  }
  if (const Status end = fields.end(); !end) return fail(end.error());
  return mapping;
}

}  // namespace

Result<std::vector<PathLevel>> parse_path_levels(std::string_view text, const std::string& file,
                                                 const Fabric& fabric, Strangers strangers) {
  struct Line {
    PathLevel path;
    std::uint32_t number;
  };
  std::vector<Line> lines;
  const Status read =
      for_each_line(text, file, [&](Fields& fields, std::uint32_t number) -> Status {
        const Result<PathLevel> path = take_path(fields);
        if (!path) return fail(path.error());
        for (const Lid lid : {path->source, path->destination}) {
          if (fabric.find_lid(lid)) continue;
          if (strangers == Strangers::kSkip) return {};
          return fail(Errc::kInvalidInput, fmt::format("no port of the fabric has LID {}", lid));
        }
        lines.push_back({*path, number});
        return {};
      });
  if (!read) return fail(read.error());
  const auto pair = [](const Line& line) {
    return std::pair(line.path.source, line.path.destination);
  };
  std::ranges::stable_sort(lines, {}, pair);
  std::vector<PathLevel> paths;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 0 || pair(lines[i]) != pair(lines[i - 1])) {
      paths.push_back(lines[i].path);
    } else if (lines[i].path != lines[i - 1].path) {
      return fail(Errc::kInvalidInput,
                  fmt::format("LID {} to {} has service level {} here and {} in line {}",
                              lines[i].path.source, lines[i].path.destination, lines[i].path.level,
                              lines[i - 1].path.level, lines[i - 1].number),
                  {file, lines[i].number});
    }
  }
  return paths;
}

void append_path_level(std::string& out, const PathLevel& path) {
  fmt::format_to(std::back_inserter(out), "{} {} {}\n", path.source, path.destination, path.level);
}

Result<SlToVlTables> parse_sl_to_vl(std::string_view text, const std::string& file,
                                    const Fabric& fabric, Strangers strangers) {
  SlToVlTables tables;
  const Status read = for_each_line(text, file, [&](Fields& fields, std::uint32_t) -> Status {
    const Result<NodeGuid> guid = fields.guid();
    if (!guid) return fail(guid.error());
    const std::optional<NodeIndex> node = fabric.find_node(*guid);
    if (!node || !fabric.switch_index(*node)) {
      if (strangers == Strangers::kSkip) return {};
      return fail(Errc::kInvalidInput, fmt::format("the fabric has no switch {}", *guid));
    }
    const Result<PortNum> in = take_port(fields, "the number of a port in", fabric.node(*node));
    if (!in) return fail(in.error());
    const Result<PortNum> out = take_port(fields, "the number of a port out", fabric.node(*node));
    if (!out) return fail(out.error());
    const Result<SlToVl> mapping = take_mapping(fields);
    if (!mapping) return fail(mapping.error());
    const SlToVl* const before = tables.find(*guid, *in, *out);
    if (before != nullptr && *before != *mapping) {
      return fail(Errc::kInvalidInput, fmt::format("another mapping for switch {} from port {} to "
                                                   "port {} came before",
                                                   *guid, *in, *out));
    }
    tables.set(*guid, *in, *out, *mapping);
    return {};
  });
  if (!read) return fail(read.error());
  return tables;
}

void append_sl_to_vl(std::string& out, const SlToVlPlace& place, const SlToVl& mapping) {
  fmt::format_to(std::back_inserter(out), "{} {} {} {}\n", place.sw, place.in, place.out,
                 fmt::join(mapping, " "));
}

}  // namespace heddle::discovery
