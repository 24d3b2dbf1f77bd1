#include "routing/dragonfly_via.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>
#include <vector>

#include "routing/best.hpp"
#include "routing/rendezvous.hpp"
#include "routing/share.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::PortNum;
using model::Sl;
using model::SwitchIndex;

namespace {

constexpr std::size_t kLidsAtOnce = 16;
constexpr Sl kOwnLevel{std::uint8_t{1}};
constexpr std::uint8_t kOwnLane = 2;
/// Cables between switches on a minimal path.
constexpr int kMinimalHops = 3;

/// Terminals of each group by switch and port, numbered from 0.
std::vector<std::uint32_t> number_in_group(const Graph& graph, const Structure& structure) {
  std::vector<std::uint32_t> next(structure.pods, 0);
  std::vector<std::uint32_t> number;
  for (const Terminal& terminal : graph.terminals()) {
    const std::optional<std::uint32_t> group = structure.pod[terminal.leaf.value()];
    number.push_back(group ? next[*group]++ : 0);
  }
  return number;
}

class Paths {
 public:
  Paths(const Graph& graph, const Structure& structure, const Availability& availability,
        ForwardingTables& tables)
      : graph_(graph),
        availability_(availability),
        tables_(tables),
        number_(number_in_group(graph, structure)),
        via_(graph, structure, number_),
        routers_(structure.pods),
        taken_(graph.destinations().size() * structure.pods, 0) {
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      if (const auto group = structure.pod[s]) routers_[*group].emplace_back(s);
    }
  }

  [[nodiscard]] const ViaGroups& via() const noexcept { return via_; }
  /// Sets the entries of all groups for one LID.
  void lead(std::uint32_t destination) {
    const Destination& to = graph_.destinations()[destination];
    const std::uint32_t passed = via_.via(destination);
    std::vector<std::pair<SwitchIndex, std::uint8_t>> entries;
    for (std::uint32_t group = 0; group < via_.groups(); ++group) {
      if (group == passed || group == via_.group(to.at)) continue;
      entries.clear();
      if (!lead_from(group, destination, entries)) continue;
      for (const auto& [router, port] : entries) tables_.row(router)[to.lid.value()] = port;
      taken_[std::size_t{destination} * via_.groups() + group] = 1;
    }
  }
  /// The service levels of all that was led.
  void set_levels(PathLevels& levels) const {
    for (const std::uint32_t destination : via_.destinations()) {
      const Destination& to = graph_.destinations()[destination];
      if (!via_.needs_own_lanes(to.at)) continue;
      for (std::uint32_t group = 0; group < via_.groups(); ++group) {
        if (taken_[std::size_t{destination} * via_.groups() + group] == 0) continue;
        for (const SwitchIndex router : routers_[group]) levels.set(router, to.lid, kOwnLevel);
      }
    }
  }

 private:
  /// Whether the minimal path from a router of the passed group arrives without a drained cable.
  [[nodiscard]] bool leads_on(SwitchIndex router, const Destination& to) const {
    for (int hops = 0; router != to.at; ++hops) {
      const std::optional<PortNum> exit = tables_.port(router, to.lid);
      const PortTarget target = exit ? graph_.target(router, *exit) : PortTarget{};
      if (hops == kMinimalHops || target.kind != PortTarget::Kind::kSwitch) return false;
      if (!availability_.undrained(graph_, ArcIndex{target.index})) return false;
      router = graph_.arc(ArcIndex{target.index}).to;
    }
    return true;
  }

  /// Of `candidates`, those that the intact group has, the wanted one of those that `leads`
  /// accepts, else the one of greatest weight.
  template <class Leads>
  [[nodiscard]] std::optional<ArcIndex> choose(std::span<const ArcIndex> candidates,
                                               std::uint32_t destination, Leads leads) const {
    const Destination& to = graph_.destinations()[destination];
    struct Merit {
      bool accepts = false;
      bool wanted = false;
      std::uint64_t weight = 0;
      auto operator<=>(const Merit&) const = default;
    };
    Best<Merit> best;
    const std::size_t wanted =
        candidates.empty() ? 0 : (number_[to.terminal->value()] + to.path) % candidates.size();
    for (std::size_t place = 0; place < candidates.size(); ++place) {
      const ArcIndex arc = candidates[place];
      if (!leads(arc)) continue;
      best.offer(arc, {.accepts = takes_share(graph_, availability_, arc, to.lid),
                       .wanted = place == wanted,
                       .weight = rendezvous_weight(to.lid.value(), graph_.arc(arc).exit.value())});
    }
    return best.cable();
  }

