#include "routing/distances.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace heddle::routing {
namespace {

constexpr std::size_t kBatch = 64;  // destinations at a time: bits of a word

}  // namespace

Distances::Distances(const Graph& graph, const Availability& availability,
                     std::span<const model::SwitchIndex> from,
                     std::span<const model::SwitchIndex> to, Workers& workers)
    : columns_(from.size()), cells_(from.size() * to.size(), kUnconnected) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> column(graph.switch_count(), kNone);
  for (std::uint32_t i = 0; i < from.size(); ++i) column[from[i].value()] = i;
  workers.run_ranges(to.size(), kBatch, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> seen(graph.switch_count());
    std::vector<std::uint64_t> front(graph.switch_count());
    std::vector<std::uint64_t> next(graph.switch_count());
    const auto note = [&](std::uint32_t s, std::uint64_t bits, std::uint8_t distance) {
      if (column[s] == kNone) return;
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t row = begin + static_cast<std::size_t>(std::countr_zero(bits));
        cells_[row * columns_ + column[s]] = distance;
      }
    };
    for (std::size_t i = begin; i < end; ++i) {
      if (availability.up(to[i])) front[to[i].value()] |= std::uint64_t{1} << (i - begin);
    }
    for (std::uint32_t step = 0; std::ranges::any_of(front, std::identity{}); ++step) {
      std::ranges::fill(next, 0);
      const auto distance = static_cast<std::uint8_t>(std::min<std::uint32_t>(step, kFar));
      for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
        const std::uint64_t bits = front[s];
        if (bits == 0) continue;
        seen[s] |= bits;
        note(s, bits, distance);
        // Cables count both ways, so the way out is as long as the way in.
        const model::SwitchIndex sw{s};
        for (std::uint32_t a = 0; a < graph.arcs_of(sw).size(); ++a) {
          const ArcIndex arc{graph.first_arc(sw).value() + a};
          if (availability.usable(graph, arc)) next[graph.arc(arc).to.value()] |= bits;
        }
      }
      for (std::size_t s = 0; s < next.size(); ++s) front[s] = next[s] & ~seen[s];
    }
  });
}

}  // namespace heddle::routing
