#include "routing/write_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "routing/block_schedule.hpp"

namespace heddle::routing {

using model::Errc;
using model::fail;
using model::ForwardingTables;
using model::Lid;
using model::Result;
using model::Status;
using model::SwitchIndex;

namespace {

constexpr std::size_t kBlock = ForwardingTables::kBlockLids;
constexpr std::uint16_t kTopUnicast = 0xBFFF;

std::uint8_t entry(const ForwardingTables& tables, SwitchIndex sw, std::size_t lid) {
  return lid < tables.row_length() ? tables.row(sw)[lid] : ForwardingTables::kNoPort;
}

Status check(const Graph& graph, const ForwardingTables& now,
             std::span<const ChangedEntry> changes) {
  if (now.switch_count() != graph.switch_count()) {
    return fail(Errc::kInvalidInput, fmt::format("tables of {} switches for a fabric of {}",
                                                 now.switch_count(), graph.switch_count()));
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const ChangedEntry& change = changes[i];
    const bool in_order = i == 0 || std::pair(changes[i - 1].sw, changes[i - 1].lid) <
                                        std::pair(change.sw, change.lid);
    if (change.sw.value() >= graph.switch_count() || change.lid == Lid{} ||
        change.lid.value() > kTopUnicast || !in_order) {
      return fail(Errc::kInvalidInput,
                  fmt::format("change {} of a table is of no switch or LID, or out of order", i));
    }
    if (entry(now, change.sw, change.lid.value()) != change.before) {
      return fail(Errc::kInvalidInput,
                  fmt::format("change of LID {} at {}: the entry is {} now, not {}", change.lid,
                              graph.guid(change.sw), entry(now, change.sw, change.lid.value()),
                              change.before));
    }
  }
  return {};
}

/// Those at switches that are up and that change anything, in order of LID, then switch.
std::vector<ChangedEntry> by_lid(const Availability& availability,
                                 std::span<const ChangedEntry> changes) {
  std::vector<ChangedEntry> sorted;
  sorted.reserve(changes.size());
  for (const ChangedEntry& change : changes) {
    if (availability.up(change.sw) && change.before != change.after) sorted.push_back(change);
  }
  std::ranges::sort(sorted, {}, [](const ChangedEntry& change) {
    return std::uint64_t{change.lid.value()} << 32 | change.sw.value();
  });
  return sorted;
}

/// Pours scheduled entries into blocks.
class PlanWriter {
 public:
  PlanWriter(const Graph& graph, const ForwardingTables& now, std::span<const ChangedEntry> changes,
             std::span<const ColumnOrder::Standing> standings)
      : graph_(graph), now_(now), changes_(changes), standings_(standings) {}

  void write(const BlockSchedule& schedule, WritePlan& plan);

 private:
  struct Urgent {
    std::uint64_t pairs;
    BlockWrite write;
  };
  void write_block(std::span<const std::uint32_t> entries, const BlockSchedule& schedule);
  [[nodiscard]] std::uint64_t brings_back(std::uint32_t entry) const;

