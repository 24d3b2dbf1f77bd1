#include "plugins/opensm/directed_paths.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

using model::PortNum;
using model::SwitchIndex;
using routing::Arc;
using routing::ArcIndex;
using routing::Availability;
using routing::Graph;
using routing::PortTarget;

/// Where a path ends over what is available; nothing where it breaks off.
std::optional<SwitchIndex> end_of(const Graph& graph, const Availability& availability,
                                  const ManagerPlace& manager, const heddle_path& path) {
  std::size_t hop = 0;
  if (manager.host_port && path.ports[hop++] != manager.host_port->value()) return std::nullopt;
  SwitchIndex at = manager.at;
  for (; hop < path.hops; ++hop) {
    const PortTarget target = graph.target(at, PortNum{path.ports[hop]});
    if (target.kind != PortTarget::Kind::kSwitch) return std::nullopt;
    if (!availability.usable(graph, ArcIndex{target.index})) return std::nullopt;
    at = graph.arc(ArcIndex{target.index}).to;
  }
  return at;
}

struct Case {
  Graph graph = support::graph_of(support::assign_lids(support::ft3_k4()));
  Availability availability{graph};
  ManagerPlace manager{.at = graph.terminals().front().leaf,
                       .host_port = PortNum{std::uint8_t{1}},
                       .lid = graph.terminals().front().lid};
};

TEST(DirectedPathsTest, EverySwitchIsReachedByAPathThatEndsThere) {
  const Case c;
  const DirectedPaths paths(c.graph, c.availability, c.manager);
  for (std::uint32_t s = 0; s < c.graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const std::optional<heddle_path> path = paths.to(sw);
    ASSERT_TRUE(path);
    EXPECT_EQ(end_of(c.graph, c.availability, c.manager, *path), sw);
    EXPECT_LE(path->hops, 5);
  }
  EXPECT_EQ(paths.to(c.manager.at)->hops, 1) << "the host's own port alone";
}

TEST(DirectedPathsTest, FromASwitchThePathBeginsAtItsOwnPorts) {
  Case c;
  c.manager.host_port.reset();
  const DirectedPaths paths(c.graph, c.availability, c.manager);
  EXPECT_EQ(paths.to(c.manager.at)->hops, 0);
  const SwitchIndex next = c.graph.arcs_of(c.manager.at).front().to;
  EXPECT_EQ(paths.to(next)->hops, 1);
  EXPECT_EQ(end_of(c.graph, c.availability, c.manager, *paths.to(next)), next);
}

TEST(DirectedPathsTest, NothingDeadAndNothingAvoidedIsCrossed) {
  Case c;
  c.availability.take_down(c.graph, c.graph.first_arc(c.manager.at));
  const SwitchIndex avoided = c.graph.arcs_of(c.manager.at).back().to;
  const DirectedPaths around(c.graph, c.availability, c.manager);
  EXPECT_TRUE(around.reaches(c.graph.arcs_of(c.manager.at).front().to));
  // Of its two cables one is dead and the other leads to what is avoided.
  const DirectedPaths shut(c.graph, c.availability, c.manager, avoided);
  for (std::uint32_t s = 0; s < c.graph.switch_count(); ++s) {
    EXPECT_EQ(shut.reaches(SwitchIndex{s}), SwitchIndex{s} == c.manager.at) << s;
    EXPECT_EQ(shut.to(SwitchIndex{s}).has_value(), SwitchIndex{s} == c.manager.at) << s;
    const auto path = around.to(SwitchIndex{s});
    ASSERT_TRUE(path);
    EXPECT_EQ(end_of(c.graph, c.availability, c.manager, *path), SwitchIndex{s});
  }
}

TEST(DirectedPathsTest, ATrapsWayIsThatOfItsTableBackwards) {
  const Case c;
  // Leads to the manager along shortest paths, by the last port that lies on one.
  model::ForwardingTables tables(c.graph.switch_count(), c.graph.top_lid());
  const DirectedPaths paths(c.graph, c.availability, c.manager);
  for (std::uint32_t s = 0; s < c.graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    for (const Arc& arc : c.graph.arcs_of(sw)) {
      if (paths.to(arc.to)->hops < paths.to(sw)->hops) {
        tables.row(sw)[c.manager.lid->value()] = arc.exit.value();
      }
    }
  }
  for (std::uint32_t s = 0; s < c.graph.switch_count(); ++s) {
    const SwitchIndex sw{s};
    const auto way = way_of_traps(c.graph, tables, c.manager, sw);
    ASSERT_TRUE(way);
    EXPECT_EQ(end_of(c.graph, c.availability, c.manager, *way), sw);
    if (sw == c.manager.at) continue;
    const std::uint8_t exit = tables.row(sw)[c.manager.lid->value()];
    const Arc& first = c.graph.arc(ArcIndex{c.graph.target(sw, PortNum{exit}).index});
    EXPECT_EQ(way->ports[way->hops - 1], first.entry.value()) << "it ends where the trap begins";
  }
}

TEST(DirectedPathsTest, TablesThatCircleOrLeadNowhereGiveNoWay) {
  const Case c;
  model::ForwardingTables tables(c.graph.switch_count(), c.graph.top_lid());
  const Arc& up = c.graph.arcs_of(c.graph.terminals().back().leaf).front();
  EXPECT_FALSE(way_of_traps(c.graph, tables, c.manager, up.from));
  tables.row(up.from)[c.manager.lid->value()] = up.exit.value();
  tables.row(up.to)[c.manager.lid->value()] = up.entry.value();
  EXPECT_FALSE(way_of_traps(c.graph, tables, c.manager, up.from));
  tables.row(up.from)[c.manager.lid->value()] = 1;  // a host's
  EXPECT_FALSE(way_of_traps(c.graph, tables, c.manager, up.from));
}

}  // namespace
}  // namespace heddle::plugin
