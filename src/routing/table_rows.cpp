#include "routing/table_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/forwarding_tables.hpp"
#include "routing/best.hpp"
#include "routing/rendezvous.hpp"
#include "routing/share.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::SwitchIndex;

namespace {

constexpr std::uint16_t kSeveral = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kFullCapacity = 100;

/// Kinds of rendezvous, so that one LID's choices of different kinds do not go together.
enum class Choice : std::uint64_t { kLabel = 1, kCable = 2, kChild = 3 };

std::uint64_t key_of(Lid lid, Choice choice, std::uint64_t level) {
  return lid.value() | static_cast<std::uint64_t>(choice) << 16U | level << 24U;
}

}  // namespace

std::vector<DestinationRun> destination_runs(const Graph& graph) {
  std::vector<DestinationRun> runs;
  const auto all = graph.destinations();
  for (std::uint32_t d = 0; d < all.size(); ++d) {
    const bool goes_on = !runs.empty() && runs.back().at == all[d].at &&
                         all[d].lid.value() == all[d - 1].lid.value() + 1;
    if (goes_on) {
      ++runs.back().count;
    } else {
      runs.push_back({all[d].at, d, 1});
    }
  }
  return runs;
}

std::uint8_t TableRows::entry(SwitchIndex sw, std::uint32_t destination) const {
  if (!availability_.up(sw)) return ForwardingTables::kNoPort;
  const Destination& to = graph_.destinations()[destination];
  if (to.at == sw) return entry_here(to);
  if (reach_.down.test(sw.value(), to.at.value())) return entry_down(sw, destination);
  if (reach_.any.test(sw.value(), to.at.value())) return entry_up(sw, destination);
  return ForwardingTables::kNoPort;
}

std::uint8_t TableRows::entry_here(const Destination& to) const {
  return availability_.usable(graph_, to) ? graph_.last_exit(to).value()
                                          : ForwardingTables::kNoPort;
}

/// The wanted one of parallel cables, else the one of greatest weight among those that may be used.
std::optional<ArcIndex> TableRows::pick_parallel(std::span<const ArcIndex> cables,
                                                 std::uint32_t wanted, Lid lid,
                                                 Drained drained) const {
  const ArcIndex first = cables[wanted % cables.size()];
  if (usable(first, drained) && takes_share(graph_, availability_, first, lid)) return first;
  Best<std::pair<bool, std::uint64_t>> best;
  for (const ArcIndex cable : cables) {
    if (!usable(cable, drained)) continue;
    best.offer(cable,
               {takes_share(graph_, availability_, cable, lid),
                rendezvous_weight(key_of(lid, Choice::kCable, 0), graph_.arc(cable).exit.value())});
  }
  return best.cable();
}

std::uint8_t TableRows::entry_down(SwitchIndex sw, std::uint32_t destination) const {
  const Destination& to = graph_.destinations()[destination];
  const auto try_over = [&](const BitRows& reach, Drained drained) {
    Best<std::uint64_t> best;
    for (const DownBundle& bundle : plan_.down_bundles(sw)) {
      if (!reach.test(bundle.child.value(), to.at.value())) continue;
      const std::uint32_t width = std::max<std::uint32_t>(plan_.width(bundle.child), 1);
      const std::optional<ArcIndex> cable = pick_parallel(
          bundle.cables, plan_.digits(bundle.child)[destination] / width, to.lid, drained);
      if (!cable) continue;
      best.offer(*cable, rendezvous_weight(key_of(to.lid, Choice::kChild, 0),
                                           graph_.guid(bundle.child).value()));
    }
    return best.cable();
  };
  std::optional<ArcIndex> cable;
  if (reach_.has_drained) {
    cable = try_over(reach_.down_preferred, Drained::kAvoid);
    if (!cable) cable = try_over(reach_.down, Drained::kAvoid);
  }
  if (!cable) cable = try_over(reach_.down, Drained::kAllow);
  return cable ? graph_.arc(*cable).exit.value() : ForwardingTables::kNoPort;
}

