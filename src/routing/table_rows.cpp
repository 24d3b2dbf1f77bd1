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

void TableRows::entries_at(SwitchIndex sw, SwitchIndex at, Scratch& scratch,
                           std::vector<std::uint8_t>& out) const {
  const std::span<const std::uint32_t> destinations = graph_.destinations_at(at);
  out.assign(destinations.size(), ForwardingTables::kNoPort);
  if (!availability_.up(sw)) return;
  const bool upwards = sw != at && reach_.any.test(sw.value(), at.value()) &&
                       !reach_.down.test(sw.value(), at.value());
  if (upwards) find_up(sw, at, scratch.up);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = upwards ? entry_up(sw, destinations[i], scratch.up) : entry_below(sw, destinations[i]);
  }
}

std::uint8_t TableRows::entry_below(SwitchIndex sw, std::uint32_t destination) const {
  const Destination& to = graph_.destinations()[destination];
  if (to.at == sw) return entry_here(to);
  if (reach_.down.test(sw.value(), to.at.value())) return entry_down(sw, destination);
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
    Best<std::pair<bool, std::uint64_t>> best;
    for (const DownBundle& bundle : plan_.down_bundles(sw)) {
      if (!reach.test(bundle.child.value(), to.at.value())) continue;
      if (idle(bundle.cables.front(), to.at)) continue;
      const std::uint32_t width = std::max<std::uint32_t>(plan_.width(bundle.child), 1);
      const std::optional<ArcIndex> cable = pick_parallel(
          bundle.cables, plan_.digits(bundle.child)[destination] / width, to.lid, drained);
      if (!cable) continue;
      best.offer(*cable, {plan_.on_way(graph_, bundle.child, destination),
                          rendezvous_weight(key_of(to.lid, Choice::kChild, 0),
                                            graph_.guid(bundle.child).value())});
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

bool TableRows::UpChoices::has(const UpSlot& slot) const noexcept {
  if (const UpSlot* const only = single(slot.label)) return only->arc == slot.arc;
  return has(slot.label) && std::ranges::find(cables, slot.arc, &UpSlot::arc) != cables.end();
}

void TableRows::find_up(SwitchIndex sw, SwitchIndex at, UpChoices& found) const {
  const bool preferred = reach_.has_drained && reach_.preferred.test(sw.value(), at.value());
  const BitRows& above = preferred ? reach_.preferred : reach_.any;
  const BitRows& across = preferred ? reach_.down_preferred : reach_.down;
  const Drained drained = preferred ? Drained::kAvoid : Drained::kAllow;
  found.cables.clear();
  found.at_label.clear();
  found.whole = true;
  for (const UpSlot& up : plan_.up_cables(sw)) {
    const BitRows& reach = plan_.direction(up.arc) == Direction::kAcross ? across : above;
    if (!reach.test(graph_.arc(up.arc).to.value(), at.value()) || !usable(up.arc, drained) ||
        idle(up.arc, at)) {
      continue;
    }
    found.cables.push_back(up);
    found.whole = found.whole && availability_.capacity(up.arc).value >= kFullCapacity;
    if (found.at_label.size() <= up.label) found.at_label.resize(up.label + std::size_t{1});
    std::uint16_t& place = found.at_label[up.label];
    place = place == 0 ? static_cast<std::uint16_t>(found.cables.size()) : UpChoices::kSeveral;
  }
}

std::uint8_t TableRows::entry_up(SwitchIndex sw, std::uint32_t destination,
                                 const UpChoices& up) const {
  const Destination& to = graph_.destinations()[destination];
  const auto slots = plan_.wanted_slots(sw);
  const std::uint32_t width = plan_.width(sw);
  std::optional<std::uint16_t> wanted_label;
  if (!slots.empty()) {
    const std::uint8_t digit = plan_.digits(sw)[destination];
    const std::optional<UpSlot>& slot = slots[digit];
    if (slot && up.has(*slot) &&
        (up.whole || takes_share(graph_, availability_, slot->arc, to.lid))) {
      return graph_.arc(slot->arc).exit.value();
    }
    wanted_label = static_cast<std::uint16_t>(digit % width);
  }
  const std::optional<std::uint16_t> substitute =
      wanted_label && width > 1 ? std::optional(plan_.substitute(sw, destination)) : std::nullopt;
  if (up.whole && substitute && !up.has(*wanted_label)) {
    if (const UpSlot* const only = up.single(*substitute))
      return graph_.arc(only->arc).exit.value();
  }
  // Another cable to the same parent keeps the flow together with those of other switches; else
  // another parent, at first one that spreads the destinations of a lost slot evenly; else the one
  // of greatest weight. Weights are computed only where it comes to them.
  const auto rank = [&](const UpSlot& slot) {
    return (takes_share(graph_, availability_, slot.arc, to.lid) ? 4U : 0U) +
           (wanted_label == slot.label ? 2U : 0U) + (substitute == slot.label ? 1U : 0U);
  };
  unsigned highest = 0;
  std::size_t count = 0;
  const UpSlot* choice = nullptr;
  for (const UpSlot& slot : up.cables) {
    const unsigned own = rank(slot);
    if (choice != nullptr && own < highest) continue;
    count = own == highest ? count + 1 : 1;
    highest = own;
    choice = &slot;
  }
  if (choice == nullptr) return ForwardingTables::kNoPort;
  if (count == 1) return graph_.arc(choice->arc).exit.value();
  const std::uint64_t level = plan_.level(sw);
  Best<std::pair<std::uint64_t, std::uint64_t>> best;
  for (const UpSlot& slot : up.cables) {
    if (rank(slot) != highest) continue;
    best.offer(slot.arc, {rendezvous_weight(key_of(to.lid, Choice::kLabel, level), slot.label),
                          rendezvous_weight(key_of(to.lid, Choice::kCable, level),
                                            graph_.arc(slot.arc).exit.value())});
  }
  return graph_.arc(*best.cable()).exit.value();
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
      if (idle(bundle.cables.front(), SwitchIndex{static_cast<std::uint32_t>(at)})) return;
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
    } else if (test_bit(any, at) && !reach_.down.test(sw.value(), at)) {
      find_up(sw, run.at, scratch.up);
      if (scratch.up.cables.size() == 1) {
        std::ranges::fill(out, graph_.arc(scratch.up.cables.front().arc).exit.value());
        continue;
      }
      for (std::uint32_t i = 0; i < run.count; ++i) {
        out[i] = entry_up(sw, run.first + i, scratch.up);
      }
    } else if (test_bit(any, at)) {
      for (std::uint32_t i = 0; i < run.count; ++i) out[i] = entry_below(sw, run.first + i);
    }
  }
}

}  // namespace heddle::routing
