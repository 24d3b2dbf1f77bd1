#include "routing/dragonfly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "routing/best.hpp"
#include "routing/detours.hpp"
#include "routing/dragonfly_via.hpp"
#include "routing/rendezvous.hpp"
#include "routing/share.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::ForwardingTables;
using model::Lid;
using model::SwitchIndex;

namespace {

constexpr std::size_t kColumnsAtOnce = 8;

/// A cable that leads on, and how good the way behind it is.
struct Exit {
  ArcIndex arc;
  std::uint8_t cables_behind = 0;  ///< on the way from its far end to the destination's switch
};

/// Next hops toward one switch after another. A router may go by a local cable to the destination
/// in its own group; by one of its own global cables into the destination's group; or by a local
/// cable to a router that has one.
class Minimal {
 public:
  Minimal(const Graph& graph, const Structure& structure, const Availability& availability)
      : graph_(graph), structure_(structure), availability_(availability) {}

  /// Entries of all other routers for the destinations that `at` has, empty where the way is
  /// broken.
  void write_column(SwitchIndex at, ForwardingTables& tables) const {
    for (std::uint32_t r = 0; r < graph_.switch_count(); ++r) {
      const SwitchIndex router{r};
      if (router == at || !availability_.up(router)) continue;
      const std::vector<Exit> exits = exits_toward(router, at);
      if (exits.empty()) continue;
      for (const std::uint32_t d : graph_.destinations_at(at)) {
        const Destination& to = graph_.destinations()[d];
        const std::optional<ArcIndex> choice = choose(exits, to.lid, number_of(to));
        if (choice) tables.row(router)[to.lid.value()] = graph_.arc(*choice).exit.value();
      }
    }
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> group(SwitchIndex sw) const {
    return structure_.pod[sw.value()];
  }
  [[nodiscard]] bool usable(ArcIndex arc) const { return availability_.usable(graph_, arc); }

  template <class Visit>
  void for_each_arc(SwitchIndex sw, Visit visit) const {
    for (std::uint32_t i = 0; i < graph_.arcs_of(sw).size(); ++i) {
      visit(ArcIndex{graph_.first_arc(sw).value() + i}, graph_.arcs_of(sw)[i]);
    }
  }
  /// Whether there is a cable from one to the other in the intact dragonfly.
  [[nodiscard]] bool adjacent(SwitchIndex from, SwitchIndex to) const {
    return std::ranges::any_of(graph_.arcs_of(from), [&](const Arc& arc) { return arc.to == to; });
  }

  /// Global cables of a router that end in the destination's group at it, or beside it.
  [[nodiscard]] std::vector<Exit> own_globals(SwitchIndex router, SwitchIndex at) const {
    std::vector<Exit> exits;
    for_each_arc(router, [&](ArcIndex index, const Arc& arc) {
      if (group(arc.to) != group(at) || group(router) == group(at)) return;
      if (arc.to == at) {
        exits.push_back({index, 0});
      } else if (adjacent(arc.to, at)) {
        exits.push_back({index, 1});
      }
    });
    return exits;
  }

  /// Every way of the intact dragonfly that may serve, usable now or not: what a destination wants
  /// is counted in this list, so that a fault moves no other.
  [[nodiscard]] std::vector<Exit> exits_toward(SwitchIndex router, SwitchIndex at) const {
    std::vector<Exit> exits;
    if (group(router) == group(at)) {
      for_each_arc(router, [&](ArcIndex index, const Arc& arc) {
        if (arc.to == at) exits.push_back({index, 0});
      });
      return exits;
    }
    exits = own_globals(router, at);
    if (std::ranges::any_of(exits, [&](const Exit& exit) { return leads(exit, at); })) return exits;
    exits.clear();
    for_each_arc(router, [&](ArcIndex index, const Arc& arc) {
      if (group(arc.to) != group(router)) return;
      std::optional<std::uint8_t> behind;
      for (const Exit& exit : own_globals(arc.to, at)) {
        if (!leads(exit, at)) continue;
        const auto cables = static_cast<std::uint8_t>(exit.cables_behind + 1);
        behind = std::min(behind.value_or(cables), cables);
      }
      if (behind) exits.push_back({index, *behind});
    });
    return exits;
  }

  /// Whether a global cable delivers now: it is usable, and so is the local cable behind it.
  [[nodiscard]] bool leads(const Exit& exit, SwitchIndex at) const {
    if (!usable(exit.arc)) return false;
    const SwitchIndex next = graph_.arc(exit.arc).to;
    if (next == at) return true;
    bool found = false;
    for_each_arc(next, [&](ArcIndex index, const Arc& arc) {
      found = found || (arc.to == at && usable(index));
    });
    return found;
  }

  [[nodiscard]] std::uint32_t number_of(const Destination& to) const {
    return to.terminal ? to.terminal->value() : to.at.value();
  }

  /// Among the usable exits of the shortest ways that are not drained the wanted one, else the one
  /// of greatest weight.
  [[nodiscard]] std::optional<ArcIndex> choose(std::span<const Exit> exits, Lid lid,
                                               std::uint32_t number) const {
    struct Merit {
      bool undrained = false;
      bool accepts = false;
      int shortness = 0;
      bool wanted = false;
      std::uint64_t weight = 0;
      auto operator<=>(const Merit&) const = default;
    };
    Best<Merit> best;
    const std::uint32_t wanted = number % static_cast<std::uint32_t>(exits.size());
    for (std::uint32_t place = 0; place < exits.size(); ++place) {
      const Exit& exit = exits[place];
      if (!usable(exit.arc)) continue;
      best.offer(exit.arc,
                 {.undrained = availability_.capacity(exit.arc).value != 0,
                  .accepts = takes_share(graph_, availability_, exit.arc, lid),
                  .shortness = -int{exit.cables_behind},
                  .wanted = place == wanted,
                  .weight = rendezvous_weight(lid.value(), graph_.arc(exit.arc).exit.value())});
    }
    return best.cable();
  }

  const Graph& graph_;
  const Structure& structure_;
  const Availability& availability_;
};

/// SL 0 moves to VL 1 where it comes in by a global port and goes on by a local one; levels above
/// keep VL = SL.
LaneMaps two_lanes(const Graph& graph, const Structure& structure) {
  model::SlToVl second = kVlIsSl;
  second[0] = 1;
  LaneMaps maps(graph);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const auto is_local = [&](const Arc& arc) {
      return structure.pod[arc.to.value()] == structure.pod[s];
    };
    for (const Arc& in : graph.arcs_of(SwitchIndex{s})) {
      if (is_local(in)) continue;
      for (const Arc& out : graph.arcs_of(SwitchIndex{s})) {
        if (is_local(out)) maps.set(SwitchIndex{s}, in.exit, out.exit, second);
      }
    }
  }
  return maps;
}

}  // namespace