std::uint8_t TableRows::entry_up(SwitchIndex sw, std::uint32_t destination) const {
  const Destination& to = graph_.destinations()[destination];
  const bool preferred = reach_.has_drained && reach_.preferred.test(sw.value(), to.at.value());
  const BitRows& above = preferred ? reach_.preferred : reach_.any;
  const BitRows& across = preferred ? reach_.down_preferred : reach_.down;
  const Drained drained = preferred ? Drained::kAvoid : Drained::kAllow;
  const auto delivers = [&](ArcIndex cable) {
    const BitRows& reach = plan_.direction(cable) == Direction::kAcross ? across : above;
    return usable(cable, drained) && reach.test(graph_.arc(cable).to.value(), to.at.value());
  };
  const auto slots = plan_.wanted_slots(sw);
  const std::uint32_t width = plan_.width(sw);
  std::optional<std::uint16_t> wanted_label;
  if (!slots.empty()) {
    const std::uint8_t digit = plan_.digits(sw)[destination];
    const std::optional<UpSlot>& slot = slots[digit];
    if (slot && delivers(slot->arc) && takes_share(graph_, availability_, slot->arc, to.lid))
      return graph_.arc(slot->arc).exit.value();
    wanted_label = static_cast<std::uint16_t>(digit % width);
  }
  const std::optional<std::uint16_t> substitute =
      wanted_label && width > 1 ? std::optional(plan_.substitute(sw, destination)) : std::nullopt;
  // Another cable to the same parent keeps the flow together with those of other switches; else
  // another parent, at first one that spreads the destinations of a lost slot evenly.
  const std::uint64_t level = plan_.level(sw);
  struct Merit {
    bool accepts = false;
    bool wanted = false;
    bool substitutes = false;
    std::uint64_t label_weight = 0;
    std::uint64_t cable_weight = 0;
    auto operator<=>(const Merit&) const = default;
  };
  Best<Merit> best;
  for (const UpSlot& up : plan_.up_cables(sw)) {
    if (!delivers(up.arc)) continue;
    best.offer(up.arc,
               {.accepts = takes_share(graph_, availability_, up.arc, to.lid),
                .wanted = wanted_label == up.label,
                .substitutes = substitute == up.label,
                .label_weight = rendezvous_weight(key_of(to.lid, Choice::kLabel, level), up.label),
                .cable_weight = rendezvous_weight(key_of(to.lid, Choice::kCable, level),
                                                  graph_.arc(up.arc).exit.value())});
  }
  const std::optional<ArcIndex> choice = best.cable();
  return choice ? graph_.arc(*choice).exit.value() : ForwardingTables::kNoPort;
}

bool TableRows::whole(std::span<const ArcIndex> cables) const {
  return std::ranges::all_of(cables, [this](ArcIndex cable) {
    return availability_.usable(graph_, cable) &&
           availability_.capacity(cable).value >= kFullCapacity;
  });
}

void TableRows::open_columns(SwitchIndex sw, Scratch& scratch) const {
  const auto slots = plan_.wanted_slots(sw);
  scratch.open.assign(reach_.any.words_per_row(), 0);
  scratch.port_of_slot.clear();
  for (const std::optional<UpSlot>& slot : slots) {
    if (!slot || !whole(std::span(&slot->arc, 1))) return;
    scratch.port_of_slot.push_back(graph_.arc(slot->arc).exit.value());
  }
  if (slots.empty() || reach_.has_drained) return;
  const auto down = reach_.down.row(sw.value());
  std::ranges::transform(down, scratch.open.begin(), [](std::uint64_t word) { return ~word; });
  for (const UpSlot& up : plan_.up_cables(sw)) {
    const auto above = reach_.any.row(graph_.arc(up.arc).to.value());
    for (std::size_t w = 0; w < above.size(); ++w) scratch.open[w] &= above[w];
  }
}

void TableRows::bundles_by_destination(SwitchIndex sw, Scratch& scratch) const {
  scratch.bundle_of.assign(graph_.switch_count(), 0);
  std::uint16_t place = 0;
  for (const DownBundle& bundle : plan_.down_bundles(sw)) {
    ++place;
    if (std::ranges::none_of(bundle.cables, [this](ArcIndex cable) {
          return availability_.usable(graph_, cable);
        })) {
      continue;
    }
    for_each_bit(reach_.down.row(bundle.child.value()), [&](std::size_t at) {
      scratch.bundle_of[at] = scratch.bundle_of[at] == 0 ? place : kSeveral;
    });
  }
}

void TableRows::write_row(SwitchIndex sw, std::span<const DestinationRun> runs, Scratch& scratch,
                          std::span<std::uint8_t> row) const {
  std::ranges::fill(row, ForwardingTables::kNoPort);
  if (!availability_.up(sw)) return;
  open_columns(sw, scratch);
  bundles_by_destination(sw, scratch);
  const auto bundles = plan_.down_bundles(sw);
  const auto digits = plan_.digits(sw);
  const auto any = reach_.any.row(sw.value());
  for (const DestinationRun& run : runs) {
    const std::span<std::uint8_t> out =
        row.subspan(graph_.destinations()[run.first].lid.value(), run.count);
    const std::uint32_t at = run.at.value();
    const std::uint16_t place = scratch.bundle_of[at];
    if (place != 0 && place != kSeveral && !reach_.has_drained &&
        whole(bundles[place - 1U].cables)) {
      const std::span<const ArcIndex> cables = bundles[place - 1U].cables;
      if (cables.size() == 1) {
        std::ranges::fill(out, graph_.arc(cables.front()).exit.value());
        continue;
      }
      const SwitchIndex child = bundles[place - 1U].child;
      const auto up_digits = plan_.digits(child);
      const std::uint32_t width = std::max<std::uint32_t>(plan_.width(child), 1);
      for (std::uint32_t i = 0; i < run.count; ++i) {
        const ArcIndex cable = cables[up_digits[run.first + i] / width % cables.size()];
        out[i] = graph_.arc(cable).exit.value();
      }
    } else if (test_bit(scratch.open, at)) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        out[i] = scratch.port_of_slot[digits[run.first + i]];
      }
    } else if (test_bit(any, at)) {
      for (std::uint32_t i = 0; i < run.count; ++i) out[i] = entry(sw, run.first + i);
    }
  }
}

}  // namespace heddle::routing
