#include "routing/rated_capacity.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace heddle::routing {

using model::BitsPerSecond;
using model::Fabric;
using model::LinkRate;
using model::SwitchIndex;

namespace {

constexpr std::uint8_t kNoLevel = 255;

/// Whether ports of one switch toward others run at different rates, as far as known. Hardly any
/// fabric has one, and then there is nothing to compare.
bool any_uneven_switch(const Fabric& fabric, const Graph& graph) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const auto ports = fabric.ports_of(fabric.node_of(SwitchIndex{s}));
    LinkRate first;
    for (const Arc& arc : graph.arcs_of(SwitchIndex{s})) {
      const LinkRate rate = ports[arc.exit.value()].rate;
      if (rate == LinkRate{} || rate == first) continue;
      if (first != LinkRate{}) return true;
      first = rate;
    }
  }
  return false;
}

/// By arc: of the slower end, or of the end that is known; 0 if none is.
std::vector<BitsPerSecond> rates_of_arcs(const Fabric& fabric, const Graph& graph) {
  std::vector<BitsPerSecond> near;
  near.reserve(graph.arcs().size());
  LinkRate latest;
  BitsPerSecond its_rate;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const auto ports = fabric.ports_of(fabric.node_of(SwitchIndex{s}));
    for (const Arc& arc : graph.arcs_of(SwitchIndex{s})) {
      const LinkRate rate = ports[arc.exit.value()].rate;
      if (rate != latest) {
        latest = rate;
        its_rate = model::data_rate(rate).value_or(BitsPerSecond());
      }
      near.push_back(its_rate);
    }
  }
  std::vector<BitsPerSecond> rates = near;
  for (std::uint32_t a = 0; a < rates.size(); ++a) {
    const BitsPerSecond far = near[graph.arc(ArcIndex{a}).reverse.value()];
    if (far != BitsPerSecond() && (near[a] == BitsPerSecond() || far < near[a])) rates[a] = far;
  }
  return rates;
}

/// Hops from the nearest host adapter, as model::switch_levels() counts them, over the graph alone.
std::vector<std::uint8_t> levels_of(const Graph& graph) {
  std::vector<std::uint8_t> levels(graph.switch_count(), kNoLevel);
  std::vector<SwitchIndex> frontier;
  const auto reach = [&](SwitchIndex sw, std::uint8_t level) {
    if (levels[sw.value()] != kNoLevel) return;
    levels[sw.value()] = level;
    frontier.push_back(sw);
  };
  for (const Terminal& terminal : graph.terminals()) {
    if (terminal.kind == model::NodeKind::kHostAdapter) reach(terminal.leaf, 0);
  }
  for (std::uint8_t level = 1; !frontier.empty() && level < kNoLevel; ++level) {
    const std::vector<SwitchIndex> reached = std::exchange(frontier, {});
    for (const SwitchIndex sw : reached) {
      for (const Arc& arc : graph.arcs_of(sw)) reach(arc.to, level);
    }
  }
  return levels;
}

/// The siblings' rates of the cables that one switch after the other has.
class Siblings {
 public:
  Siblings(const Fabric& fabric, const Graph& graph)
      : graph_(graph),
        levels_(levels_of(graph)),
        rates_(rates_of_arcs(fabric, graph)),
        expected_(rates_) {
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) judge(SwitchIndex{s});
    for (std::uint32_t a = 0; a < expected_.size(); ++a) {
      const std::uint32_t back = graph_.arc(ArcIndex{a}).reverse.value();
      expected_[a] = std::max(expected_[a], expected_[back]);
      if (rates_[a] == BitsPerSecond()) expected_[a] = BitsPerSecond();
    }
  }

  [[nodiscard]] const std::vector<BitsPerSecond>& rates() const noexcept { return rates_; }
  [[nodiscard]] const std::vector<BitsPerSecond>& expected() const noexcept { return expected_; }

 private:
  [[nodiscard]] std::uint8_t level(SwitchIndex sw) const { return levels_[sw.value()]; }

  void judge(SwitchIndex sw) {
    const std::uint8_t own = level(sw);
    const std::uint32_t first = graph_.first_arc(sw).value();
    const auto arcs = graph_.arcs_of(sw);
    best_.fill(BitsPerSecond());
    across_.clear();
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      const BitsPerSecond rate = rates_[first + i];
      const std::uint8_t to = level(arcs[i].to);
      if (to != own) best_[to] = std::max(best_[to], rate);
      if (to == own && rate != BitsPerSecond()) across_.push_back(rate);
    }
    std::ranges::sort(across_);
    // What three quarters reach; of fewer than four each counts.
    if (!across_.empty()) {
      best_[own] = across_.size() < 4 ? across_.back() : across_[across_.size() / 4];
    }
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
      BitsPerSecond& expected = expected_[first + i];
      const std::uint8_t to = level(arcs[i].to);
      if (to < own) continue;  // the other end judges
      expected = std::max(expected, best_[to]);
      if (to != own) continue;
      for (std::uint32_t j = 0; j < arcs.size(); ++j) {
        if (arcs[j].to == arcs[i].to) expected = std::max(expected, rates_[first + j]);
      }
    }
  }

  const Graph& graph_;
  std::vector<std::uint8_t> levels_;
  std::vector<BitsPerSecond> rates_;
  std::vector<BitsPerSecond> expected_;
  std::array<BitsPerSecond, kNoLevel + 1> best_{};  ///< of one switch, by level of the other end
  std::vector<BitsPerSecond> across_;               ///< its cables within its level
};

}  // namespace

std::vector<BitsPerSecond> sibling_rates(const Fabric& fabric, const Graph& graph) {
  if (!any_uneven_switch(fabric, graph)) return {};
  const Siblings siblings(fabric, graph);
  return siblings.expected() == siblings.rates() ? std::vector<BitsPerSecond>()
                                                 : siblings.expected();
}

Availability with_rates(const Fabric& fabric, const Graph& graph, Availability availability) {
  if (!any_uneven_switch(fabric, graph)) return availability;
  const Siblings siblings(fabric, graph);
  for (std::uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const BitsPerSecond rate = siblings.rates()[a];
    const BitsPerSecond expected = siblings.expected()[a];
    if (rate == expected || availability.capacity(ArcIndex{a}) != CapacityPercent{}) continue;
    const std::uint64_t percent = (rate.value() * 100 + expected.value() - 1) / expected.value();
    availability.set_capacity(graph, ArcIndex{a}, {static_cast<std::uint8_t>(percent)});
  }
  return availability;
}

}  // namespace heddle::routing
