#include "routing/columns.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace heddle::routing {

using model::SwitchIndex;

namespace {

/// Rounds in which switches may still move to a cluster that suits them better. Two settle all
/// fabrics tried (10 % of cables missing, four swapped pairs); more change nothing.
constexpr int kRounds = 3;

using Signature = std::vector<std::uint32_t>;  ///< columns of the upper neighbours, ascending

/// Clusters of switches of one level by what most of their members have in common.
class Clusters {
 public:
  explicit Clusters(const std::vector<Signature>& signatures)
      : signatures_(signatures), cluster_of_(signatures.size(), kNone) {
    for (std::size_t i = 0; i < signatures.size(); ++i) join(i, best(i));
    for (int round = 1; round < kRounds; ++round) {
      const std::vector<std::uint32_t> before = cluster_of_;
      for (std::size_t i = 0; i < signatures.size(); ++i) {
        leave(i);
        join(i, best(i));
      }
      if (cluster_of_ == before) break;
    }
  }

  /// By position, numbered from 0 in order of first appearance.
  [[nodiscard]] std::vector<std::uint32_t> numbered() const {
    std::vector<std::uint32_t> number(clusters_.size(), kNone);
    std::vector<std::uint32_t> out;
    std::uint32_t next = 0;
    for (const std::uint32_t cluster : cluster_of_) {
      if (number[cluster] == kNone) number[cluster] = next++;
      out.push_back(number[cluster]);
    }
    return out;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Cluster {
    std::uint32_t members = 0;
    std::map<std::uint32_t, std::uint32_t> votes;  ///< members that have the column above them
  };

  /// The cluster that shares most with it, if that is more than half of what it has; the lowest of
  /// several. How much the cluster has does not matter: a switch that lost half of its cables is no
  /// column of its own, which would widen the choice of all that are below.
  [[nodiscard]] std::uint32_t best(std::size_t i) const {
    const Signature& own = signatures_[i];
    std::map<std::uint32_t, std::uint32_t> shared;
    for (const std::uint32_t above : own) {
      const auto found = having_.find(above);
      if (found == having_.end()) continue;
      for (const std::uint32_t cluster : found->second) {
        if (in_core(clusters_[cluster], above)) ++shared[cluster];
      }
    }
    std::uint32_t choice = kNone;
    std::uint32_t most = 0;
    for (const auto& [cluster, count] : shared) {
      if (count * 2 > own.size() && count > most) {
        choice = cluster;
        most = count;
      }
    }
    return choice;
  }

  static bool in_core(const Cluster& cluster, std::uint32_t above) {
    const auto found = cluster.votes.find(above);
    return found != cluster.votes.end() && found->second * 2 > cluster.members;
  }
  void join(std::size_t i, std::uint32_t cluster) {
    if (cluster == kNone) {
      cluster = static_cast<std::uint32_t>(clusters_.size());
      clusters_.emplace_back();
    }
    cluster_of_[i] = cluster;
    ++clusters_[cluster].members;
    for (const std::uint32_t above : signatures_[i]) {
      if (++clusters_[cluster].votes[above] == 1) having_[above].push_back(cluster);
    }
  }
  void leave(std::size_t i) {
    const std::uint32_t cluster = cluster_of_[i];
    --clusters_[cluster].members;
    for (const std::uint32_t above : signatures_[i]) {
      const auto vote = clusters_[cluster].votes.find(above);
      if (--vote->second == 0) {
        clusters_[cluster].votes.erase(vote);
        std::erase(having_[above], cluster);
      }
    }
  }

  const std::vector<Signature>& signatures_;
  std::vector<std::uint32_t> cluster_of_;
  std::vector<Cluster> clusters_;
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      having_;  ///< clusters with a vote for a column
};

/// The value that stands most often, the lowest of several; nothing if there is none.
std::optional<std::uint32_t> majority(std::vector<std::uint32_t> values) {
  std::ranges::sort(values);
  std::optional<std::uint32_t> choice;
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin;
    while (end < values.size() && values[end] == values[begin]) ++end;
    if (end - begin > most) {
      choice = values[begin];
      most = end - begin;
    }
    begin = end;
  }
  return choice;
}

class Finder {
 public:
  Finder(const Graph& graph, std::span<const std::uint8_t> level)
      : graph_(graph),
        level_(level),
        members_(level.empty() ? 0 : *std::ranges::max_element(level) + 1U) {
    for (std::uint32_t s = 0; s < level.size(); ++s) members_[level[s]].push_back(s);
    out_.of.resize(level.size());
  }

