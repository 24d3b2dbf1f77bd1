#include "cli/traffic_files.hpp"

#include <gmock/gmock.h>

#include <string>

#include "support/plain_graphs.hpp"
#include "support/topologies.hpp"

namespace heddle::cli {
namespace {

using model::Fabric;
using routing::TerminalIndex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Hosts 0 to 7 of ft2_k4 are terminals 0 to 7, with node GUIDs 0x0002c90100000000 + 16 i, port
/// GUIDs one more, and names `host-0000i HCA-1`.
class TrafficFilesTest : public testing::Test {
 protected:
  explicit TrafficFilesTest(const Fabric& fabric = support::assign_lids(support::ft2_k4()))
      : fabric_(fabric), graph_(support::graph_of(fabric_)) {}

  [[nodiscard]] model::Result<routing::Traffic> traffic(const std::string& text) const {
    return parse_traffic(text, "f", fabric_, graph_);
  }
  [[nodiscard]] std::string traffic_error(const std::string& text) const {
    const auto parsed = traffic(text);
    return parsed ? "" : parsed.error().message();
  }
  [[nodiscard]] std::string ranks_error(const std::string& text) const {
    const auto parsed = parse_ranks(text, "f", fabric_, graph_);
    return parsed ? "" : parsed.error().message();
  }
  static routing::Flow flow(std::uint32_t from, std::uint32_t to) {
    return {TerminalIndex{from}, TerminalIndex{to}};
  }

  Fabric fabric_;
  routing::Graph graph_;
};

TEST_F(TrafficFilesTest, FlowsNameTheirEndsByGuidPortNameOrHostName) {
  const auto parsed = traffic(
      "# who talks\n"
      "0x0002c90100000000 0x0002c90100000011 train\n"  // a node, a port
      "\n"
      "0002c90100000020/1\t\"host-00003 HCA-1\" train # a cable's end, a name\r\n"
      "host-00004 host-00005\n");
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_THAT(parsed->flows, ElementsAre(flow(0, 1), flow(2, 3), flow(4, 5)));
  EXPECT_THAT(parsed->jobs, ElementsAre("train", ""));
  EXPECT_THAT(parsed->job, ElementsAre(0U, 0U, 1U));
}

TEST_F(TrafficFilesTest, SaysInWhichLineAFileOfFlowsIsWrong) {
  EXPECT_EQ(traffic_error("\nhost-00000\n"),
            "f:2: expected a GUID or a name at the end of the line");
  EXPECT_EQ(traffic_error("host-00000 host-00009"),
            "f:1: no end port on a switch has the GUID or the name 'host-00009'");
  EXPECT_EQ(traffic_error("host-00000 \"host-00001 HCA-1\n"),
            "f:1: expected a GUID or a name at column 12, found '\"host-00001 HCA-1'");
  EXPECT_EQ(traffic_error("host-00000 \"\" job\n"),
            "f:1: expected a GUID or a name at column 12, found '\"\" job'");
  EXPECT_EQ(traffic_error("host-00000 host-00001 job more\n"),
            "f:1: expected the end of the line at column 27, found 'more'");
  EXPECT_EQ(traffic_error("host-00000 0x0002c90100000000"), "f:1: 'host-00000' sends to itself");
  EXPECT_EQ(traffic_error("leaf-0000 host-00001"),
            "f:1: no end port on a switch has the GUID or the name 'leaf-0000'");
  EXPECT_EQ(traffic_error("0x0002c90100000000/2 host-00001"),
            "f:1: no end port on a switch has the GUID or the name '0x0002c90100000000/2'");
  EXPECT_EQ(traffic_error("# nothing\n"), "f:1: there is no flow in it");
  EXPECT_EQ(traffic_error("h\x1b[2J host-00001"),
            "f:1: no end port on a switch has the GUID or the name 'h\\x1b[2J'");
}

TEST_F(TrafficFilesTest, APortWithoutALidIsNoEnd) {
  const Fabric bare = support::ft2_k4();
  const routing::Graph graph = support::graph_of(bare);
  const auto parsed = parse_traffic("host-00000 host-00001", "f", bare, graph);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message(), "f:1: port 1 of 'host-00000' has no LID");
}

TEST_F(TrafficFilesTest, RanksKeepTheOrderOfTheFile) {
  const auto ranks =
      parse_ranks("host-00005\n0x0002c90100000000\nhost-00002 # last\n", "f", fabric_, graph_);
  ASSERT_TRUE(ranks) << ranks.error().message();
  EXPECT_THAT(*ranks, ElementsAre(TerminalIndex{5U}, TerminalIndex{0U}, TerminalIndex{2U}));
}

TEST_F(TrafficFilesTest, SaysInWhichLineAFileOfRanksIsWrong) {
  EXPECT_EQ(ranks_error("host-00000\n\"host-00000 HCA-1\"\n"),
            "f:2: 'host-00000 HCA-1' stands here for the second time");
  EXPECT_EQ(ranks_error("host-00000 host-00001\n"),
            "f:1: expected the end of the line at column 12, found 'host-00001'");
  EXPECT_EQ(ranks_error("host-00000\n"), "f:1: fewer than two ranks send nothing");
}

/// Each host has port 1 on the first leaf of its group and port 2 on the second.
class TwoPortTrafficTest : public TrafficFilesTest {
 protected:
  TwoPortTrafficTest() : TrafficFilesTest(support::assign_lids(support::hybrid_two_homed())) {}

  [[nodiscard]] model::PortKey source(const routing::Flow& flow) const {
    return fabric_.key(graph_.terminal(flow.source).port);
  }
  [[nodiscard]] model::PortKey destination(const routing::Flow& flow) const {
    return fabric_.key(graph_.terminal(flow.destination).port);
  }
};

TEST_F(TwoPortTrafficTest, HostsOfSeveralPortsSendPortByPort) {
  const auto parsed = traffic("host-00000 host-00003\n");
  ASSERT_TRUE(parsed) << parsed.error().message();
  ASSERT_EQ(parsed->flows.size(), 2U);
  for (std::uint8_t port = 1; port <= 2; ++port) {
    EXPECT_EQ(source(parsed->flows[port - 1U]),
              support::port_at(fabric_, "host-00000 HCA-1", port));
    EXPECT_EQ(destination(parsed->flows[port - 1U]),
              support::port_at(fabric_, "host-00003 HCA-1", port));
  }
  EXPECT_EQ(parse_ranks("host-00000\nhost-00001\n", "f", fabric_, graph_)->size(), 4U);
}

TEST_F(TwoPortTrafficTest, EndsOfDifferentNumbersOfPortsMustBeNamedPortByPort) {
  EXPECT_THAT(traffic_error("host-00000 0x0002c90100000010/1"),
              HasSubstr("f:1: 'host-00000' has 2 end ports and '0x0002c90100000010/1' has 1"));
  EXPECT_THAT(traffic_error("0x0002c90100000000/2 0x0002c90100000010/1"), IsEmpty());
}

}  // namespace
}  // namespace heddle::cli
