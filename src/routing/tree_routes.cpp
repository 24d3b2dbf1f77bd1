#include "routing/tree_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "model/assert.hpp"
#include "routing/bit_rows.hpp"
#include "routing/detour_column.hpp"
#include "routing/detour_proof.hpp"
#include "routing/ordered_proof.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::Lid;
using model::Sl;
using model::Status;
using model::SwitchIndex;

namespace {

Status status_of(const Graph& graph, const OrderedProof& proof) {
  if (proof.good()) return {};
  return fail(
      Errc::kConflict,
      fmt::format("{} entries do not lead up and then down, the first at switch {} for LID "
                  "{}",
                  proof.wrong_entries, graph.guid(proof.first_wrong->sw), proof.first_wrong->lid));
}

/// Up to so many LIDs are their holes told by Reach alone, without following entries.
constexpr std::size_t kFewLids = 1024;
constexpr unsigned kMostLevels = 256;
constexpr DetourPairs kWanted = DetourPairs::kFromOrToThem;

/// Bits of a row of Reach, by switch.
struct SwitchBits {
  explicit SwitchBits(std::size_t words) : row(words, 0) {}
  void set(SwitchIndex sw) { row[sw.value() / 64] |= std::uint64_t{1} << (sw.value() % 64); }
  [[nodiscard]] bool test(std::size_t sw) const { return test_bit(row, sw); }
  std::vector<std::uint64_t> row;
};

/// What the order leaves out: LIDs that switches with terminals do not reach, and LIDs of switches
/// with terminals that others do not reach.
class OrderHoles {
 public:
  OrderHoles(const Graph& graph, const Availability& availability, const FatTree& tree)
      : graph_(graph),
        availability_(availability),
        reach_(tree.reach()),
        up_(reach_.any.words_per_row()),
        with_terminals_(up_.row.size()) {
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
      if (availability.up(SwitchIndex{s})) up_.set(SwitchIndex{s});
    }
    for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) {
      if (availability.usable(graph, TerminalIndex{t})) {
        with_terminals_.set(graph.terminal(TerminalIndex{t}).leaf);
      }
    }
  }

  /// Usable destinations that lack a wanted entry, those to which no cable leads among them.
  [[nodiscard]] std::vector<std::uint32_t> destinations() const {
    SwitchBits lacking(up_.row.size());
    for_each_bit(up_.row, [&](std::size_t s) {
      const SwitchBits& wanted = with_terminals_.test(s) ? up_ : with_terminals_;
      const auto reached = reach_.any.row(s);
      for (std::size_t w = 0; w < reached.size(); ++w) {
        lacking.row[w] |= wanted.row[w] & ~reached[w];
      }
    });
    std::vector<std::uint32_t> found;
    for_each_bit(lacking.row, [&](std::size_t at) {
      const SwitchIndex sw{static_cast<std::uint32_t>(at)};
      for (const std::uint32_t d : graph_.destinations_at(sw)) {
        if (availability_.usable(graph_, graph_.destinations()[d])) found.push_back(d);
      }
    });
    std::ranges::sort(found);
    return found;
  }

  /// As find_holes() gives them, without the hint.
  [[nodiscard]] Holes holes_of(std::span<const std::uint32_t> destinations,
                               DetourPairs wanted) const {
    Holes found;
    if (destinations.empty()) return found;
    const std::vector<std::vector<DetourHole>> holes_at = holes_by_end(destinations, wanted);
    for (const std::uint32_t destination : destinations) {
      const auto& holes = holes_at[graph_.destinations()[destination].at.value()];
      if (!holes.empty()) found.lids.push_back({.destination = destination, .holes = holes});
    }
    return found;
  }

 private:
  /// By the switch of the destinations: a row of Reach says of one switch what it lacks of all.
  [[nodiscard]] std::vector<std::vector<DetourHole>> holes_by_end(
      std::span<const std::uint32_t> destinations, DetourPairs wanted) const {
    const std::optional<std::vector<std::uint32_t>> part = parts();
    SwitchBits ends(up_.row.size());
    for (const std::uint32_t destination : destinations) {
      ends.set(graph_.destinations()[destination].at);
    }
    std::vector<std::vector<DetourHole>> holes_at(graph_.switch_count());
    std::vector<std::uint64_t> lacking(up_.row.size());
    for_each_bit(up_.row, [&](std::size_t s) {
      const auto reached = reach_.any.row(s);
      for (std::size_t w = 0; w < lacking.size(); ++w) lacking[w] = ends.row[w] & ~reached[w];
      // Most of what spines lack are other spines.
      if (wanted != DetourPairs::kAllSwitches && !with_terminals_.test(s)) {
        for (std::size_t w = 0; w < lacking.size(); ++w) lacking[w] &= with_terminals_.row[w];
      }
      for_each_bit(lacking, [&](std::size_t at) {
        if (part && (*part)[s] != (*part)[at]) return;
        const DetourPairs kind = kind_of_hole(with_terminals_.test(s), with_terminals_.test(at));
        if (kind <= wanted) {
          holes_at[at].push_back({.sw = static_cast<std::uint32_t>(s), .kind = kind});
        }
      });
    });
    return holes_at;
  }

  /// Nothing where all that is up hangs together, as one switch that reaches all of it shows.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> parts() const {
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) {
      if (up_.test(s) && std::ranges::equal(reach_.any.row(s), up_.row)) return std::nullopt;
    }
    return connected_parts(graph_, availability_);
  }

  const Graph& graph_;
  const Availability& availability_;
  const Reach& reach_;
  SwitchBits up_;
  SwitchBits with_terminals_;
};

