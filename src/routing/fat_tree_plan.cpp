#include "routing/fat_tree_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace heddle::routing {

using model::Fabric;
using model::NodeKind;
using model::SwitchIndex;

namespace {

/// A digit is an octet.
constexpr std::uint32_t kMaxSlots = 256;

/// Cables of one switch to one parent.
struct Bundle {
  SwitchIndex parent;
  std::uint16_t label = 0;
  std::vector<ArcIndex> cables;  ///< in order of exit port
};

}  // namespace

FatTreePlan FatTreePlan::make(const Fabric& fabric, const Graph& graph,
                              const Structure& structure) {
  FatTreePlan plan;
  plan.rank_switches(graph, structure);
  plan.columns_ = find_columns(graph, plan.level_);
  if (structure.shape == Shape::kDragonflyPlus) align_labels(graph, plan.level_, plan.columns_);
  plan.place_cables(graph);
  plan.number_terminals(fabric, graph, structure);
  plan.number_destinations(graph);
  if (structure.shape != Shape::kDragonflyPlus) {
    plan.moves_ = find_free_places(graph, plan);
    for (const Move& move : plan.moves_)
      plan.number_of_destination_[move.destination] = move.number;
  }
  plan.make_digits(graph);
  return plan;
}

void FatTreePlan::rank_switches(const Graph& graph, const Structure& structure) {
  for (const std::optional<std::uint8_t>& level : structure.level) {
    level_.push_back(level.value_or(0));
  }
  pod_ = structure.pod;
  pod_.resize(graph.switch_count());
  order_ = order_by_level(graph, level_);
  if (structure.shape != Shape::kDragonflyPlus) return;
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const Arc& arc = graph.arc(ArcIndex{a});
    if (level(arc.from) != 0 && level(arc.from) == level(arc.to)) {
      order_.directions[a] = Direction::kAcross;
      order_.sideways[a] = 0;
    }
  }
  if (std::ranges::find(order_.sideways, 1) == order_.sideways.end()) order_.sideways.clear();
}

void FatTreePlan::place_cables(const Graph& graph) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const std::uint32_t labels = width(sw);
    std::vector<Bundle> bundles;  // in order of the parent's first port
    for (std::uint32_t i = 0; i < graph.arcs_of(sw).size(); ++i) {
      const Arc& arc = graph.arcs_of(sw)[i];
      const ArcIndex index{graph.first_arc(sw).value() + i};
      if (direction(index) == Direction::kDown) continue;
      const auto found = std::ranges::find(bundles, arc.to, &Bundle::parent);
      if (found == bundles.end()) {
        bundles.push_back({arc.to, columns_.at(arc.to).label, {index}});
      } else {
        found->cables.push_back(index);
      }
    }
    // A parent takes the place of its label if it serves switches like this one and the place is
    // free; of two, the one with more cables. Others are strangers: swapped cables, say.
    std::ranges::stable_sort(bundles, std::greater{},
                             [](const Bundle& b) { return b.cables.size(); });
    std::vector<const Bundle*> at_label(labels, nullptr);
    std::vector<std::pair<std::uint16_t, ArcIndex>> strangers;
    std::vector<std::pair<std::uint16_t, ArcIndex>> sideways;  // they lead to no other hosts
    std::size_t parallel = 1;
    for (const Bundle& bundle : bundles) {
      const bool fits = is_parent(bundle.parent, sw) && at_label[bundle.label] == nullptr;
      if (fits) {
        at_label[bundle.label] = &bundle;
        parallel = std::max(parallel, bundle.cables.size());
      } else {
        for (const ArcIndex cable : bundle.cables) {
          (order_.is_sideways(cable) ? sideways : strangers).emplace_back(bundle.label, cable);
        }
      }
    }
    if (labels != 0) parallel = std::clamp<std::size_t>(parallel, 1, kMaxSlots / labels);
    const std::size_t first = slots_.size();
    first_slot_.push_back(static_cast<std::uint32_t>(first));
    wanted_.push_back(static_cast<std::uint32_t>(labels * parallel));
    slots_.resize(first + labels * parallel);
    std::size_t next_stranger = 0;
    std::vector<std::pair<std::uint32_t, UpSlot>> used;
    for (std::uint16_t label = 0; label < labels; ++label) {
      std::vector<ArcIndex> cables;
      if (at_label[label] != nullptr) {
        cables = at_label[label]->cables;
      } else if (next_stranger < strangers.size()) {
        cables = {strangers[next_stranger++].second};
      }
      for (std::size_t k = 0; k < parallel && !cables.empty(); ++k) {
        slots_[first + label + k * labels] = UpSlot{label, cables[k % cables.size()]};
      }
      for (const ArcIndex cable : cables) cables_.push_back({label, cable});
    }
    for (; next_stranger < strangers.size(); ++next_stranger) {
      cables_.push_back({strangers[next_stranger].first, strangers[next_stranger].second});
    }
    for (const auto& [label, cable] : sideways) cables_.push_back({label, cable});
    first_cable_.push_back(static_cast<std::uint32_t>(cables_.size()));
  }
  down_.resize(graph.switch_count());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    for (const UpSlot& up : up_cables(SwitchIndex{s})) {
      if (direction(up.arc) != Direction::kUp) continue;
      std::vector<DownBundle>& bundles = down_[graph.arc(up.arc).to.value()];
      if (bundles.empty() || bundles.back().child != SwitchIndex{s}) {
        bundles.push_back({SwitchIndex{s}, {}});
      }
      bundles.back().cables.push_back(graph.arc(up.arc).reverse);
    }
  }
}

