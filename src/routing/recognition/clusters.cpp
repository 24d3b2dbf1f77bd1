#include "routing/recognition/clusters.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace heddle::routing::recognition {
namespace {

/// Passes after which labels are taken as they are; three suffice on every fabric tried.
constexpr int kMaxPasses = 8;

std::vector<std::vector<std::uint32_t>> units_by_upper(const Incidence& incidence) {
  std::vector<std::vector<std::uint32_t>> units(incidence.uppers);
  for (std::uint32_t u = 0; u < incidence.uppers_of.size(); ++u) {
    for (const std::uint32_t upper : incidence.uppers_of[u]) units[upper].push_back(u);
  }
  return units;
}

/// Labels of units: the lowest unit of those that are tied by having more than half of the uppers
/// of either in common.
std::vector<std::uint32_t> tie_alike(const Incidence& incidence,
                                     const std::vector<std::vector<std::uint32_t>>& units_of) {
  const auto count = static_cast<std::uint32_t>(incidence.uppers_of.size());
  UnionFind sets(count);
  std::vector<std::uint32_t> shared(count, 0);
  std::vector<std::uint32_t> touched;
  for (std::uint32_t a = 0; a < count; ++a) {
    touched.clear();
    for (const std::uint32_t upper : incidence.uppers_of[a]) {
      const auto& units = units_of[upper];
      for (auto b = std::ranges::upper_bound(units, a); b != units.end(); ++b) {
        if (shared[*b]++ == 0) touched.push_back(*b);
      }
    }
    for (const std::uint32_t b : touched) {
      const std::size_t most =
          std::max(incidence.uppers_of[a].size(), incidence.uppers_of[b].size());
      if (std::size_t{2} * shared[b] > most) sets.join(a, b);
      shared[b] = 0;
    }
  }
  std::vector<std::uint32_t> label(count);
  for (std::uint32_t u = 0; u < count; ++u) label[u] = sets.find(u);
  return label;
}

/// Votes for labels, few at a time.
class Ballot {
 public:
  explicit Ballot(std::size_t labels) : votes_(labels, 0) {}
  void add(std::uint32_t label, std::uint64_t votes) {
    if (votes_[label] == 0) named_.push_back(label);
    votes_[label] += votes;
  }
  /// The label of most votes and forgets all; of equals `own`, else the one of most weight, else
  /// the lowest.
  std::optional<std::uint32_t> close(std::optional<std::uint32_t> own,
                                     const std::vector<std::uint64_t>& weight) {
    std::optional<std::uint32_t> best;
    const auto better = [&](std::uint32_t a, std::uint32_t b) {
      if (votes_[a] != votes_[b]) return votes_[a] > votes_[b];
      if ((own == a) != (own == b)) return own == a;
      if (weight[a] != weight[b]) return weight[a] > weight[b];
      return a < b;
    };
    for (const std::uint32_t label : named_) {
      if (!best || better(label, *best)) best = label;
    }
    for (const std::uint32_t label : named_) votes_[label] = 0;
    named_.clear();
    return best;
  }

 private:
  std::vector<std::uint64_t> votes_;
  std::vector<std::uint32_t> named_;
};

/// Alternately labels uppers by their units and units by their uppers until nothing moves.
std::vector<std::optional<std::uint32_t>> settle(
    const Incidence& incidence, const std::vector<std::vector<std::uint32_t>>& units_of,
    std::vector<std::uint32_t>& label) {
  std::vector<std::optional<std::uint32_t>> of_upper(incidence.uppers);
  Ballot ballot(label.size());
  std::vector<std::uint64_t> weight(label.size());
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    std::ranges::fill(weight, 0);
    for (std::size_t u = 0; u < label.size(); ++u) weight[label[u]] += incidence.weight[u];
    for (std::uint32_t upper = 0; upper < incidence.uppers; ++upper) {
      for (const std::uint32_t u : units_of[upper]) ballot.add(label[u], incidence.weight[u]);
      of_upper[upper] = ballot.close(of_upper[upper], weight);
    }
    bool moved = false;
    for (std::size_t u = 0; u < label.size(); ++u) {
      for (const std::uint32_t upper : incidence.uppers_of[u]) {
        if (of_upper[upper]) ballot.add(*of_upper[upper], 1);
      }
      const std::uint32_t next = ballot.close(label[u], weight).value_or(label[u]);
      moved = moved || next != label[u];
      label[u] = next;
    }
    if (!moved) break;
  }
  return of_upper;
}

/// What is known of a set of clusters joined so far.
struct Extent {
  std::uint64_t units = 0;
  std::uint64_t uppers = 0;
  std::uint64_t within = 0;  ///< cables between its units and its uppers
};

/// Joins clusters that faults have torn apart, or that never were as regular as pods are: a third
/// of all pairs across have a cable, or as many as there are cables within the smaller one. Two
/// pods of four by four switches with four pairs of cables swapped between them have a quarter.
void join_torn(const Incidence& incidence,
               const std::vector<std::optional<std::uint32_t>>& of_upper,
               std::vector<std::uint32_t>& label) {
  UnionFind sets(label.size());
  for (bool joined = true; joined;) {
    joined = false;
    std::vector<Extent> extent(label.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> between;
    for (std::size_t u = 0; u < label.size(); ++u) {
      const std::uint32_t own = sets.find(label[u]);
      ++extent[own].units;
      for (const std::uint32_t upper : incidence.uppers_of[u]) {
        if (!of_upper[upper]) continue;
        const std::uint32_t other = sets.find(*of_upper[upper]);
        if (own == other) {
          ++extent[own].within;
        } else {
          ++between[{std::min(own, other), std::max(own, other)}];
        }
      }
    }
    for (const std::optional<std::uint32_t>& l : of_upper) {
      if (l) ++extent[sets.find(*l)].uppers;
    }
    for (const auto& [pair, cables] : between) {
      const auto [a, b] = pair;
      if (sets.find(a) != a || sets.find(b) != b) continue;  // joined in this round
      const Extent& x = extent[a];
      const Extent& y = extent[b];
      const std::uint64_t possible = x.units * y.uppers + y.units * x.uppers;
      if (3 * cables < possible && cables < std::min(x.within, y.within)) continue;
      sets.join(a, b);
      joined = true;
    }
  }
  for (std::uint32_t& l : label) l = sets.find(l);
}

}  // namespace

Clusters find_clusters(const Incidence& incidence) {
  const auto units_of = units_by_upper(incidence);
  std::vector<std::uint32_t> label = tie_alike(incidence, units_of);
  settle(incidence, units_of, label);
  join_torn(incidence, settle(incidence, units_of, label), label);
  const std::vector<std::optional<std::uint32_t>> of_upper = settle(incidence, units_of, label);

  Clusters clusters;
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> number(label.size(), kNone);
  for (const std::uint32_t l : label) {
    if (number[l] == kNone) number[l] = clusters.count++;
    clusters.of_unit.push_back(number[l]);
  }
  for (const std::optional<std::uint32_t>& l : of_upper) {
    clusters.of_upper.push_back(l && number[*l] != kNone ? std::optional(number[*l])
                                                         : std::nullopt);
  }
  return clusters;
}

UnionFind::UnionFind(std::size_t count) : parent_(count) {
  std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
}

std::uint32_t UnionFind::find(std::uint32_t v) noexcept {
  while (parent_[v] != v) {
    parent_[v] = parent_[parent_[v]];
    v = parent_[v];
  }
  return v;
}

void UnionFind::join(std::uint32_t a, std::uint32_t b) noexcept {
  a = find(a);
  b = find(b);
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

}  // namespace heddle::routing::recognition
