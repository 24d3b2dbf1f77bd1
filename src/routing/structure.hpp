#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"

namespace heddle::routing {

enum class Shape : std::uint8_t {
  kEmpty,          ///< no switch
  kSingleSwitch,   ///< or several that are not connected with each other
  kFatTree,        ///< levels, cables between neighbouring levels only; fat-tree groups joined by
                   ///< super-spines are one too where their hosts have one port each
  kDragonfly,      ///< groups of routers with hosts, joined by cables between groups
  kDragonflyPlus,  ///< leaf-spine groups, joined by cables between spines
  kHybrid,         ///< fat-tree groups joined with each other that have hosts on two leaves, or
                   ///< that are of several shapes
  kIrregular,      ///< none of these
};
[[nodiscard]] std::string_view to_string(Shape shape) noexcept;  ///< `fat-tree`, `dragonfly`, …

/// Something that does not fit the shape, in words for people, both ends named.
struct Irregularity {
  enum class Kind : std::uint8_t {
    kMissingLink,     ///< siblings have a cable there
    kMissingSwitch,   ///< siblings of a place have a switch there
    kUnexpectedLink,  ///< a cable that no place of the shape has (between leaves, skipping a level,
                      ///< swapped)
    kHostOnSpine,     ///< a host on a switch above the leaves
    kSwitchWithoutHosts,  ///< a leaf on which nothing hangs
    kUnevenUplinks,       ///< fewer cables to a neighbour than siblings have
    kUnreachable,         ///< a component of its own
    kSameLeaf,            ///< two ports of one host on the same leaf
  };
  Kind kind;
  std::string text;
  bool operator==(const Irregularity&) const = default;
};
[[nodiscard]] std::string_view to_string(Irregularity::Kind kind) noexcept;

/// What a fabric is: the place of every switch. A pure function of the cabling, whatever is
/// missing.
struct Structure {
  Shape shape = Shape::kEmpty;
  /// By SwitchIndex: 0 where hosts hang. Fat tree: up to the roots. Dragonfly: 0 everywhere.
  /// Dragonfly+ and hybrid: 0 leaf, 1 spine, 2 super-spine. Empty for what is connected with no
  /// leaf.
  std::vector<std::optional<std::uint8_t>> level;
  /// By SwitchIndex: pod of a fat tree (switches below the roots that hang together, with two
  /// levels each leaf by itself; roots have none) or group of a dragonfly, numbered from 0 in order
  /// of the lowest GUID.
  std::vector<std::optional<std::uint32_t>> pod;
  std::uint8_t levels = 0;  ///< number of levels
  std::uint32_t pods = 0;
  /// The highest switches of each connected tree, in order of GUID; empty for dragonflies.
  std::vector<model::SwitchIndex> roots;
  /// Leaves in topological order: pods one after another, nested pods too, within the innermost by
  /// GUID.
  std::vector<model::SwitchIndex> leaf_order;
  /// By level from 0, for trees: capacity of cables down to capacity up of a typical switch, times
  /// 1000 (1000 is 1:1, rounded); the last level has none.
  std::vector<std::uint32_t> oversubscription_permille;
  /// By terminal: the rail of its leaf, that is, which port or adapter of their hosts hangs there,
  /// where nearly all hosts have several and each rail keeps to leaves of its own; empty otherwise.
  std::vector<std::uint8_t> rail;
  std::uint32_t components = 0;  ///< of switches
  std::vector<Irregularity> irregularities;
  bool operator==(const Structure&) const = default;
};

}  // namespace heddle::routing
