#include "routing/recognition/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "model/fabric_summary.hpp"
#include "routing/recognition/sibling_cables.hpp"

namespace heddle::routing::recognition {
namespace {

using Kind = Irregularity::Kind;
using model::PortIndex;
using model::SwitchIndex;

constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::kSameLeaf) + 1;

/// A cable that no place of the shape has.
struct OddCable {
  const Arc* arc;
  std::string_view why;
};

class Describer {
 public:
  Describer(const Described& what, const Structure& structure)
      : what_(what), structure_(structure) {}

  std::vector<Irregularity> run() && {
    switch (structure_.shape) {
      case Shape::kFatTree:
      case Shape::kHybrid:
      case Shape::kDragonflyPlus:
        tree_cables();
        pod_sizes();
        hosts_above_leaves();
        bare_leaves("leaf");
        break;
      case Shape::kDragonfly:
        group_cables();
        pod_sizes();
        bare_leaves("router");
        break;
      case Shape::kEmpty:
      case Shape::kSingleSwitch:
      case Shape::kIrregular:
        break;
    }
    separate_parts();
    if (structure_.levels > 1 || what_.net.size() > structure_.components) ports_on_one_leaf();
    return gathered();
  }

 private:
  /// Adds what `text` makes while there is room for its kind, and counts the rest.
  template <class MakeText>
  void add(Kind kind, const MakeText& text) {
    const auto k = static_cast<std::size_t>(kind);
    if (texts_[k].size() < kMostOfAKind) {
      texts_[k].push_back(text());
    } else {
      ++more_[k];
    }
  }

  std::vector<Irregularity> gathered() {
    std::vector<Irregularity> all;
    for (std::size_t k = 0; k < kKinds; ++k) {
      for (std::string& text : texts_[k]) all.push_back({static_cast<Kind>(k), std::move(text)});
      if (more_[k] != 0) {
        all.push_back({static_cast<Kind>(k), fmt::format("and {} more of this kind", more_[k])});
      }
    }
    return all;
  }

  std::string name(Vertex v) const { return describe_switch(what_.fabric, SwitchIndex{v}); }
  std::string end(SwitchIndex sw, model::PortNum port) const {
    const auto index = what_.fabric.find_port(what_.fabric.node_of(sw), port);
    return index ? model::describe_end(what_.fabric, *index) : name(sw.value());
  }
  std::string cable(const Arc& arc) const {
    return fmt::format("{} - {}", end(arc.from, arc.exit), end(arc.to, arc.entry));
  }
  std::string_view group_word() const {
    return structure_.shape == Shape::kFatTree ? "pod" : "group";
  }

  /// Why an arc does not fit by the places of its ends alone, if so.
  std::optional<std::string_view> misfit(const Arc& arc) const {
    const auto& from = structure_.level[arc.from.value()];
    const auto& to = structure_.level[arc.to.value()];
    if (!from || !to) return std::nullopt;
    const auto& own = structure_.pod[arc.from.value()];
    const auto& other = structure_.pod[arc.to.value()];
    if (*from == *to) {
      if (structure_.shape == Shape::kDragonflyPlus && *from == 1 && own != other) {
        return std::nullopt;
      }
      return *from == 0 ? "between two leaves" : "between two switches of one level";
    }
    if (*from + 1 != *to && *to + 1 != *from) return "skips a level";
    if (own && other && *own != *other) {
      return group_word() == "pod" ? "between two pods below the roots"
                                   : "between a leaf and a spine of different groups";
    }
    return std::nullopt;
  }