/// The hint of Holes by the levels of a tree, whatever is holed.
std::vector<std::uint16_t> remaining_by_level(const Graph& graph, const FatTreePlan& plan) {
  std::vector<std::uint16_t> remaining;
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const unsigned level = plan.level(graph.arc(ArcIndex{a}).from);
    const bool down = plan.direction(ArcIndex{a}) == Direction::kDown;
    remaining.push_back(static_cast<std::uint16_t>(down ? level : 2 * kMostLevels - level));
  }
  return remaining;
}

/// What stands at a switch for a LID.
struct Standing {
  std::uint8_t port;
  Sl level;
};

/// Something that is known of what stands at a place, now or before.
struct Known {
  enum class When : std::uint8_t { kBeforeInLane0, kBefore, kNow };
  SwitchIndex sw;
  Lid lid;
  When when;
  Standing standing;
};

/// `written` in lane 0, seen through the detours that stand over it before and after.
RoutesChange changes_between(const model::ForwardingTables& ordered,
                             std::vector<ChangedEntry> written, std::span<const DetourEntry> before,
                             std::span<const DetourEntry> after) {
  if (before.empty() && after.empty()) return {.entries = std::move(written), .levels = {}};
  std::vector<Known> known;
  known.reserve(written.size() + before.size() + after.size());
  for (const ChangedEntry& entry : written) {
    known.push_back({entry.sw, entry.lid, Known::When::kBeforeInLane0, {entry.before, Sl{}}});
  }
  for (const DetourEntry& detour : before) {
    known.push_back({detour.sw, detour.lid, Known::When::kBefore, {detour.port, detour.level}});
  }
  for (const DetourEntry& detour : after) {
    known.push_back({detour.sw, detour.lid, Known::When::kNow, {detour.port, detour.level}});
  }
  std::ranges::sort(known, {}, [](const Known& k) { return std::tuple(k.sw, k.lid, k.when); });
  RoutesChange change;
  for (auto at = known.begin(); at != known.end();) {
    const SwitchIndex sw = at->sw;
    const Lid lid = at->lid;
    Standing is{ordered.row(sw)[lid.value()], Sl{}};
    Standing was = is;
    for (; at != known.end() && at->sw == sw && at->lid == lid; ++at) {
      (at->when == Known::When::kNow ? is : was) = at->standing;
    }
    if (was.port != is.port) change.entries.push_back({sw, lid, was.port, is.port});
    if (was.level != is.level) change.levels.push_back({sw, lid, was.level, is.level});
  }
  return change;
}

}  // namespace