  Columns find() && {
    for (std::size_t l = members_.size(); l-- > 0;) number_level(l);
    for (std::size_t l = 1; l < members_.size(); ++l) label_level(l);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> neighbour_columns(std::uint32_t sw,
                                                             std::size_t level) const {
    std::vector<std::uint32_t> columns;
    for (const Arc& arc : graph_.arcs_of(SwitchIndex{sw})) {
      if (level_[arc.to.value()] == level) columns.push_back(out_.of[arc.to.value()]);
    }
    return columns;
  }

  /// Columns of a level once those above are known. Every root is one of its own.
  void number_level(std::size_t level) {
    const std::vector<std::uint32_t>& switches = members_[level];
    const auto first = static_cast<std::uint32_t>(out_.columns.size());
    std::vector<std::uint32_t> cluster(switches.size());
    std::vector<std::uint32_t> in_pod(switches.size(), 0);
    if (level + 1 == members_.size()) {
      std::iota(cluster.begin(), cluster.end(), 0U);
    } else {
      std::vector<Signature> signatures;
      for (const std::uint32_t sw : switches) {
        Signature above = neighbour_columns(sw, level + 1);
        std::ranges::sort(above);
        above.erase(std::unique(above.begin(), above.end()), above.end());
        signatures.push_back(std::move(above));
      }
      cluster = Clusters(signatures).numbered();
      if (level != 0) in_pod = places_in_pods(switches, cluster);
    }
    const std::uint32_t clusters = switches.empty() ? 0 : *std::ranges::max_element(cluster) + 1U;
    out_.columns.resize(first + clusters);
    for (std::uint32_t c = 0; c < clusters; ++c) out_.columns[first + c].first = first + c;
    // Columns of their own for the second and further ones of each pod.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> further;
    for (std::size_t i = 0; i < switches.size(); ++i) {
      std::uint32_t column = first + cluster[i];
      if (in_pod[i] != 0) {
        const auto [found, is_new] = further.emplace(
            std::pair(cluster[i], in_pod[i]), static_cast<std::uint32_t>(out_.columns.size()));
        if (is_new) out_.columns.emplace_back().first = column;
        column = found->second;
      }
      out_.of[switches[i]] = column;
    }
  }

  /// Of each switch of a level, how many before it in its cluster share more than half of their
  /// lower neighbours with it: 0 in a PGFT, where a cluster has one of each pod.
  [[nodiscard]] std::vector<std::uint32_t> places_in_pods(
      const std::vector<std::uint32_t>& switches, const std::vector<std::uint32_t>& cluster) const {
    struct Pod {
      std::uint32_t cluster;
      std::vector<std::uint32_t> children;  ///< of its first switch, ascending
      std::uint32_t members = 0;
    };
    std::vector<Pod> pods;
    std::vector<std::vector<std::size_t>> pods_above(level_.size());  // by lower neighbour
    std::vector<std::uint32_t> places(switches.size(), 0);
    for (std::size_t i = 0; i < switches.size(); ++i) {
      std::vector<std::uint32_t> children;
      for (const Arc& arc : graph_.arcs_of(SwitchIndex{switches[i]})) {
        if (level_[arc.to.value()] < level_[switches[i]]) children.push_back(arc.to.value());
      }
      std::ranges::sort(children);
      children.erase(std::unique(children.begin(), children.end()), children.end());
      std::map<std::size_t, std::size_t> shared;
      for (const std::uint32_t child : children) {
        for (const std::size_t pod : pods_above[child]) ++shared[pod];
      }
      const auto same = std::ranges::find_if(shared, [&](const auto& found) {
        const Pod& pod = pods[found.first];
        return pod.cluster == cluster[i] &&
               found.second * 2 > std::max(children.size(), pod.children.size());
      });
      if (same != shared.end()) {
        places[i] = ++pods[same->first].members;
        continue;
      }
      for (const std::uint32_t child : children) pods_above[child].push_back(pods.size());
      pods.push_back({cluster[i], std::move(children)});
    }
    return places;
  }

  /// Columns that serve the same lower column are numbered in order of their lowest switch.
  void label_level(std::size_t level) {
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        below;  // under all members, with repetition
    for (const std::uint32_t sw : members_[level]) {
      for (const std::uint32_t column : neighbour_columns(sw, level - 1)) {
        below[out_.of[sw]].push_back(out_.columns[column].first);
      }
    }
    for (auto& [index, columns_below] : below) {
      Columns::Column& column = out_.columns[index];
      column.lower = majority(std::move(columns_below));
      if (column.lower) column.label = out_.columns[*column.lower].width++;
    }
    for (Columns::Column& column : out_.columns) column.width = out_.columns[column.first].width;
  }

  const Graph& graph_;
  std::span<const std::uint8_t> level_;
  std::vector<std::vector<std::uint32_t>> members_;  ///< by level, ascending
  Columns out_;
};

}  // namespace

Columns find_columns(const Graph& graph, std::span<const std::uint8_t> level) {
  return Finder(graph, level).find();
}

}  // namespace heddle::routing
