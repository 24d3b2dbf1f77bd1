#include "cli/topology_report.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/structure_report.hpp"
#include "cli/table.hpp"
#include "exporter/fabric_json.hpp"

namespace heddle::cli {

using model::Fabric;
using model::NodeKind;
using model::PortIndex;
using Align = Column::Align;
using Rows = std::vector<std::vector<Cell>>;

namespace {

constexpr std::array kKinds{NodeKind::kSwitch, NodeKind::kHostAdapter, NodeKind::kRouter,
                            NodeKind::kAggregationNode, NodeKind::kUnknown};

std::string_view noun_of(NodeKind kind, std::size_t count) noexcept {
  const bool one = count == 1;
  switch (kind) {
    case NodeKind::kSwitch:
      return one ? "switch" : "switches";
    case NodeKind::kHostAdapter:
      return one ? "host adapter" : "host adapters";
    case NodeKind::kRouter:
      return one ? "router" : "routers";
    case NodeKind::kAggregationNode:
      return one ? "aggregation node" : "aggregation nodes";
    case NodeKind::kUnknown:
      return "of unknown kind";
  }
  return "of unknown kind";
}

std::size_t count_of(const model::FabricSummary& summary, NodeKind kind) {
  const auto found = summary.nodes_by_kind.find(kind);
  return found == summary.nodes_by_kind.end() ? 0 : found->second;
}

std::string position_text(const model::SourcePosition& position) {
  return fmt::format("{}:{}", position.file, position.line);
}

std::string heading(std::string_view text, std::size_t count, Colour colour) {
  return "\n" + tinted(fmt::format("{}: {}", text, count), Tint::kHeading, colour) + "\n";
}

std::string level_text(std::size_t level, std::size_t count) {
  const std::string_view noun = noun_of(NodeKind::kSwitch, count);
  return level == 0 ? fmt::format("{} with hosts", noun)
                    : fmt::format("{} at level {}", noun, level);
}

std::string render_counts(const Fabric& fabric, const TopologyReport& report, Colour colour) {
  const model::FabricSummary& summary = report.summary;
  Rows rows;
  const auto add = [&rows](std::size_t count, std::string text) {
    rows.push_back({{fmt::format("{}", count)}, {std::move(text)}});
  };
  for (const NodeKind kind : kKinds) {
    if (const std::size_t count = count_of(summary, kind); count != 0) {
      add(count, std::string(noun_of(kind, count)));
    }
  }
  // The structure knows levels better than distances from hosts do.
  const bool known = report.structure.has_value();
  for (std::size_t level = 0; level < summary.switches_by_level.size() && !known; ++level) {
    const std::size_t count = summary.switches_by_level[level];
    add(count, level_text(level, count));
  }
  if (summary.switches_without_level != 0 && !known) {
    add(summary.switches_without_level,
        fmt::format("{} from which no host can be reached",
                    noun_of(NodeKind::kSwitch, summary.switches_without_level)));
  }
  add(summary.links, summary.links == 1 ? "link" : "links");
  for (const auto& [rate, count] : summary.links_by_rate) {
    add(count, fmt::format("of {}", rate == "unknown" ? "unknown rate" : rate));
  }
  if (summary.unresolved != 0)
    add(summary.unresolved, summary.unresolved == 1 ? "cable to a device that is not in the file"
                                                    : "cables to devices that are not in the file");
  if (summary.ports_down != 0)
    add(summary.ports_down, summary.ports_down == 1 ? "port down" : "ports down");
  const std::size_t components = summary.component_sizes.size();
  add(components, components == 1 ? "connected component" : "connected components");
  return tinted(fabric.name(), Tint::kHeading, colour) + "\n" +
         render_table({{"", Align::kRight}, {""}}, rows, "  ", colour);
}

std::string render_components(const model::FabricSummary& summary, Colour colour) {
  if (summary.component_sizes.size() < 2) return {};
  constexpr std::size_t kShown = 10;
  std::string out = heading("Connected components", summary.component_sizes.size(), colour);
  Rows rows;
  for (const std::size_t size : summary.component_sizes) {
    if (rows.size() == kShown) {
      rows.push_back(
          {{"…"}, {fmt::format("and {} more", summary.component_sizes.size() - kShown)}});
      break;
    }
    rows.push_back({{fmt::format("{}", size)}, {size == 1 ? "node" : "nodes"}});
  }
  return out + render_table({{"", Align::kRight}, {""}}, rows, "  ", colour);
}

std::string render_duplicates(const TopologyReport& report, Colour colour) {
  if (report.duplicate_names.empty()) return {};
  constexpr std::size_t kShown = 3;
  Rows rows;
  for (const model::DuplicateName& name : report.duplicate_names) {
    std::string guids;
    for (std::size_t i = 0; i < name.nodes.size() && i < kShown; ++i) {
      guids += fmt::format("{}{}", i == 0 ? "" : " ", name.nodes[i]);
    }
    if (name.nodes.size() > kShown) guids += " …";
    rows.push_back({{fmt::format("{}", name.nodes.size())},
                    {std::string(noun_of(name.kind, name.nodes.size()))},
                    {fmt::format("\"{}\"", model::printable(name.description))},
                    {std::move(guids)}});
  }
  return heading("Names that several nodes share", rows.size(), colour) +
         render_table({{"", Align::kRight}, {""}, {""}, {""}}, rows, "  ", colour);
}

std::string render_anomalies(const Fabric& fabric, Colour colour) {
  if (fabric.anomalies().empty()) return {};
  std::string out = heading("Contradictions", fabric.anomalies().size(), colour);
  for (const model::Anomaly& anomaly : fabric.anomalies()) {
    const std::string place = anomaly.position ? position_text(*anomaly.position) + ": " : "";
    out += fmt::format("  {}{}: {}\n", place, tinted(to_string(anomaly.kind), Tint::kBad, colour),
                       anomaly.text);
  }
  return out;
}

std::string render_unresolved(const Fabric& fabric, Colour colour) {
  if (fabric.unresolved().empty()) return {};
  Rows rows;
  for (const model::UnresolvedPeer& peer : fabric.unresolved()) {
    std::string other = fmt::format("\"{}\"", model::printable(peer.description));
    if (peer.peer) other += fmt::format(" {}", *peer.peer);
    if (peer.peer_port) other += fmt::format(" port {}", *peer.peer_port);
    rows.push_back({{describe_end(fabric, peer.port)}, {std::move(other)}});
  }
  return heading("Cables to devices that are not in the file", rows.size(), colour) +
         render_table({{"PORT"}, {"GOES TO"}}, rows, "  ", colour);
}

std::string render_degraded(const Fabric& fabric, const TopologyReport& report, Colour colour) {
  if (report.degraded_links.empty()) return {};
  Rows rows;
  for (const model::DegradedLink& degraded : report.degraded_links) {
    const model::Link& link = fabric.link(degraded.link);
    rows.push_back({{to_string(degraded.active), Tint::kBad},
                    {to_string(degraded.expected)},
                    {std::string(to_string(degraded.against))},
                    {describe_end(fabric, link.a)},
                    {describe_end(fabric, link.b)}});
  }
  return heading("Links slower than they could be", rows.size(), colour) +
         render_table({{"RATE"}, {"EXPECTED"}, {"AS"}, {"ONE END"}, {"OTHER END"}}, rows, "  ",
                      colour);
}

}  // namespace

TopologyReport report_topology(const Fabric& fabric, const routing::RecogniseHints& hints) {
  TopologyReport report{.summary = model::summarise(fabric),
                        .duplicate_names = model::duplicate_names(fabric),
                        .degraded_links = model::degraded_links(fabric),
                        .structure = std::nullopt,
                        .no_structure = {}};
  const model::Result<routing::Graph> graph = routing::Graph::from(fabric);
  model::Result<routing::Structure> structure =
      graph ? routing::recognise(fabric, *graph, hints) : model::fail(graph.error());
  if (structure) {
    report.structure = std::move(*structure);
  } else {
    report.no_structure = structure.error().message();
  }
  return report;
}

std::string render_topology(const Fabric& fabric, const TopologyReport& report, Colour colour) {
  const std::string shape =
      report.structure
          ? render_structure(*report.structure, colour)
          : fmt::format("\n{}\n  {}\n", tinted("Shape: unknown", Tint::kHeading, colour),
                        report.no_structure);
  return render_counts(fabric, report, colour) + shape + render_components(report.summary, colour) +
         render_duplicates(report, colour) + render_anomalies(fabric, colour) +
         render_unresolved(fabric, colour) + render_degraded(fabric, report, colour);
}

std::string topology_json(const Fabric& fabric, const TopologyReport& report) {
  exporter::JsonWriter json;
  json.begin_object();
  json.field("name", fabric.name());
  exporter::write_counts(json, fabric, report.summary);
  json.key("structure");
  if (report.structure) {
    write_structure(json, fabric, *report.structure);
  } else {
    json.null();
  }
  exporter::write_faults(json, fabric, report.duplicate_names, report.degraded_links);
  json.end_object();
  return std::move(json).take();
}

}  // namespace heddle::cli
