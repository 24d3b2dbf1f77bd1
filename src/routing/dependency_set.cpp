#include "routing/dependency_set.hpp"

#include <algorithm>
#include <bit>

#include "model/assert.hpp"

namespace heddle::routing {

DependencySet::DependencySet(const Graph& graph, std::uint16_t lanes)
    : lane_count_(static_cast<std::uint32_t>(std::popcount(lanes))) {
  HEDDLE_ASSERT(lanes != 0);
  std::uint8_t place = 0;
  for (std::uint8_t vl = 0; vl < 16; ++vl) {
    if ((lanes & (1U << vl)) == 0) continue;
    lane_[vl] = place;
    vl_[place++] = model::Vl{vl};
  }
  std::size_t most = 0;
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    first_arc_.push_back(graph.first_arc(model::SwitchIndex{s}).value());
    most = std::max(most, graph.arcs_of(model::SwitchIndex{s}).size());
  }
  for (const Arc& arc : graph.arcs()) end_.push_back(arc.to);
  stride_ = (most * lane_count_ + 63) / 64;
  words_.resize(end_.size() * lane_count_ * stride_);
}

void DependencySet::merge(const DependencySet& other) noexcept {
  HEDDLE_ASSERT(words_.size() == other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

std::span<const std::uint64_t> DependencySet::row(Node node) const noexcept {
  return std::span(words_).subspan(node * stride_, stride_);
}

DependencySet::Node DependencySet::first_wanted(Node node) const noexcept {
  return first_arc_[end_[node / lane_count_].value()] * lane_count_;
}

/// Strongly connected components (Tarjan, 1972), without recursion: by Node, which of them it is
/// in, 0 where it is alone, since no channel waits for itself.
std::vector<std::uint32_t> DependencySet::components() const {
  const auto nodes = static_cast<Node>(end_.size() * lane_count_);
  constexpr std::uint32_t kUnseen = 0;
  struct Frame {
    Node node;
    std::uint32_t word;
    std::uint64_t rest;  ///< bits of that word that were not followed yet
  };
  std::vector<std::uint32_t> component(nodes);
  std::vector<std::uint32_t> seen(nodes, kUnseen);  // when, counted from 1
  std::vector<std::uint32_t> low(nodes);            // kUnseen once its component is complete
  std::vector<Node> open;
  std::vector<Frame> path;
  std::uint32_t clock = 0;
  std::uint32_t found = 0;
  const auto enter = [&](Node node) {
    seen[node] = low[node] = ++clock;
    open.push_back(node);
    const auto words = row(node);
    path.push_back({node, 0, words.empty() ? 0 : words[0]});
  };
  for (Node root = 0; root < nodes; ++root) {
    if (seen[root] != kUnseen) continue;
    enter(root);
    while (!path.empty()) {
      Frame& frame = path.back();
      const Node node = frame.node;
      if (frame.rest != 0) {
        const auto bit = static_cast<Node>(std::countr_zero(frame.rest));
        frame.rest &= frame.rest - 1;
        const Node next = first_wanted(node) + frame.word * 64 + bit;
        if (seen[next] == kUnseen) {
          enter(next);
        } else if (low[next] != kUnseen) {
          low[node] = std::min(low[node], seen[next]);
        }
        continue;
      }
      if (const auto words = row(node); frame.word + 1 < words.size()) {
        frame.rest = words[++frame.word];
        continue;
      }
      path.pop_back();
      if (low[node] == seen[node]) {
        if (open.back() != node) ++found;
        const bool alone = open.back() == node;
        for (Node member = node + 1; member != node;) {
          member = open.back();
          open.pop_back();
          low[member] = kUnseen;
          component[member] = alone ? 0 : found;
        }
      } else {
        const Node before = path.back().node;
        low[before] = std::min(low[before], low[node]);
      }
    }
  }
  return component;
}

std::vector<ChannelLane> DependencySet::shortest_cycle(
    Node start, std::span<const std::uint32_t> component) const {
  constexpr Node kNone = ~Node{0};
  std::vector<Node> from(component.size(), kNone);
  std::vector<Node> queue{start};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Node node = queue[head];
    bool closed = false;
    for_each_bit(row(node), [&](std::size_t bit) {
      const Node next = first_wanted(node) + static_cast<Node>(bit);
      closed = closed || next == start;
      if (component[next] != component[start] || next == start || from[next] != kNone) return;
      from[next] = node;
      queue.push_back(next);
    });
    if (!closed) continue;
    std::vector<ChannelLane> cycle;
    for (Node at = node; at != kNone; at = from[at]) {
      cycle.push_back(channel(at));
    }
    std::ranges::reverse(cycle);
    return cycle;
  }
  return {};
}

std::vector<ChannelLane> DependencySet::find_cycle() const {
  const std::vector<std::uint32_t> component = components();
  const auto first = std::ranges::find_if(component, [](std::uint32_t c) { return c != 0; });
  if (first == component.end()) return {};
  return shortest_cycle(static_cast<Node>(first - component.begin()), component);
}

}  // namespace heddle::routing