  /// False, and `entries` are of no use, if some router that has a minimal path finds no way.
  [[nodiscard]] bool lead_from(std::uint32_t group, std::uint32_t destination,
                               std::vector<std::pair<SwitchIndex, std::uint8_t>>& entries) const {
    const Destination& to = graph_.destinations()[destination];
    const auto exits = via_.cables(group, via_.via(destination));
    const auto leaves = [&](ArcIndex arc) {
      return availability_.undrained(graph_, arc) && leads_on(graph_.arc(arc).to, to);
    };
    const auto has_exit = [&](SwitchIndex router, auto wanted) {
      return std::ranges::any_of(
          exits, [&](ArcIndex exit) { return graph_.arc(exit).from == router && wanted(exit); });
    };
    if (std::ranges::none_of(exits, leaves)) return false;
    std::vector<ArcIndex> candidates;
    for (const SwitchIndex router : routers_[group]) {
      candidates.clear();
      std::optional<ArcIndex> choice;
      if (has_exit(router, leaves)) {
        std::ranges::copy_if(exits, std::back_inserter(candidates),
                             [&](ArcIndex exit) { return graph_.arc(exit).from == router; });
        choice = choose(candidates, destination, leaves);
      } else {
        const std::uint32_t first = graph_.first_arc(router).value();
        for (std::uint32_t i = 0; i < graph_.arcs_of(router).size(); ++i) {
          const SwitchIndex other = graph_.arcs_of(router)[i].to;
          if (via_.group(other) != group) continue;
          if (has_exit(other, [](ArcIndex) { return true; })) candidates.emplace_back(first + i);
        }
        choice = choose(candidates, destination, [&](ArcIndex arc) {
          return availability_.undrained(graph_, arc) && has_exit(graph_.arc(arc).to, leaves);
        });
      }
      if (choice) {
        entries.emplace_back(router, graph_.arc(*choice).exit.value());
      } else if (tables_.port(router, to.lid)) {
        return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  const Availability& availability_;
  ForwardingTables& tables_;
  std::vector<std::uint32_t> number_;  ///< by TerminalIndex
  ViaGroups via_;
  std::vector<std::vector<SwitchIndex>> routers_;  ///< by group
  std::vector<std::uint8_t> taken_;                ///< by destination and group
};

/// Level 1: VL 0 for a first local cable, VL 2 for all others.
void map_own_level(const Graph& graph, const Structure& structure, LaneMaps& maps) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const unsigned ports = graph.port_count(sw);
    const auto is_cable = [&](PortNum port) {
      return graph.target(sw, port).kind == PortTarget::Kind::kSwitch;
    };
    const auto is_local = [&](PortNum port) {
      const SwitchIndex to = graph.arc(ArcIndex{graph.target(sw, port).index}).to;
      return structure.pod[to.value()] == structure.pod[s];
    };
    for (unsigned i = 0; i <= ports; ++i) {
      for (unsigned o = 1; o <= ports; ++o) {
        const PortNum in{static_cast<std::uint8_t>(i)};
        const PortNum out{static_cast<std::uint8_t>(o)};
        const bool first_local = !is_cable(in) && is_cable(out) && is_local(out);
        model::SlToVl mapping = maps.mapping(sw, in, out);
        mapping[kOwnLevel.value()] = first_local ? std::uint8_t{0} : kOwnLane;
        maps.set(sw, in, out, mapping);
      }
    }
  }
}

}  // namespace

OwnLanes add_dragonfly_via_paths(const Graph& graph, const Structure& structure,
                                 const Availability& availability, Routes& routes,
                                 Workers& workers) {
  Paths paths(graph, structure, availability, routes.tables);
  const auto lids = paths.via().destinations();
  if (lids.empty()) return {};
  workers.run_ranges(lids.size(), kLidsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (availability.usable(graph, graph.destinations()[lids[i]])) paths.lead(lids[i]);
    }
  });
  paths.set_levels(routes.lanes.levels);
  map_own_level(graph, structure, routes.lanes.maps);
  // Level 0 goes back from VL 1 to VL 0 in a group that is passed, so detours stay above both.
  return {.beyond_minimal = true,
          .first_free_sl = Sl{std::uint8_t{kOwnLane}},
          .first_free_lane = kOwnLane,
          .standing = dependencies_of_level(graph, availability, routes.tables, routes.lanes,
                                            kOwnLevel, lids)};
}

}  // namespace heddle::routing
