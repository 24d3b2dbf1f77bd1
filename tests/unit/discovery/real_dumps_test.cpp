#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "discovery/topology_text.hpp"
#include "support/paths.hpp"

/// Real dumps, counted a second time by nothing but regular expressions over lines.
namespace heddle::discovery {
namespace {

using model::Fabric;
using model::NodeKind;

struct Count {
  std::map<std::string, std::size_t> nodes;  ///< by "Switch", "Ca", "SHARP"
  std::map<std::string, std::size_t> ends_by_rate;
  std::size_t cables = 0;
  std::size_t loose_ends = 0;
  bool operator==(const Count&) const = default;
};

Count count_lines(const std::string& path) {
  const std::regex node_line(R"re(^(Switch|Ca)\s+\d+\s+"([^"]+)".*)re");
  const std::regex port_line(R"re(^\[(\d+)\][^"]*"([^"]+)"\[(\d+)\].*"[^"]* lid \d+ (\S+).*)re");
  Count count;
  std::set<std::string> blocks;
  std::map<std::string, std::string> peer_of;  // "id/port" both ways as the text says
  std::string block;
  std::ifstream in(path);
  std::smatch found;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, found, node_line)) {
      block = found[2];
      blocks.insert(block);
      const bool sharp = line.find("Aggregation Node") != std::string::npos;
      ++count.nodes[sharp ? "SHARP" : found[1].str()];
    } else if (std::regex_match(line, found, port_line)) {
      peer_of[block + "/" + found[1].str()] = found[2].str() + "/" + found[3].str();
      ++count.ends_by_rate[found[4]];
    }
  }
  std::set<std::set<std::string>> cables;
  for (const auto& [end, peer] : peer_of) {
    if (blocks.contains(peer.substr(0, peer.find('/')))) {
      cables.insert({end, peer});
    } else {
      ++count.loose_ends;
    }
  }
  count.cables = cables.size();
  return count;
}

Count count_fabric(const Fabric& fabric) {
  Count count;
  for (const model::Node& node : fabric.nodes()) {
    switch (node.kind) {
      case NodeKind::kSwitch:
        ++count.nodes["Switch"];
        break;
      case NodeKind::kAggregationNode:
        ++count.nodes["SHARP"];
        break;
      default:
        ++count.nodes["Ca"];
    }
  }
  for (const model::Link& link : fabric.links()) {
    ++count.ends_by_rate[to_string(fabric.port(link.a).rate)];
    ++count.ends_by_rate[to_string(fabric.port(link.b).rate)];
  }
  for (const model::UnresolvedPeer& peer : fabric.unresolved()) {
    ++count.ends_by_rate[to_string(fabric.port(peer.port).rate)];
  }
  count.cables = fabric.links().size();
  count.loose_ends = fabric.unresolved().size();
  return count;
}

/// The dumps in the folder that HEDDLE_SHARED names, where there is one, and ours that are whole.
std::vector<std::string> dumps() {
  std::vector<std::string> paths{support::checkout_path("tests/data/topologies/slow_cable.topo")};
  if (const char* const shared = std::getenv("HEDDLE_SHARED")) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(shared) + "/fabrics")) {
      if (entry.path().extension() == ".topo") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::cout << paths.size() << " dumps\n";
  return paths;
}

TEST(RealDumps, HoldWhatAnIndependentCountFinds) {
  for (const std::string& path : dumps()) {
    SCOPED_TRACE(path);
    const auto fabric = read_topology(path, "dump");
    ASSERT_TRUE(fabric) << fabric.error().message();
    const Count expected = count_lines(path);
    const Count found = count_fabric(*fabric);
    EXPECT_EQ(found.nodes, expected.nodes);
    EXPECT_EQ(found.ends_by_rate, expected.ends_by_rate);
    EXPECT_EQ(found.cables, expected.cables);
    EXPECT_EQ(found.loose_ends, expected.loose_ends);
    EXPECT_GT(expected.cables, 0U);
  }
}

TEST(RealDumps, ComeBackFromTheirOwnText) {
  for (const std::string& path : dumps()) {
    SCOPED_TRACE(path);
    const auto fabric = read_topology(path, "dump");
    ASSERT_TRUE(fabric) << fabric.error().message();
    const auto back = parse_topology(format_topology(*fabric), "formatted", "dump");
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_TRUE(std::ranges::equal(back->nodes(), fabric->nodes()));
    EXPECT_TRUE(std::ranges::equal(back->ports(), fabric->ports()));
    const auto ends = [](const model::Link& link) { return std::pair(link.a, link.b); };
    EXPECT_TRUE(std::ranges::equal(back->links(), fabric->links(), {}, ends, ends));
    EXPECT_EQ(back->unresolved().size(), fabric->unresolved().size());
  }
}

}  // namespace
}  // namespace heddle::discovery