  const Graph& graph_;
  const ForwardingTables& now_;
  std::span<const ChangedEntry> changes_;
  std::span<const ColumnOrder::Standing> standings_;
  std::uint32_t first_step_ = 0;  ///< that writes new entries
  std::vector<std::vector<Urgent>> steps_;
  std::size_t second_writes_ = 0;
};

/// About how many lost pairs: those of the hosts of the switch, or packets that come by.
std::uint64_t PlanWriter::brings_back(std::uint32_t entry) const {
  const ColumnOrder::Standing& standing = standings_[entry];
  const bool does = !standing.alive && standing.settled;
  return does ? graph_.terminals_of(changes_[entry].sw).size() + 1 : 0;
}

void PlanWriter::write_block(std::span<const std::uint32_t> entries,
                             const BlockSchedule& schedule) {
  const ChangedEntry& any = changes_[entries.front()];
  Urgent next{
      .pairs = 0,
      .write = {.sw = any.sw, .block = static_cast<std::uint16_t>(any.lid.value() / kBlock)}};
  const std::size_t first = std::size_t{next.write.block} * kBlock;
  for (std::size_t i = 0; i < kBlock; ++i) next.write.ports[i] = entry(now_, any.sw, first + i);

  bool cleared = false;
  for (const std::uint32_t i : entries) {
    if (!standings_[i].clear) continue;
    next.write.ports[changes_[i].lid.value() % kBlock] = ForwardingTables::kNoPort;
    cleared = true;
  }
  if (cleared) steps_.front().push_back(next);

  std::vector<std::uint32_t> in_time(entries.begin(), entries.end());
  std::ranges::stable_sort(in_time, {}, [&](std::uint32_t i) { return schedule.step[i]; });
  bool again = cleared;
  for (std::size_t i = 0; i < in_time.size();) {
    const std::uint32_t step = schedule.step[in_time[i]];
    next.pairs = 0;
    for (; i < in_time.size() && schedule.step[in_time[i]] == step; ++i) {
      const ChangedEntry& change = changes_[in_time[i]];
      next.write.ports[change.lid.value() % kBlock] = change.after;
      next.pairs += brings_back(in_time[i]);
    }
    steps_[first_step_ + step].push_back(next);
    if (again) ++second_writes_;
    again = true;
  }
}

void PlanWriter::write(const BlockSchedule& schedule, WritePlan& plan) {
  first_step_ = plan.clears_first ? 1 : 0;
  steps_.resize(first_step_ + schedule.steps);
  const std::vector<std::uint32_t>& order = schedule.by_block;
  for (std::size_t begin = 0; begin < order.size();) {
    const auto block = [&](std::size_t i) {
      return std::pair(changes_[order[i]].sw, changes_[order[i]].lid.value() / kBlock);
    };
    std::size_t end = begin + 1;
    while (end < order.size() && block(end) == block(begin)) ++end;
    write_block(std::span(order).subspan(begin, end - begin), schedule);
    begin = end;
  }
  for (std::vector<Urgent>& step : steps_) {
    std::ranges::stable_sort(step, std::greater{}, &Urgent::pairs);
    plan.steps.emplace_back();
    for (const Urgent& urgent : step) plan.steps.back().writes.push_back(urgent.write);
    plan.writes += step.size();
  }
  plan.second_writes = second_writes_;
}

}  // namespace

LidRound round_of(std::span<const LidRound> rounds, Lid lid) noexcept {
  const auto found = std::ranges::lower_bound(rounds, lid, {}, &LidRound::lid);
  return found != rounds.end() && found->lid == lid ? *found : LidRound{.lid = lid};
}

std::vector<ChangedEntry> changed_entries(const Graph& graph, const Availability& availability,
                                          const ForwardingTables& before,
                                          const ForwardingTables& after) {
  std::vector<ChangedEntry> changes;
  const std::size_t length = std::max(before.row_length(), after.row_length());
  const std::size_t common = std::min(before.row_length(), after.row_length());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    if (!availability.up(sw)) continue;
    for (std::size_t first = 0; first < length; first += kBlock) {
      const std::size_t end = std::min(first + kBlock, length);
      if (end <= common &&
          std::memcmp(&before.row(sw)[first], &after.row(sw)[first], end - first) == 0) {
        continue;
      }
      for (std::size_t lid = first; lid < end; ++lid) {
        const std::uint8_t was = entry(before, sw, lid);
        const std::uint8_t is = entry(after, sw, lid);
        if (was != is) changes.push_back({sw, Lid{static_cast<std::uint16_t>(lid)}, was, is});
      }
    }
  }
  return changes;
}

ForbiddenTurn against_order(std::span<const Direction> directions) {
  return [directions](Lid, ArcIndex held, ArcIndex wanted) {
    return directions[held.value()] != Direction::kUp &&
           directions[wanted.value()] != Direction::kDown;
  };
}

Result<WritePlan> order_writes(const Graph& graph, const Availability& availability,
                               const ForwardingTables& now, std::span<const ChangedEntry> changes,
                               const ForbiddenTurn& forbidden, const WriteOrderOptions& options) {
  if (const Status good = check(graph, now, changes); !good) return fail(good.error());
  const std::vector<ChangedEntry> sorted = by_lid(availability, changes);
  ColumnOrder order(graph, availability, now, forbidden);
  std::vector<std::uint32_t> rounds;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(
        begin, sorted.end(), [&](const ChangedEntry& change) { return change.lid != begin->lid; });
    const LidRound round = round_of(options.rounds, begin->lid);
    if (round.cleared) {
      order.add_cleared({begin, end});
    } else {
      order.add({begin, end});
    }
    rounds.resize(rounds.size() + static_cast<std::size_t>(end - begin), round.round);
    begin = end;
  }
  const auto standings = order.standings();
  std::vector<std::uint8_t> last(sorted.size());
  WritePlan plan;
  plan.entries = sorted.size();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    last[i] = sorted[i].lid == options.sm_lid && standings[i].alive ? 1 : 0;
    plan.clears_first = plan.clears_first || standings[i].clear;
  }
  PlanWriter(graph, now, sorted, standings)
      .write(schedule_blocks(sorted, order.precedences(), last, rounds), plan);
  plan.lost = order.take_lost();
  plan.interrupted = order.take_interrupted();
  std::ranges::sort(plan.lost);
  std::ranges::sort(plan.interrupted);
  return plan;
}

}  // namespace heddle::routing
