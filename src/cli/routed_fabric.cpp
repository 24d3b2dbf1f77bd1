#include "cli/routed_fabric.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/read_fabric.hpp"
#include "cli/recognise_hints.hpp"
#include "discovery/guid2lid_text.hpp"
#include "discovery/line_scanner.hpp"
#include "discovery/table_lids.hpp"
#include "discovery/topology_text.hpp"
#include "discovery/weights_text.hpp"
#include "model/fabric_lids.hpp"
#include "routing/memory.hpp"
#include "routing/rated_capacity.hpp"
#include "routing/recognise.hpp"

namespace heddle::cli {

using model::Errc;
using model::Fabric;
using model::fail;
using model::Result;
using model::Status;
using routing::ArcIndex;
using routing::Availability;
using routing::Graph;
using routing::PortTarget;
using routing::TerminalIndex;

namespace {

/// Marks what hangs on one port of a switch: a cable to another switch, or a terminal.
void take_down(const Graph& graph, PortTarget target, Availability& availability) {
  if (target.kind == PortTarget::Kind::kSwitch)
    availability.take_down(graph, ArcIndex{target.index});
  if (target.kind == PortTarget::Kind::kTerminal)
    availability.take_down(TerminalIndex{target.index});
}

/// The switch's side of a cable that is named by either end; nothing if there is no cable.
PortTarget target_of(const Fabric& fabric, const Graph& graph, model::PortKey key) {
  const std::optional<model::PortIndex> port = fabric.find_port(key);
  if (!port) return {};
  if (const auto sw = fabric.switch_index(fabric.port(*port).node))
    return graph.target(*sw, key.port);
  const std::optional<model::PortIndex> peer = fabric.peer(*port);
  const auto sw = peer ? fabric.switch_index(fabric.port(*peer).node) : std::nullopt;
  return sw ? graph.target(*sw, fabric.port(*peer).number) : PortTarget{};
}

Status apply_down(const Fabric& fabric, const Graph& graph, const std::string& text,
                  Availability& availability) {
  if (text.find('/') != std::string::npos) {
    const Result<model::PortKey> key = model::parse_port_key(text);
    if (!key)
      return fail(Errc::kInvalidInput, fmt::format("--down {}: {}", text, key.error().text));
    const PortTarget target = target_of(fabric, graph, *key);
    if (target.kind == PortTarget::Kind::kNothing) {
      return fail(Errc::kNotFound, fmt::format("--down {}: there is no cable at that port", text));
    }
    take_down(graph, target, availability);
    return {};
  }
  const std::optional<std::uint64_t> guid = model::parse_guid(text);
  const std::optional<model::NodeIndex> node =
      guid ? fabric.find_node(model::NodeGuid{*guid}) : std::nullopt;
  if (!node) {
    return fail(guid ? Errc::kNotFound : Errc::kInvalidInput,
                fmt::format("--down {}: {}", text,
                            guid ? "no node has that GUID" : "neither a GUID nor GUID/PORT"));
  }
  if (const auto sw = fabric.switch_index(*node)) {
    availability.take_down(*sw);
    return {};
  }
  for (const model::Port& port : fabric.ports_of(*node)) {
    take_down(graph, target_of(fabric, graph, {model::NodeGuid{*guid}, port.number}), availability);
  }
  return {};
}

Status apply_weights(const Fabric& fabric, const Graph& graph, const std::string& path,
                     Availability& availability) {
  const Result<std::string> text = discovery::read_text(path);
  if (!text) return fail(text.error());
  const Result<discovery::WeightsByPort> weights = discovery::parse_weights(*text, path);
  if (!weights) return fail(weights.error());
  for (const auto& [key, percent] : *weights) {
    const PortTarget target = target_of(fabric, graph, key);
    if (target.kind != PortTarget::Kind::kSwitch) {
      return fail(Errc::kNotFound, fmt::format("{}: {} is no end of a cable between switches", path,
                                               to_string(key)));
    }
    availability.set_capacity(graph, ArcIndex{target.index}, {percent});
  }
  return {};
}

Result<model::LidOptions> lid_options(const FabricOptions& options) {
  model::LidOptions lids{.lmc = options.lmc, .remembered = {}};
  if (!options.guid2lid) return lids;
  const Result<std::string> text = discovery::read_text(*options.guid2lid);
  if (!text) return fail(text.error());
  Result<model::LidsByPort> remembered = discovery::parse_guid2lid(*text, *options.guid2lid);
  if (!remembered) return fail(remembered.error());
  lids.remembered = std::move(*remembered);
  return lids;
}

}  // namespace

Result<RoutedFabric> load_routed_fabric(const FabricOptions& options) {
  Result<Fabric> present = read_fabric(options.fabric);
  if (!present) return fail(present.error());
  if (options.lfts) {
    const Result<std::string> text = discovery::read_text(*options.lfts);
    if (!text) return fail(text.error());
    present = discovery::add_table_lids(*present, *text, *options.lfts);
    if (!present) return fail(present.error());
  }
  Fabric whole = *present;
  std::optional<std::string> slots_text;
  if (options.slots) {
    std::string before;
    if (std::filesystem::exists(*options.slots)) {
      Result<std::string> text = discovery::read_text(*options.slots);
      if (!text) return fail(text.error());
      before = std::move(*text);
      const Result<Fabric> remembered =
          discovery::parse_topology(before, *options.slots, options.fabric);
      if (!remembered) return fail(remembered.error());
      if (const Status sound = refuse_contradictions(*remembered); !sound) {
        return fail(sound.error());
      }
      whole = routing::remember(*present, *remembered);
    }
  }
  const Result<model::LidOptions> lids = lid_options(options);
  if (!lids) return fail(lids.error());
  Result<Fabric> with_lids = model::with_lids(whole, *lids);
  if (!with_lids) return fail(with_lids.error());
  whole = std::move(*with_lids);
  if (options.slots) slots_text = discovery::format_topology(whole);

  Result<Graph> graph = Graph::from(whole);
  if (!graph) return fail(graph.error());
  const Result<routing::RecogniseHints> hints = read_hints(options.roots, options.groups, whole);
  if (!hints) return fail(hints.error());
  Result<routing::Structure> structure = routing::recognise(whole, *graph, *hints);
  if (!structure) return fail(structure.error());
  const Availability before =
      routing::with_rates(whole, *graph, routing::present_in(whole, *graph, *present));
  Availability availability = before;
  for (const std::string& down : options.down) {
    if (Status good = apply_down(whole, *graph, down, availability); !good)
      return fail(good.error());
  }
  if (options.weights) {
    if (Status good = apply_weights(whole, *graph, *options.weights, availability); !good) {
      return fail(good.error());
    }
  }
  return RoutedFabric{
      std::move(whole), std::move(*graph),    std::move(*structure), std::move(availability),
      before,           std::move(slots_text)};
}

}  // namespace heddle::cli