  void tree_cables() {
    const SiblingCables siblings = compare_siblings(what_.net, structure_);
    std::vector<OddCable> odd;
    for (const Arc& arc : what_.graph.arcs()) {
      if (arc.to < arc.from) continue;
      const auto& lower = structure_.level[arc.from.value()];
      const auto& upper = structure_.level[arc.to.value()];
      const bool up = lower && upper && *lower < *upper;
      const Pairing pair{up ? arc.from.value() : arc.to.value(),
                         up ? arc.to.value() : arc.from.value()};
      if (const auto why = misfit(arc)) {
        odd.push_back({&arc, *why});
      } else if (std::ranges::binary_search(siblings.unexpected, pair)) {
        odd.push_back({&arc, "where siblings have none"});
      }
    }
    std::vector<Pairing> lacking = siblings.missing;
    for (const ThinBundle& thin : siblings.thin) lacking.push_back(thin.pair);
    std::ranges::sort(lacking);
    for (const OddCable& cable_ : odd) {
      add(Kind::kUnexpectedLink, [&] {
        std::string text = fmt::format("{}: {}", cable(*cable_.arc), cable_.why);
        if (const Arc* const other = swapped_with(cable_, odd, lacking)) {
          text += fmt::format("; it looks swapped with {}", cable(*other));
        }
        return text;
      });
    }
    for (const Pairing& pair : siblings.missing) {
      add(Kind::kMissingLink, [&] {
        return fmt::format("{} has no cable to {}, unlike its siblings", name(pair.below),
                           name(pair.above));
      });
    }
    for (const ThinBundle& thin : siblings.thin) {
      add(Kind::kUnevenUplinks, [&] {
        return fmt::format("{} has {} of {} cables to {}", name(thin.pair.below), thin.cables,
                           thin.usual, name(thin.pair.above));
      });
    }
    columns(siblings.columns);
  }

  /// The odd cable that gives two lacking ones when it trades an end with this one, if there is.
  const Arc* swapped_with(const OddCable& odd, const std::vector<OddCable>& all,
                          const std::vector<Pairing>& lacking) const {
    const auto lacks = [&](SwitchIndex a, SwitchIndex b) {
      return std::ranges::binary_search(lacking, Pairing{a.value(), b.value()}) ||
             std::ranges::binary_search(lacking, Pairing{b.value(), a.value()});
    };
    for (const OddCable& other : all) {
      if (other.arc == odd.arc) continue;
      const Arc& x = *odd.arc;
      const Arc& y = *other.arc;
      if ((lacks(x.from, y.to) && lacks(y.from, x.to)) ||
          (lacks(x.from, y.from) && lacks(x.to, y.to))) {
        return &y;
      }
    }
    return nullptr;
  }

  /// Sets of siblings below the roots that reach fewer roots than most sets do.
  void columns(const std::vector<SiblingCables::Column>& columns) {
    std::map<std::uint32_t, std::size_t> by_size;
    for (const auto& column : columns) ++by_size[column.above];
    const std::optional<std::uint32_t> usual = usual_of(by_size, columns.size());
    if (!usual) return;
    for (const auto& column : columns) {
      if (column.above >= *usual) continue;
      add(Kind::kMissingSwitch, [&] {
        return fmt::format("{} and its siblings have {} switches above them, others have {}",
                           name(column.first), column.above, *usual);
      });
    }
  }

  /// The value that most have, if more than half of at least three.
  static std::optional<std::uint32_t> usual_of(const std::map<std::uint32_t, std::size_t>& counts,
                                               std::size_t all) {
    if (counts.empty() || all < 3) return std::nullopt;
    const auto most = std::ranges::max_element(counts, {}, [](const auto& x) { return x.second; });
    if (2 * most->second <= all) return std::nullopt;
    return most->first;
  }

  void pod_sizes() {
    if (structure_.levels == 2 && structure_.shape == Shape::kFatTree) return;
    for (std::uint8_t level = 0; level < structure_.levels; ++level) {
      std::vector<std::uint32_t> size(structure_.pods, 0);
      std::vector<std::optional<Vertex>> first(structure_.pods);
      for (Vertex v = 0; v < what_.net.size(); ++v) {
        if (!structure_.pod[v]) continue;
        if (!first[*structure_.pod[v]]) first[*structure_.pod[v]] = v;
        if (structure_.level[v] == level) ++size[*structure_.pod[v]];
      }
      std::map<std::uint32_t, std::size_t> by_size;
      for (const std::uint32_t s : size) ++by_size[s];
      const std::optional<std::uint32_t> usual = usual_of(by_size, size.size());
      if (!usual) continue;
      for (std::uint32_t p = 0; p < size.size(); ++p) {
        if (size[p] >= *usual) continue;
        add(Kind::kMissingSwitch, [&] {
          return fmt::format("{} {} (of {}) has {} switches at level {}, others have {}",
                             group_word(), p, name(*first[p]), size[p], level, *usual);
        });
      }
    }
  }

