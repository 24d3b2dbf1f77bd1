#include "routing/sources.hpp"

#include <algorithm>

namespace heddle::routing {

Sources::Sources(const Graph& graph, const Availability& availability)
    : group_of_(graph.terminals().size()), node_of_(graph.terminals().size()) {
  std::vector<std::uint32_t> source_of_switch(graph.switch_count());
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    const model::SwitchIndex sw{s};
    const std::size_t before = terminals_.size();
    for (std::uint32_t t = 0; t < graph.terminals_of(sw).size(); ++t) {
      const TerminalIndex terminal{graph.first_terminal(sw).value() + t};
      if (availability.usable(graph, terminal)) terminals_.push_back(terminal);
    }
    if (terminals_.size() == before) continue;
    source_of_switch[s] = static_cast<std::uint32_t>(switches_.size());
    switches_.push_back(sw);
    first_terminal_.push_back(static_cast<std::uint32_t>(terminals_.size()));
  }
  index_nodes(graph);
  std::vector<std::uint32_t> at;
  for (std::uint32_t source = 0; source < switches_.size(); ++source) {
    const std::size_t first_group = groups_.size();
    for (const TerminalIndex terminal : terminals(source)) {
      at.clear();
      for (const TerminalIndex sibling : siblings(terminal)) {
        at.push_back(source_of_switch[graph.terminal(sibling).leaf.value()]);
      }
      std::ranges::sort(at);
      at.erase(std::unique(at.begin(), at.end()), at.end());
      const auto same =
          std::find_if(groups_.begin() + static_cast<std::ptrdiff_t>(first_group), groups_.end(),
                       [&](const Group& group) { return std::ranges::equal(ats(group), at); });
      group_of_[terminal.value()] = static_cast<std::uint32_t>(same - groups_.begin());
      if (same != groups_.end()) {
        ++same->count;
        continue;
      }
      groups_.push_back({.source = source,
                         .count = 1,
                         .first_at = static_cast<std::uint32_t>(ats_.size()),
                         .at_count = static_cast<std::uint32_t>(at.size())});
      ats_.insert(ats_.end(), at.begin(), at.end());
    }
  }
}

void Sources::index_nodes(const Graph& graph) {
  by_node_ = terminals_;
  const auto key = [&graph](TerminalIndex t) { return std::pair(graph.terminal(t).node, t); };
  std::ranges::sort(by_node_, {}, key);
  for (std::uint32_t i = 0; i < by_node_.size(); ++i) {
    if (i == 0 || graph.terminal(by_node_[i]).node != graph.terminal(by_node_[i - 1]).node) {
      first_of_node_.push_back(i);
    }
    node_of_[by_node_[i].value()] = static_cast<std::uint32_t>(first_of_node_.size() - 1);
  }
  first_of_node_.push_back(static_cast<std::uint32_t>(by_node_.size()));
}

}  // namespace heddle::routing
