#include "routing/pair_levels.hpp"

#include <utility>
#include <vector>

#include "routing/dependency_graph.hpp"

namespace heddle::routing {

using model::ForwardingTables;
using model::Lid;
using model::Sl;
using model::SwitchIndex;

namespace {

class PairLevels {
 public:
  PairLevels(const Graph& graph, const Availability& availability, const ForwardingTables& tables,
             std::uint8_t max_lanes)
      : graph_(graph),
        tables_(tables),
        max_lanes_(max_lanes),
        lids_(graph.switch_count()),
        has_terminals_(graph.switch_count(), 0),
        levels_(graph.switch_count(), graph.top_lid()) {
    for (const Destination& destination : graph.destinations()) {
      if (!availability.usable(graph, destination)) continue;
      lids_[destination.at.value()].push_back(destination.lid);
      if (destination.terminal) has_terminals_[destination.at.value()] = 1;
    }
  }

  [[nodiscard]] std::optional<PathLevels> place_all() {
    const auto switches = static_cast<std::uint32_t>(graph_.switch_count());
    for (const unsigned with_terminals : {2U, 1U, 0U}) {
      for (std::uint32_t a = 0; a < switches; ++a) {
        for (std::uint32_t b = a + 1; b < switches; ++b) {
          if (unsigned{has_terminals_[a]} + has_terminals_[b] != with_terminals) continue;
          if (!place(SwitchIndex{a}, SwitchIndex{b})) return std::nullopt;
        }
      }
    }
    return std::move(levels_);
  }

 private:
  bool place(SwitchIndex a, SwitchIndex b) {
    edges_.clear();
    for (const Lid lid : lids_[b.value()]) add_path(a, lid);
    for (const Lid lid : lids_[a.value()]) add_path(b, lid);
    for (std::uint8_t lane = 0; lane < max_lanes_; ++lane) {
      if (lane == lanes_.size()) lanes_.emplace_back(graph_);
      if (!lanes_[lane].add(edges_)) continue;
      for (const Lid lid : lids_[b.value()]) levels_.set(a, lid, Sl{lane});
      for (const Lid lid : lids_[a.value()]) levels_.set(b, lid, Sl{lane});
      return true;
    }
    return false;
  }

  void add_path(SwitchIndex from, Lid lid) {
    std::optional<ArcIndex> held;
    for (auto port = tables_.port(from, lid); port; port = tables_.port(from, lid)) {
      const PortTarget target = graph_.target(from, *port);
      if (target.kind != PortTarget::Kind::kSwitch) return;
      const ArcIndex wanted{target.index};
      if (held) edges_.emplace_back(*held, wanted);
      held = wanted;
      from = graph_.arc(wanted).to;
    }
  }

  const Graph& graph_;
  const ForwardingTables& tables_;
  std::uint8_t max_lanes_;
  std::vector<std::vector<Lid>> lids_;  ///< in use, by switch
  std::vector<std::uint8_t> has_terminals_;
  PathLevels levels_;
  std::vector<AcyclicChannels> lanes_;
  std::vector<std::pair<ArcIndex, ArcIndex>> edges_;
};

}  // namespace

std::optional<PathLevels> pair_levels(const Graph& graph, const Availability& availability,
                                      const ForwardingTables& tables, std::uint8_t max_lanes) {
  return PairLevels(graph, availability, tables, max_lanes).place_all();
}

}  // namespace heddle::routing