  void group_cables() {
    std::map<std::uint32_t, std::vector<Vertex>> members;
    for (Vertex v = 0; v < what_.net.size(); ++v) {
      if (structure_.pod[v]) members[*structure_.pod[v]].push_back(v);
    }
    for (const auto& [group, routers] : members) {
      for (std::size_t i = 0; i < routers.size(); ++i) {
        for (std::size_t j = i + 1; j < routers.size(); ++j) {
          if (what_.net.cables(routers[i], routers[j]) != 0) continue;
          add(Kind::kMissingLink, [this, a = routers[i], b = routers[j]] {
            return fmt::format("{} has no cable to {} of its group", name(a), name(b));
          });
        }
      }
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
    for (const Arc& arc : what_.graph.arcs()) {
      const auto& from = structure_.pod[arc.from.value()];
      const auto& to = structure_.pod[arc.to.value()];
      if (from && to && *from != *to) joined.emplace(*from, *to);
    }
    for (const auto& a : members) {
      for (const auto& b : members) {
        if (b.first <= a.first || joined.contains({a.first, b.first})) continue;
        add(Kind::kMissingLink, [&] {
          return fmt::format("group {} (of {}) has no cable to group {} (of {})", a.first,
                             name(a.second.front()), b.first, name(b.second.front()));
        });
      }
    }
  }

  void hosts_above_leaves() {
    for (const Terminal& terminal : what_.graph.terminals()) {
      if (terminal.kind != model::NodeKind::kHostAdapter) continue;
      const auto& level = structure_.level[terminal.leaf.value()];
      if (!level || *level == 0) continue;
      add(Kind::kHostOnSpine, [&] {
        return fmt::format("{} - {}: at level {}", end(terminal.leaf, terminal.leaf_port),
                           model::describe_end(what_.fabric, terminal.port), *level);
      });
    }
  }

  void bare_leaves(std::string_view word) {
    for (Vertex v = 0; v < what_.net.size(); ++v) {
      if (structure_.level[v] != std::uint8_t{0} || what_.net.hosts(v) != 0) continue;
      add(Kind::kSwitchWithoutHosts,
          [&] { return fmt::format("{} is a {} without hosts", name(v), word); });
    }
  }

  void separate_parts() {
    for (std::size_t p = 0; p < what_.parts.size(); ++p) {
      if (p == what_.main) continue;
      const Part& part = what_.parts[p];
      add(Kind::kUnreachable, [&] {
        std::uint64_t hosts = 0;
        for (const Vertex v : part.members) hosts += what_.net.hosts(v);
        if (part.members.size() == 1) {
          return fmt::format("{} with {} host ports has no cable to another switch",
                             name(part.members.front()), hosts);
        }
        return fmt::format(
            "{} switches with {} host ports, the first {}, are not connected to the "
            "rest",
            part.members.size(), hosts, name(part.members.front()));
      });
    }
  }

  void ports_on_one_leaf() {
    for (const std::vector<HostPort>& host : what_.hosts) {
      for (std::size_t i = 0; i < host.size(); ++i) {
        for (std::size_t j = i + 1; j < host.size(); ++j) {
          const Terminal& a = what_.graph.terminal(host[i].terminal);
          const Terminal& b = what_.graph.terminal(host[j].terminal);
          if (a.leaf != b.leaf) continue;
          add(Kind::kSameLeaf, [&] {
            return fmt::format("{} and {} of one host are both on {}",
                               model::describe_end(what_.fabric, a.port),
                               model::describe_end(what_.fabric, b.port), name(a.leaf.value()));
          });
        }
      }
    }
  }

  const Described& what_;
  const Structure& structure_;
  std::array<std::vector<std::string>, kKinds> texts_;
  std::array<std::size_t, kKinds> more_{};
};

}  // namespace

std::vector<Irregularity> describe(const Described& what, const Structure& structure) {
  return Describer(what, structure).run();
}

}  // namespace heddle::routing::recognition
