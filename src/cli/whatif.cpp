#include "cli/whatif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <utility>

#include "cli/routed_fabric.hpp"
#include "cli/threads.hpp"
#include "cli/traffic_files.hpp"
#include "cli/whatif_report.hpp"
#include "discovery/forwarding_text.hpp"
#include "discovery/line_scanner.hpp"
#include "model/fabric_lids.hpp"
#include "model/fabric_summary.hpp"
#include "routing/compute.hpp"
#include "routing/counterparts.hpp"
#include "routing/oversubscription.hpp"
#include "routing/recognise.hpp"
#include "routing/workers.hpp"

namespace heddle::cli {

using model::BitsPerSecond;
using model::Errc;
using model::Fabric;
using model::fail;
using model::Result;
using model::Status;
using routing::Availability;
using routing::Graph;
using routing::TerminalIndex;
using routing::TrafficRates;

namespace {

/// A fabric as it is tried.
struct Setting {
  const Fabric& fabric;
  const Graph& graph;
  const routing::Structure& structure;
  const Availability& availability;
};

WhatifReport::End end_of(const Fabric& fabric, model::PortIndex port) {
  return {fabric.key(port), fabric.node(fabric.port(port).node).description};
}

/// Both ends of a channel, in the direction of what passes it.
std::pair<WhatifReport::End, WhatifReport::End> ends_of(const Setting& at,
                                                        routing::Channel channel) {
  const auto switch_end = [&](model::SwitchIndex sw, model::PortNum port) {
    return end_of(at.fabric, *at.fabric.find_port(at.fabric.node_of(sw), port));
  };
  if (channel.kind == routing::Channel::Kind::kArc) {
    const routing::Arc& arc = at.graph.arc(routing::ArcIndex{channel.index});
    return {switch_end(arc.from, arc.exit), switch_end(arc.to, arc.entry)};
  }
  const routing::Terminal& terminal = at.graph.terminal(TerminalIndex{channel.index});
  const WhatifReport::End leaf = switch_end(terminal.leaf, terminal.leaf_port);
  const WhatifReport::End host = end_of(at.fabric, terminal.port);
  return channel.kind == routing::Channel::Kind::kFromTerminal ? std::pair(host, leaf)
                                                               : std::pair(leaf, host);
}

struct AssumedRate {
  BitsPerSecond rate;
  bool needed = false;
};

/// What a cable of unknown rate most likely has: the commonest rate, the higher of two.
AssumedRate assumed_rate(const Fabric& fabric) {
  constexpr BitsPerSecond kIfNoneIsKnown{100'000'000'000};
  std::map<BitsPerSecond, std::size_t> counts;
  bool needed = false;
  for (const model::Link& link : fabric.links()) {
    const auto rate = model::data_rate(model::rate_of(fabric, link));
    rate ? void(++counts[*rate]) : void(needed = true);
  }
  AssumedRate assumed{kIfNoneIsKnown, needed};
  std::size_t most = 0;
  for (const auto& [rate, count] : counts) {
    if (count >= most) {
      assumed.rate = rate;
      most = count;
    }
  }
  return assumed;
}

/// What may stand behind `--traffic`, over the fabric as it is.
Result<routing::Traffic> read_traffic(const WhatifCommand& command, const RoutedFabric& routed) {
  const Result<routing::Pattern> pattern = routing::parse_pattern(command.traffic);
  if (!pattern) {
    if (!std::filesystem::exists(command.traffic)) {
      return fail(Errc::kInvalidInput,
                  fmt::format("--traffic: '{}' is no file, and no pattern: ring, all-to-all, shift "
                              "or permutation",
                              command.traffic));
    }
    if (command.ranks) {
      return fail(Errc::kInvalidInput,
                  "--ranks are those of a pattern; the file of flows names "
                  "its own ends");
    }
    const Result<std::string> text = discovery::read_text(command.traffic);
    if (!text) return fail(text.error());
    return parse_traffic(*text, command.traffic, routed.fabric, routed.graph);
  }
  std::vector<TerminalIndex> ranks =
      routing::ranks_by_guid(routed.fabric, routed.graph, routed.present);
  if (command.ranks) {
    const Result<std::string> text = discovery::read_text(*command.ranks);
    if (!text) return fail(text.error());
    Result<std::vector<TerminalIndex>> named =
        parse_ranks(*text, *command.ranks, routed.fabric, routed.graph);
    if (!named) return fail(named.error());
    ranks = std::move(*named);
  }
  Result<std::vector<routing::Flow>> flows = routing::flows_of(*pattern, ranks, command.seed);
  if (!flows) return fail(flows.error());
  if (flows->empty()) {
    return fail(Errc::kInvalidInput,
                fmt::format("{} of {} hosts has no flow", to_string(*pattern), ranks.size()));
  }
  const std::size_t count = flows->size();
  return routing::Traffic{
      std::move(*flows), std::vector<std::uint32_t>(count), {std::string(to_string(*pattern))}};
}

/// One question, and the states that answer it.
class Study {
 public:
  Study(const WhatifCommand& command, const RoutedFabric& routed, routing::Traffic traffic)
      : command_(command),
        routed_(routed),
        traffic_(std::move(traffic)),
        assumed_(assumed_rate(routed.fabric)),
        workers_(command.compute.threads.value_or(all_cores())) {
    report_.shape = routed.structure.shape;
    report_.switches = routed.graph.switch_count();
    report_.end_ports = routed.graph.terminals().size();
    report_.traffic = command.traffic;
    report_.jobs = traffic_.jobs;
    if (assumed_.needed) report_.assumed_rate = assumed_.rate;
    for (std::size_t f = 0; f < traffic_.flows.size(); ++f) {
      const routing::Flow& flow = traffic_.flows[f];
      report_.flows.push_back({end_of(routed.fabric, routed.graph.terminal(flow.source).port),
                               end_of(routed.fabric, routed.graph.terminal(flow.destination).port),
                               traffic_.job[f]});
    }
  }

  Status run() {
    const Setting present{routed_.fabric, routed_.graph, routed_.structure, routed_.present};
    if (command_.inputs.lfts) {
      const Result<model::ForwardingTables> tables =
          discovery::read_forwarding(*command_.inputs.lfts, routed_.fabric);
      if (!tables) return fail(tables.error());
      before_ = add_state("before", *command_.inputs.lfts, present, *tables, traffic_.flows);
      if (Status done = add_computed("recomputed", present); !done) return done;
    } else if (Status done = add_computed("before", present); !done) {
      return done;
    }
    if (!command_.inputs.down.empty() || command_.inputs.weights) {
      const Setting after{routed_.fabric, routed_.graph, routed_.structure, routed_.availability};
      if (Status done = add_computed("after", after); !done) return done;
    }
    for (const std::uint32_t ratio : command_.oversubscription) {
      if (Status done = add_ratio(ratio); !done) return done;
    }
    return {};
  }

  [[nodiscard]] const WhatifReport& report() const noexcept { return report_; }

 private:
  /// A state of the switches that are there, over tables of their own.
  Status add_computed(const char* name, const Setting& at) {
    const Result<routing::Computed> computed = compute(at);
    if (!computed) return fail(computed.error());
    TrafficRates rates = add_state(name, std::string(to_string(computed->routes.engine)), at,
                                   computed->routes.tables, traffic_.flows);
    if (report_.states.size() == 1) {
      before_ = std::move(rates);
    } else {
      report_.states.back().changes =
          routing::path_changes(at.graph, before_, rates, at.availability);
    }
    return {};
  }

  Status add_ratio(std::uint32_t ratio) {
    Result<routing::Reshaped> reshaped =
        routing::with_oversubscription(routed_.fabric, routed_.graph, routed_.structure, ratio);
    if (!reshaped) return refuse(ratio, reshaped.error());
    const Result<Fabric> fabric = model::with_lids(reshaped->fabric, {});
    if (!fabric) return refuse(ratio, fabric.error());
    const Result<Graph> graph = Graph::from(*fabric);
    if (!graph) return refuse(ratio, graph.error());
    const Result<routing::Structure> structure =
        routing::recognise(*fabric, *graph, {.roots = reshaped->roots, .groups = {}});
    if (!structure) return refuse(ratio, structure.error());
    const Availability availability =
        routing::carry_over(routed_.graph, routed_.availability, *graph);
    const Setting at{*fabric, *graph, *structure, availability};
    const Result<routing::Computed> computed = compute(at);
    if (!computed) return refuse(ratio, computed.error());
    // Every host stays on its port, so that every flow has its ends.
    const auto twins = routing::counterparts(routed_.graph, *graph);
    std::vector<routing::Flow> flows;
    for (const routing::Flow& flow : traffic_.flows) {
      const auto from = twins[flow.source.value()];
      const auto to = twins[flow.destination.value()];
      if (!from || !to) {
        return refuse(ratio, {Errc::kUnsupported, "it would take an end of a flow away", {}});
      }
      flows.push_back({*from, *to});
    }
    add_state(fmt::format("{}:1", ratio), std::string(to_string(computed->routes.engine)), at,
              computed->routes.tables, flows);
    report_.states.back().reshape = {
        .ratio = ratio,
        .uplinks = reshaped->uplinks,
        .switches_removed = reshaped->switches_removed,
        .switches_added = reshaped->switches_added,
        .cables_removed = reshaped->cables_removed,
        .cables_added = reshaped->cables_added,
    };
    return {};
  }

  static tl::unexpected<model::Error> refuse(std::uint32_t ratio, const model::Error& error) {
    return fail(error.code, fmt::format("--oversubscription {}: {}", ratio, error.text));
  }

  Result<routing::Computed> compute(const Setting& at) {
    return routing::compute_routes(
        at.fabric, at.graph, at.structure, at.availability,
        {.engine = command_.compute.engine, .max_lanes = command_.compute.max_lanes}, workers_);
  }

  TrafficRates add_state(std::string name, std::string tables_name, const Setting& at,
                         const model::ForwardingTables& tables,
                         const std::vector<routing::Flow>& flows) {
    TrafficRates rates =
        routing::traffic_rates(at.fabric, at.graph, at.availability, tables, flows, assumed_.rate);
    WhatifReport::State state;
    state.name = std::move(name);
    state.tables = std::move(tables_name);
    if (at.structure.shape == routing::Shape::kFatTree &&
        !at.structure.oversubscription_permille.empty()) {
      state.leaf_oversubscription_permille = at.structure.oversubscription_permille.front();
    }
    state.all = routing::summarise(rates);
    state.jobs = routing::summarise_jobs(traffic_, rates);
    state.over_drained = routing::flows_over_drained(at.graph, rates, at.availability);
    const routing::ChannelNumbers numbers(at.graph);
    std::vector<std::optional<std::uint32_t>> place(numbers.count());
    for (const routing::Limit& limit : routing::limits_of(numbers, rates)) {
      place[numbers.number(limit.channel)] = static_cast<std::uint32_t>(state.limits.size());
      auto [from, to] = ends_of(at, limit.channel);
      state.limits.push_back({std::move(from), std::move(to), limit.flows, limit.rate});
    }
    for (std::size_t f = 0; f < rates.flows.size(); ++f) {
      const routing::FlowRate& flow = rates.flows[f];
      state.rates.push_back(flow.rate);
      state.limited_by.push_back(flow.limited_by ? place[numbers.number(*flow.limited_by)]
                                                 : std::nullopt);
      if (report_.states.empty()) continue;
      const bool had = report_.states.front().rates[f] != BitsPerSecond();
      state.lost += had && flow.rate == BitsPerSecond() ? 1U : 0U;
    }
    report_.states.push_back(std::move(state));
    return rates;
  }

  const WhatifCommand& command_;
  const RoutedFabric& routed_;
  routing::Traffic traffic_;
  AssumedRate assumed_;
  routing::Workers workers_;
  TrafficRates before_;
  WhatifReport report_;
};

}  // namespace

Result<ExitCode> whatif(const WhatifCommand& command, Console& console) {
  if (command.inputs.slots && !std::filesystem::exists(*command.inputs.slots)) {
    return fail(Errc::kNotFound,
                fmt::format("--slots: there is no file {}", *command.inputs.slots));
  }
  const Result<RoutedFabric> routed = load_routed_fabric(command.inputs);
  if (!routed) return fail(routed.error());
  Result<routing::Traffic> traffic = read_traffic(command, *routed);
  if (!traffic) return fail(traffic.error());
  Study study(command, *routed, std::move(*traffic));
  if (const Status done = study.run(); !done) return fail(done.error());
  if (command.json) {
    console.out << whatif_json(study.report()) << '\n';
  } else {
    console.out << render_whatif(study.report(), console.colour);
  }
  return study.report().good() ? ExitCode::kGood : ExitCode::kNotGood;
}

}  // namespace heddle::cli