void FatTreePlan::number_terminals(const Fabric& fabric, const Graph& graph,
                                   const Structure& structure) {
  std::vector<SwitchIndex> order = structure.leaf_order;
  for (const SwitchIndex sw : order_.ascending) {
    if (level(sw) != 0) order.push_back(sw);
  }
  number_.resize(graph.terminals().size());
  std::uint32_t next = 0;
  // Ports of one host, by what its adapters have in common, as they are numbered.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> numbers_of_host;
  const auto host_of = [&](const Terminal& terminal) {
    const model::Node& node = fabric.node(terminal.node);
    return node.system_guid ? node.system_guid->value() : node.guid.value();
  };
  const auto number_on = [&](SwitchIndex sw, auto wanted) {
    std::vector<std::uint32_t> here;
    for (std::uint32_t i = 0; i < graph.terminals_of(sw).size(); ++i) {
      if (wanted(graph.terminals_of(sw)[i])) here.push_back(graph.first_terminal(sw).value() + i);
    }
    if (here.empty()) return;
    // Turned so far that as few ports as possible share their parent with another port of their
    // host.
    const auto count = static_cast<std::uint32_t>(here.size());
    const std::uint32_t labels = std::max<std::uint32_t>(width(sw), 1);
    std::uint32_t best_turn = 0;
    std::size_t fewest = ~std::size_t{0};
    for (std::uint32_t turn = 0; turn < std::min(count, labels) && fewest != 0; ++turn) {
      std::size_t shared = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto found = numbers_of_host.find(host_of(graph.terminal(TerminalIndex{here[i]})));
        if (found == numbers_of_host.end()) continue;
        const std::uint32_t number = next + (i + turn) % count;
        shared += static_cast<std::size_t>(std::ranges::count_if(
            found->second, [&](std::uint32_t other) { return other % labels == number % labels; }));
      }
      if (shared < fewest) {
        fewest = shared;
        best_turn = turn;
      }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      number_[here[i]] = next + (i + best_turn) % count;
      numbers_of_host[host_of(graph.terminal(TerminalIndex{here[i]}))].push_back(number_[here[i]]);
    }
    next += count;
  };
  const auto is_host = [](const Terminal& t) { return t.kind == NodeKind::kHostAdapter; };
  for (const SwitchIndex sw : order) number_on(sw, is_host);
  for (const SwitchIndex sw : order) number_on(sw, [&](const Terminal& t) { return !is_host(t); });
}

void FatTreePlan::number_destinations(const Graph& graph) {
  const std::size_t levels =
      level_.empty() ? 0 : *std::ranges::max_element(level_) + std::size_t{1};
  labels_.assign(levels, 0);
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    labels_[level_[s]] = std::max<std::uint32_t>(labels_[level_[s]], width(SwitchIndex{s}));
  }
  divisor_.assign(levels, 1);
  for (std::size_t l = 1; l < levels; ++l) {
    divisor_[l] = divisor_[l - 1] * std::max<std::uint32_t>(labels_[l - 1], 1);
  }
  // Switches are destinations too, numbered within their level.
  std::vector<std::uint32_t> place(graph.switch_count());
  std::vector<std::uint32_t> next(levels, 0);
  for (const SwitchIndex sw : order_.ascending) place[sw.value()] = next[level(sw)]++;
  for (const Destination& to : graph.destinations()) {
    number_of_destination_.push_back(to.terminal ? number_[to.terminal->value()]
                                                 : place[to.at.value()]);
  }
}

std::uint16_t FatTreePlan::label_on_the_way(SwitchIndex sw, std::uint8_t below) const noexcept {
  const Columns::Column* column = &columns_.at(sw);
  for (std::size_t l = level(sw); l > below + 1U && column->lower; --l) {
    column = &columns_.columns[*column->lower];
  }
  return column->label;
}

bool FatTreePlan::on_way(const Graph& graph, SwitchIndex sw, std::uint32_t destination) const {
  SwitchIndex at = graph.destinations()[destination].at;
  if (at == sw) return true;
  const auto moved = std::ranges::lower_bound(moves_, destination, {}, &Move::destination);
  if (moved != moves_.end() && moved->destination == destination) {
    return std::ranges::find(moved->way, sw) != moved->way.end();
  }
  while (level(at) < level(sw) && !wanted_slots(at).empty()) {
    const std::optional<UpSlot>& slot = wanted_slots(at)[digits(at)[destination]];
    if (!slot) return false;
    at = graph.arc(slot->arc).to;
  }
  return at == sw;
}

void FatTreePlan::make_digits(const Graph& graph) {
  std::map<std::tuple<std::uint8_t, std::uint16_t, std::uint32_t>, std::uint32_t> known;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const std::uint32_t slots = wanted_[s];
    const auto [found, is_new] = known.try_emplace({level(sw), width(sw), slots},
                                                   static_cast<std::uint32_t>(digits_.size()));
    digit_table_.push_back(found->second);
    if (!is_new) continue;
    std::vector<std::uint8_t>& digits = digits_.emplace_back(graph.destinations().size());
    if (slots == 0) continue;
    const std::uint32_t labels = width(sw);
    for (std::size_t d = 0; d < digits.size(); ++d) {
      const Destination& to = graph.destinations()[d];
      // Only one column of parents leads to a switch above.
      const std::uint32_t digit =
          level(to.at) > level(sw)
              ? label_on_the_way(to.at, level(sw)) % labels +
                    labels * ((number_of_destination_[d] + to.path) % (slots / labels))
              : slot_of(graph, sw, static_cast<std::uint32_t>(d));
      digits[d] = static_cast<std::uint8_t>(digit);
    }
  }
}

}  // namespace heddle::routing