TreeRoutes::TreeRoutes(const Graph& graph, FatTreePlan plan, std::uint8_t max_lanes)
    : graph_(&graph),
      tree_(graph, std::move(plan)),
      max_lanes_(max_lanes),
      space_(graph, remaining_by_level(graph, tree_.plan())),
      proved_(graph) {}

Status TreeRoutes::compute(const Availability& availability, Workers& workers) {
  whole_ = false;
  tree_.compute(availability, workers);
  const OrderedProof proof =
      prove_ordered(*graph_, tree_.plan().directions(), availability, tree_.tables(), workers);
  if (const Status ordered = status_of(*graph_, proof); !ordered) return ordered;
  const Status added = add_detours(availability, find_holes(availability, workers));
  proved_ = availability;
  whole_ = added.has_value();
  return added;
}

model::Result<RoutesChange> TreeRoutes::repair(const Availability& availability, Workers& workers) {
  HEDDLE_ASSERT(whole_);
  whole_ = false;
  std::vector<ChangedEntry> written = tree_.repair(availability, workers);
  const Holes holes = find_holes(availability, workers);
  const std::vector<DetourEntry> before = std::move(detours_.entries);
  Status ordered;
  Status added;
  workers.run(2, [&](std::size_t part) {
    if (part == 0) {
      added = add_detours(availability, holes);
    } else {
      ordered = status_of(*graph_, prove_written(*graph_, tree_.plan().directions(), proved_,
                                                 availability, tree_.tables(), written));
    }
  });
  if (!ordered) return fail(ordered.error());
  if (!added) return fail(added.error());
  proved_ = availability;
  whole_ = true;
  return changes_between(tree_.tables(), std::move(written), before, detours_.entries);
}

Status TreeRoutes::rehearse(Workers& workers) {
  HEDDLE_ASSERT(whole_);
  const Availability as_is = proved_;
  std::vector<ArcIndex> cables;
  for (std::uint32_t a = 0; a < graph_->arcs().size(); ++a) {
    if (as_is.usable(*graph_, ArcIndex{a})) cables.emplace_back(a);
  }
  if (cables.empty()) return {};
  // Twice: an allocator gives large blocks back to the system when they are freed the first time.
  for (const ArcIndex cable : {cables.front(), cables.back()}) {
    Availability cut = as_is;
    cut.take_down(*graph_, cable);
    for (const Availability* state : {&std::as_const(cut), &as_is}) {
      if (const auto change = repair(*state, workers); !change) return fail(change.error());
    }
  }
  return {};
}

Holes TreeRoutes::find_holes(const Availability& availability, Workers& workers) const {
  const OrderHoles order(*graph_, availability, tree_);
  const std::vector<std::uint32_t> destinations = order.destinations();
  if (destinations.size() <= kFewLids) return order.holes_of(destinations, kWanted);
  return routing::find_holes(*graph_, availability, tree_.tables(), destinations, kWanted, workers);
}

Status TreeRoutes::add_detours(const Availability& availability, const Holes& holes) {
  detours_ = find_detours(*graph_, availability, {.max_lanes = max_lanes_, .pairs = kWanted},
                          tree_.tables(), holes, space_);
  if (const std::optional<std::string> wrong =
          find_wrong_detour(*graph_, availability, tree_.tables(), detours_.entries)) {
    return fail(Errc::kConflict, *wrong);
  }
  return {};
}

Routes TreeRoutes::take_routes() && {
  Routes routes{.engine = Engine::kFatTree,
                .tables = std::move(tree_).take_tables(),
                .lanes = {PathLevels(graph_->switch_count(), graph_->top_lid()), LaneMaps(*graph_)},
                .undelivered = std::move(detours_.undelivered)};
  routes.proved_by_order = whole_ && detours_.entries.empty() && routes.undelivered.empty();
  for (const DetourEntry& entry : detours_.entries) {
    routes.tables.row(entry.sw)[entry.lid.value()] = entry.port;
    routes.lanes.levels.set(entry.sw, entry.lid, entry.level);
  }
  return routes;
}

}  // namespace heddle::routing