model::Result<Routes> route_dragonfly(const Graph& graph, const Structure& structure,
                                      const Availability& availability,
                                      const DragonflyOptions& options, Workers& workers) {
  if (structure.shape != Shape::kDragonfly) {
    return fail(Errc::kUnsupported,
                fmt::format("the fabric is no dragonfly but {}", to_string(structure.shape)));
  }
  if (options.max_lanes < 2) {
    return fail(Errc::kUnsupported, "a dragonfly needs two virtual lanes and one is allowed");
  }
  Routes routes{
      .engine = Engine::kDragonfly,
      .tables = ForwardingTables(graph.switch_count(), graph.top_lid()),
      .lanes = {PathLevels(graph.switch_count(), graph.top_lid()), two_lanes(graph, structure)},
      .undelivered = {}};
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) routes.tables.mark_known(SwitchIndex{s});
  const Minimal minimal(graph, structure, availability);
  workers.run_ranges(graph.switch_count(), kColumnsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const SwitchIndex at{static_cast<std::uint32_t>(s)};
      if (availability.up(at)) minimal.write_column(at, routes.tables);
    }
  });
  // VL 1 holds nothing but last local cables of level 0, which wait for hosts alone: detours may
  // share it, unless non-minimal paths go on from there.
  OwnLanes own;
  if (options.max_lanes >= kDragonflyViaLanes) {
    own = add_dragonfly_via_paths(graph, structure, availability, routes, workers);
  }
  add_detours(graph, availability, beyond(own, options.max_lanes), routes, workers);
  return routes;
}

}  // namespace heddle::routing
