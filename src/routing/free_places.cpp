#include "routing/free_places.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "routing/fat_tree_plan.hpp"

namespace heddle::routing {

using model::SwitchIndex;

namespace {

/// Ways of all hosts down the tree. A way is known by the arcs that lead up it.
class Places {
 public:
  Places(const Graph& graph, const FatTreePlan& plan)
      : graph_(graph), plan_(plan), hosts_over_(graph.arcs().size(), 0) {}

  [[nodiscard]] std::vector<Move> find() {
    const auto all = graph_.destinations();
    std::vector<std::uint32_t> without;  // a way of their own
    std::vector<ArcIndex> way;
    for (std::uint32_t d = 0; d < all.size(); ++d) {
      if (!is_host(all[d])) continue;
      if (follow_own(d, way)) {
        for (const ArcIndex arc : way) ++hosts_over_[arc.value()];
      } else {
        without.push_back(d);
      }
    }
    if (without.empty()) return {};
    find_usual_loads();
    std::vector<Move> moves;
    for (const std::uint32_t d : without) {
      way.clear();
      const std::optional<std::uint32_t> number = climb(d, all[d].at, way);
      if (!number) continue;
      Move& move = moves.emplace_back(Move{d, *number, {}});
      for (const ArcIndex arc : way) {
        ++hosts_over_[arc.value()];
        move.way.push_back(graph_.arc(arc).to);
      }
    }
    return moves;
  }

 private:
  [[nodiscard]] bool is_host(const Destination& to) const {
    return to.terminal && plan_.level(to.at) == 0 &&
           graph_.terminal(*to.terminal).kind == model::NodeKind::kHostAdapter;
  }

  /// The way that the destination's number gives it, if all its cables are where they belong.
  [[nodiscard]] bool follow_own(std::uint32_t destination, std::vector<ArcIndex>& way) const {
    way.clear();
    SwitchIndex at = graph_.destinations()[destination].at;
    while (plan_.width(at) != 0) {
      const auto slots = plan_.wanted_slots(at);
      const std::optional<UpSlot>& slot = slots[plan_.slot_of(graph_, at, destination)];
      if (!slot) return false;
      const SwitchIndex parent = graph_.arc(slot->arc).to;
      if (!plan_.is_parent(parent, at) || plan_.label(parent) != slot->label) return false;
      way.push_back(slot->arc);
      at = parent;
    }
    return true;
  }

  /// Of the used cables between two levels, as many hosts as most have at most.
  void find_usual_loads() {
    std::vector<std::vector<std::uint32_t>> loads;
    for (std::uint32_t a = 0; a < hosts_over_.size(); ++a) {
      if (hosts_over_[a] == 0) continue;
      const std::size_t level = plan_.level(graph_.arc(ArcIndex{a}).from);
      if (loads.size() <= level) loads.resize(level + 1);
      loads[level].push_back(hosts_over_[a]);
    }
    for (std::vector<std::uint32_t>& of_level : loads) {
      if (of_level.empty()) {
        usual_.push_back(0);
        continue;
      }
      const auto middle = of_level.begin() + static_cast<std::ptrdiff_t>(of_level.size() / 2);
      std::ranges::nth_element(of_level, middle);
      usual_.push_back(*middle);
    }
  }

  /// Goes on up from `at` over cables with room until a root gives a number that leads down the
  /// same way.
  [[nodiscard]] std::optional<std::uint32_t> climb(std::uint32_t destination, SwitchIndex at,
                                                   std::vector<ArcIndex>& way) const {
    if (plan_.width(at) == 0) return number_for(destination, at, way);
    const std::size_t level = plan_.level(at);
    if (level >= usual_.size()) return std::nullopt;
    for (const UpSlot& up : plan_.up_cables(at)) {
      if (plan_.direction(up.arc) != Direction::kUp || plan_.order().is_sideways(up.arc) ||
          hosts_over_[up.arc.value()] >= usual_[level]) {
        continue;
      }
      way.push_back(up.arc);
      if (const auto number = climb(destination, graph_.arc(up.arc).to, way)) return number;
      way.pop_back();
    }
    return std::nullopt;
  }

  /// The number that leads from everywhere to the root and down the way from there, with the rest
  /// of the destination's own where that is free to choose.
  [[nodiscard]] std::optional<std::uint32_t> number_for(std::uint32_t destination, SwitchIndex root,
                                                        std::span<const ArcIndex> way) const {
    const std::uint32_t path = graph_.destinations()[destination].path;
    std::uint32_t base = 0;
    for (std::uint8_t level = 0; level < plan_.level(root); ++level) {
      const std::uint32_t labels = plan_.labels_at(level);
      if (labels == 0) return std::nullopt;
      const std::uint32_t label = plan_.label_on_the_way(root, level);
      base += (label + labels - path % labels) % labels * plan_.divisor(level);
    }
    const std::uint32_t unit = plan_.divisor(plan_.level(root));
    const std::uint32_t rest = plan_.number_of(destination) / unit;
    constexpr std::uint32_t kTries = 16;  // parallel cables that the rest chooses from
    for (std::uint32_t i = 0; i < kTries; ++i) {
      const std::uint32_t number = base + unit * (rest + i);
      if (leads(number, path, root, way)) return number;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool leads(std::uint32_t number, std::uint32_t path, SwitchIndex root,
                           std::span<const ArcIndex> way) const {
    for (std::uint8_t level = 0; level < plan_.level(root); ++level) {
      const std::uint32_t label = (number / plan_.divisor(level) + path) % plan_.labels_at(level);
      if (label != plan_.label_on_the_way(root, level)) return false;
    }
    return std::ranges::all_of(way, [&](ArcIndex up) {
      const SwitchIndex child = graph_.arc(up).from;
      const std::uint32_t width = plan_.width(child);
      const auto slots = static_cast<std::uint32_t>(plan_.wanted_slots(child).size());
      if (slots == 0) return false;
      const std::uint32_t parallel =
          (number / plan_.divisor(plan_.level(child)) + path) % slots / width;
      for (const DownBundle& bundle : plan_.down_bundles(graph_.arc(up).to)) {
        if (bundle.child != child) continue;
        return bundle.cables[parallel % bundle.cables.size()] == graph_.arc(up).reverse;
      }
      return false;
    });
  }

  const Graph& graph_;
  const FatTreePlan& plan_;
  std::vector<std::uint32_t> hosts_over_;  ///< by ArcIndex of the way up
  std::vector<std::uint32_t> usual_;       ///< by level of the lower end
};

}  // namespace

std::vector<Move> find_free_places(const Graph& graph, const FatTreePlan& plan) {
  return Places(graph, plan).find();
}

}  // namespace heddle::routing
