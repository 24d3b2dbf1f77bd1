#include "routing/dependency_graph.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "model/assert.hpp"

namespace heddle::routing {

namespace {

constexpr std::uint8_t kFromWanted = 1;
constexpr std::uint8_t kFromHeld = 2;
/// Numbers that fresh places share, and what none may come to: moves to the end go on from there.
constexpr std::uint64_t kFreshNumbers = std::uint64_t{1} << 62U;
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 63U;

}  // namespace

AcyclicChannels::AcyclicChannels(const Graph& graph)
    : AcyclicChannels(graph, std::vector<std::uint16_t>(graph.arcs().size(), 0)) {}

AcyclicChannels::AcyclicChannels(const Graph& graph, std::span<const std::uint16_t> remaining)
    : after_(graph.arcs().size() + 1),
      before_(graph.arcs().size() + 1),
      number_(graph.arcs().size() + 1),
      spacing_(kFreshNumbers / (graph.arcs().size() + 1)),
      seen_(graph.arcs().size(), 0) {
  HEDDLE_ASSERT(remaining.size() == graph.arcs().size());
  channels_.reserve(graph.arcs().size());
  std::uint32_t words = 0;
  for (const Arc& arc : graph.arcs()) {
    const auto own = static_cast<std::uint32_t>((graph.arcs_of(arc.to).size() + kBits - 1) / kBits);
    channels_.push_back({.first_next = graph.first_arc(arc.to).value(),
                         .first_previous = graph.first_arc(arc.from).value(),
                         .reverse = arc.reverse.value(),
                         .bits = words,
                         .words = own});
    words += own;
  }
  next_.resize(words);
  previous_.resize(words);
  refused_.resize(words);
  std::vector<std::uint32_t> arcs(graph.arcs().size());
  std::iota(arcs.begin(), arcs.end(), 0U);
  std::ranges::stable_sort(arcs, std::ranges::greater{},
                           [&](std::uint32_t arc) { return remaining[arc]; });
  const auto begin = static_cast<std::uint32_t>(arcs.size());
  std::uint32_t last = begin;
  for (const std::uint32_t arc : arcs) {
    after_[last] = arc;
    before_[arc] = last;
    last = arc;
  }
  after_[last] = begin;
  before_[begin] = last;
  number_anew();
}

void AcyclicChannels::clear() noexcept {
  std::ranges::fill(next_, 0);
  std::ranges::fill(previous_, 0);
  std::ranges::fill(refused_, 0);
  edges_ = 0;
  ++changes_;
}

bool AcyclicChannels::add(std::span<const std::pair<ArcIndex, ArcIndex>> held_wanted) {
  added_.clear();
  for (const auto& [held, wanted] : held_wanted) {
    if (refused(held, wanted)) return false;
  }
  for (const auto& [held, wanted] : held_wanted) {
    HEDDLE_ASSERT(wanted.value() >= channels_[held.value()].first_next);
    if (contains(held, wanted)) continue;
    if (!make_room(held.value(), wanted.value())) {
      // The order without these edges is looser, so the one found so far still holds.
      for (const auto& [from, to] : added_) flip(from, to);
      remember_refusal(held.value(), wanted.value());
      return false;
    }
    flip(held.value(), wanted.value());
    added_.emplace_back(held.value(), wanted.value());
  }
  edges_ += added_.size();
  if (!added_.empty()) ++changes_;
  return true;
}

/// Edges never go again, so what closes a cycle now always will: unless it was the rest of its
/// group, taken back since, that did.
void AcyclicChannels::remember_refusal(std::uint32_t held, std::uint32_t wanted) {
  if (!added_.empty() && make_room(held, wanted)) return;
  const std::uint32_t bit = next_bit(held, wanted);
  refused_[bit / kBits] |= std::uint64_t{1} << (bit % kBits);
  ++changes_;
}

void AcyclicChannels::flip(std::uint32_t held, std::uint32_t wanted) noexcept {
  const std::uint32_t next = next_bit(held, wanted);
  const std::uint32_t previous = previous_bit(held, wanted);
  next_[next / kBits] ^= std::uint64_t{1} << (next % kBits);
  previous_[previous / kBits] ^= std::uint64_t{1} << (previous % kBits);
}

/// Moves channels in the order until `held` stands before `wanted`; false if there is a way from
/// `wanted` to `held`.
bool AcyclicChannels::make_room(std::uint32_t held, std::uint32_t wanted) {
  if (held == wanted) return false;
  if (number_[held] < number_[wanted]) return true;
  const bool acyclic = search(held, wanted);
  for (const std::uint32_t arc : forward_) seen_[arc] = 0;
  for (const std::uint32_t arc : backward_) seen_[arc] = 0;
  return acyclic;
}

/// Collects what `wanted` leads to and what leads to `held`, between the two in the order, a step
/// of one and a step of the other, until one of both sets is whole: then that one moves past the
/// other end. False if they meet.
bool AcyclicChannels::search(std::uint32_t held, std::uint32_t wanted) {
  forward_.assign(1, wanted);
  backward_.assign(1, held);
  seen_[wanted] = kFromWanted;
  seen_[held] = kFromHeld;
  const std::uint64_t first = number_[wanted];
  const std::uint64_t last = number_[held];
  for (std::size_t step = 0;; ++step) {
    if (step == forward_.size()) {
      place_after(held, forward_);
      return true;
    }
    if (meets_backward(forward_[step], last)) return false;
    if (step == backward_.size()) {
      place_after(before_[wanted], backward_);
      return true;
    }
    if (meets_forward(backward_[step], first)) return false;
  }
}

/// Adds to forward_ what may be waited for with `arc` held, up to `last` in the order; true if that
/// leads to `held`.
bool AcyclicChannels::meets_backward(std::uint32_t arc, std::uint64_t last) {
  const Channel& channel = channels_[arc];
  for (std::uint32_t word = 0; word < channel.words; ++word) {
    for (std::uint64_t bits = next_[channel.bits + word]; bits != 0; bits &= bits - 1) {
      const std::uint32_t next =
          channel.first_next + word * kBits + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (seen_[next] == kFromHeld) return true;
      if (seen_[next] != 0 || number_[next] > last) continue;
      seen_[next] = kFromWanted;
      forward_.push_back(next);
    }
  }
  return false;
}

/// Adds to backward_ what may be held while `arc` is waited for, down to `first` in the order; true
/// if `wanted` leads to that.
bool AcyclicChannels::meets_forward(std::uint32_t arc, std::uint64_t first) {
  const Channel& channel = channels_[arc];
  const Channel& reverse = channels_[channel.reverse];
  for (std::uint32_t word = 0; word < reverse.words; ++word) {
    for (std::uint64_t bits = previous_[reverse.bits + word]; bits != 0; bits &= bits - 1) {
      const std::uint32_t out = channel.first_previous + word * kBits +
                                static_cast<std::uint32_t>(std::countr_zero(bits));
      const std::uint32_t previous = channels_[out].reverse;
      if (seen_[previous] == kFromWanted) return true;
      if (seen_[previous] != 0 || number_[previous] < first) continue;
      seen_[previous] = kFromHeld;
      backward_.push_back(previous);
    }
  }
  return false;
}

/// Moves channels, in the order that they have, to the place after `arc`, which is none of them.
void AcyclicChannels::place_after(std::uint32_t arc, std::vector<std::uint32_t>& moved) {
  std::ranges::sort(moved, {}, [this](std::uint32_t m) { return number_[m]; });
  for (const std::uint32_t m : moved) {
    after_[before_[m]] = after_[m];
    before_[after_[m]] = before_[m];
  }
  const auto begin = static_cast<std::uint32_t>(channels_.size());
  const std::uint32_t next = after_[arc];
  if (next == begin && number_[arc] >= kMostNumber) number_anew();
  const std::uint64_t end = next == begin ? number_[arc] + spacing_ : number_[next];
  const std::uint64_t step = (end - number_[arc]) / (moved.size() + 1);
  std::uint32_t last = arc;
  for (const std::uint32_t m : moved) {
    after_[last] = m;
    before_[m] = last;
    number_[m] = number_[last] + step;
    last = m;
  }
  after_[last] = next;
  before_[next] = last;
  if (step == 0) number_anew();
}

void AcyclicChannels::number_anew() {
  const auto begin = static_cast<std::uint32_t>(channels_.size());
  number_[begin] = 0;
  for (std::uint32_t arc = after_[begin]; arc != begin; arc = after_[arc]) {
    number_[arc] = number_[before_[arc]] + spacing_;
  }
}

}  // namespace heddle::routing
