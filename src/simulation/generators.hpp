#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"

/// Fabrics made by rule. GUIDs follow the cabling: hosts in order of leaf and port, then each tier
/// of switches in a range of its own, so that ranks by GUID are the ranks of the textbook. Names
/// say the place and count from 0. Cabled ports are up at the rate of the options, the others down
/// and polling. LIDs are left empty (an SM gives them). Numbers that do not fit together are
/// kInvalidInput, all of them in one text.
namespace heddle::simulation {

/// What every generator takes besides its shape.
struct GeneratorOptions {
  std::string fabric_name = "generated";
  model::LinkRate rate{model::LinkWidth::k4x, model::LinkSpeed::kHdr};
  std::uint64_t guid_base = 0x0002c90000000000ULL;
};

/// Parallel-ports generalised fat tree PGFT(h; m1..mh; w1..wh; p1..ph) (Zahavi, "Fat-trees routing
/// and node ordering providing contention free traffic for MPI global collectives", 2012): a node
/// of level l has m[l] children, w[l+1] parents, and p[l] parallel cables to each child. m, w, p
/// have one entry a level, the lowest first; 1 to 4 levels.
struct PgftShape {
  std::vector<std::uint32_t> m;
  std::vector<std::uint32_t> w;
  std::vector<std::uint32_t> p;
  /// Ports of every switch; as many as are cabled if empty.
  std::optional<std::uint32_t> radix = std::nullopt;
};
[[nodiscard]] model::Result<PgftShape> parse_pgft_shape(
    std::string_view text);  ///< `18,18,6:1,18,9:1,1,2`

struct FatTreeShape {
  std::uint32_t levels = 2;
  std::uint32_t radix = 36;  ///< ports of a switch
  /// Children of a top switch (with one level its hosts); as many as the radix allows if empty.
  std::optional<std::uint32_t> pods = std::nullopt;
  /// Hosts to uplinks of a leaf, N:1. Of a leaf's K ports floor(K / (N + 1)) go up, N times as many
  /// to hosts, the rest stays free.
  std::uint32_t oversubscription = 1;
  std::uint32_t parallel_links = 1;  ///< cables between a top switch and each child
};
/// The PGFT of such a tree, or what is wrong with the numbers.
[[nodiscard]] model::Result<PgftShape> pgft_of(const FatTreeShape& shape);
[[nodiscard]] model::Result<model::Fabric> make_pgft(const PgftShape& shape,
                                                     const GeneratorOptions& options);

/// Dragonfly (Kim et al., ISCA 2008): complete graph of `routers_per_group` in a group, groups
/// joined by `global_links` of each router, spread evenly over the other groups
/// (see global_links.hpp).
struct DragonflyShape {
  std::uint32_t routers_per_group = 4;
  std::uint32_t hosts_per_router = 2;
  std::uint32_t global_links = 2;
  std::uint32_t groups = 9;
};
[[nodiscard]] model::Result<model::Fabric> make_dragonfly(const DragonflyShape& shape,
                                                          const GeneratorOptions& options);

/// Dragonfly+ (Shpiner et al., HiPINEB 2017): leaf-spine groups, `global_links` of each spine to
/// other groups' spines (see global_links.hpp).
struct DragonflyPlusShape {
  std::uint32_t groups = 4;
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  std::uint32_t hosts_per_leaf = 4;
  std::uint32_t global_links = 4;
};
[[nodiscard]] model::Result<model::Fabric> make_dragonfly_plus(const DragonflyPlusShape& shape,
                                                               const GeneratorOptions& options);

/// Fat-tree groups joined by super-spines; with `two_homed` each host adapter has two ports on two
/// leaves of its group: leaves 2i and 2i + 1 share their `hosts_per_leaf` hosts, port 1 on the
/// first and port 2 on the second.
struct HybridShape {
  std::uint32_t groups = 4;
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  /// Spine i of every group meets super-spines i, i + spines, …; a multiple of `spines`.
  std::uint32_t super_spines = 4;
  std::uint32_t hosts_per_leaf = 4;
  bool two_homed = false;
};
[[nodiscard]] model::Result<model::Fabric> make_hybrid(const HybridShape& shape,
                                                       const GeneratorOptions& options);

}  // namespace heddle::simulation
