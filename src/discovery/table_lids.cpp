#include "discovery/table_lids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "discovery/line_scanner.hpp"
#include "model/fabric_builder.hpp"
#include "model/fabric_summary.hpp"

namespace heddle::discovery {

using model::Errc;
using model::Fabric;
using model::fail;
using model::Lid;
using model::NodeKind;
using model::Port;
using model::PortGuid;
using model::PortIndex;
using model::Result;

namespace {

/// Whose a LID is, and the line that says so.
struct Note {
  PortGuid port;
  std::uint32_t line;
};

/// By LID, ascending.
std::map<Lid, Note> find_notes(std::string_view text) {
  constexpr std::string_view kWord = "portguid ";
  std::map<Lid, Note> notes;
  std::vector<bool> named(model::kMaxUnicastLid.value() + std::size_t{1});
  LineReader lines(text);
  while (const std::optional<std::string_view> line = lines.next()) {
    if (!line->starts_with("0x")) continue;
    LineScanner in(*line);
    const std::optional<std::uint64_t> lid = in.hexadecimal();
    if (!lid || *lid == 0 || *lid >= named.size() || named[*lid]) continue;
    const std::size_t at = in.rest().find(kWord);
    if (at == std::string_view::npos) continue;
    LineScanner guid(in.rest().substr(at + kWord.size()));
    const std::optional<std::uint64_t> value = guid.hexadecimal();
    if (!value) continue;
    named[*lid] = true;
    notes.emplace(Lid{static_cast<std::uint16_t>(*lid)}, Note{PortGuid{*value}, lines.number()});
  }
  return notes;
}

/// End ports by GUID; texts without GUIDs of ports mean the node's.
std::unordered_map<PortGuid, PortIndex> end_ports(const Fabric& fabric) {
  std::unordered_map<PortGuid, PortIndex> by_guid;
  for (std::uint32_t i = 0; i < fabric.ports().size(); ++i) {
    const Port& port = fabric.port(PortIndex{i});
    const model::Node& node = fabric.node(port.node);
    if (node.kind == NodeKind::kSwitch && port.number.value() != 0) continue;
    by_guid.emplace(port.guid.value_or(PortGuid{node.guid.value()}), PortIndex{i});
  }
  return by_guid;
}

struct Range {
  std::vector<Lid> lids;  ///< ascending
  std::uint32_t line;     ///< of the first
};

Fabric with_ranges(const Fabric& fabric, const std::map<PortIndex, Range>& ranges) {
  model::FabricBuilder builder(fabric.name());
  for (const model::Node& node : fabric.nodes()) builder.add_node(node);
  for (std::uint32_t i = 0; i < fabric.ports().size(); ++i) {
    Port port = fabric.port(PortIndex{i});
    if (const auto range = ranges.find(PortIndex{i}); range != ranges.end()) {
      port.lid = range->second.lids.front();
      port.lmc = static_cast<std::uint8_t>(std::countr_zero(range->second.lids.size()));
    }
    builder.set_port(fabric.key(PortIndex{i}).node, std::move(port));
  }
  for (const model::Link& link : fabric.links()) {
    builder.connect(fabric.key(link.a), fabric.key(link.b));
  }
  for (const model::UnresolvedPeer& peer : fabric.unresolved()) {
    builder.connect_unresolved(fabric.key(peer.port), peer.peer, peer.peer_port, peer.description);
  }
  for (const model::Anomaly& anomaly : fabric.anomalies()) builder.report(anomaly);
  return std::move(builder).build();
}

}  // namespace

Result<Fabric> add_table_lids(const Fabric& fabric, std::string_view text,
                              const std::string& file) {
  bool any =
      std::ranges::any_of(fabric.ports(), [](const Port& port) { return port.lid.has_value(); });
  const std::unordered_map<PortGuid, PortIndex> by_guid = end_ports(fabric);
  std::map<PortIndex, Range> ranges;
  for (const auto& [lid, note] : find_notes(text)) {
    const std::optional<PortIndex> owner = fabric.find_lid(lid);
    const auto named = by_guid.find(note.port);
    if (owner && (named == by_guid.end() || *owner != named->second)) {
      return fail(Errc::kInvalidInput,
                  fmt::format("LID {} is that of port GUID {} here, but of {} in the fabric", lid,
                              note.port, describe_end(fabric, *owner)),
                  {file, note.line});
    }
    if (owner || named == by_guid.end()) continue;  // known, or of a device that is gone
    const Port& port = fabric.port(named->second);
    if (port.lid) {
      return fail(Errc::kInvalidInput,
                  fmt::format("{} has LID {} in the fabric, but {} here",
                              describe_end(fabric, named->second), *port.lid, lid),
                  {file, note.line});
    }
    Range& range = ranges.try_emplace(named->second, Range{{}, note.line}).first->second;
    range.lids.push_back(lid);
    any = true;
  }
  if (!any) {
    return fail(Errc::kInvalidInput,
                "nothing says whose the LIDs are: the fabric holds none, and no entry here names a "
                "port of it (`portguid 0x…`)",
                {file, 1});
  }
  for (const auto& [port, range] : ranges) {
    const std::size_t count = range.lids.size();
    const std::size_t span =
        range.lids.back().value() - range.lids.front().value() + std::size_t{1};
    if (span != count || !std::has_single_bit(count) || count > 128 ||
        range.lids.front().value() % count != 0) {
      return fail(Errc::kInvalidInput,
                  fmt::format("the {} LIDs from {} to {} of {} are no range of an LMC", count,
                              range.lids.front(), range.lids.back(), describe_end(fabric, port)),
                  {file, range.line});
    }
  }
  return ranges.empty() ? fabric : with_ranges(fabric, ranges);
}

}  // namespace heddle::discovery
