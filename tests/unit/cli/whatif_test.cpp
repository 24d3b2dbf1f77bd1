#include "cli/whatif.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.hpp"
#include "discovery/forwarding_text.hpp"
#include "discovery/topology_text.hpp"
#include "simulation/generators.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/temporary_files.hpp"
#include "support/topologies.hpp"

namespace heddle::cli {
namespace {

namespace json = boost::json;
using model::Fabric;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

/// Files of one test in a folder that goes with it; `fabric` is ft2_k4 with LIDs unless written
/// anew.
class WhatifTest : public testing::Test, protected support::TemporaryFiles {
 protected:
  WhatifTest() { write("fabric", discovery::format_topology(fabric_)); }
  [[nodiscard]] Outcome whatif(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"whatif", path("fabric")});
    std::ostringstream out;
    std::ostringstream err;
    Console console{out, err, Colour::kOff};
    const ExitCode code = run_command(options, console);
    return {code, out.str(), err.str()};
  }
  [[nodiscard]] json::value answer(std::vector<std::string> options) const {
    options.emplace_back("--json");
    const Outcome outcome = whatif(std::move(options));
    EXPECT_EQ(outcome.err, "");
    return json::parse(outcome.out);
  }
  [[nodiscard]] std::string guid(const std::string& name) const {
    return fmt::format("{}", support::node_named(fabric_, name).guid);
  }

  Fabric fabric_ = support::assign_lids(support::ft2_k4());

 private:
};

std::uint64_t gigabits(const json::value& state, const char* field) {
  return state.at(field).to_number<std::uint64_t>() / 1'000'000'000;
}

TEST_F(WhatifTest, SaysWhatTrafficGetsNow) {
  const Outcome outcome = whatif();
  EXPECT_EQ(outcome.code, ExitCode::kGood) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("traffic  shift, 8 flows, 1 job\n"),
                    HasSubstr("before  fat-tree     1:1            0  200.00  200.00  200.00\n"),
                    HasSubstr("none: every flow that is delivered gets all"),
                    Not(HasSubstr("after")), Not(HasSubstr("What changes"))));
}

TEST_F(WhatifTest, ASpineTakenDownHalvesAShiftAndItsUplinksAreNamed) {
  const Outcome outcome = whatif({"--down", guid("spine-0000")});
  EXPECT_EQ(outcome.code, ExitCode::kGood) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("after   fat-tree     1:1            0  100.00  100.00  100.00"),
                    HasSubstr("50.0 %"), HasSubstr("after: 4 flows stand still until"),
                    HasSubstr("      2       100.00  \"leaf-0000\" 0x0002c90200000000 port 4 -> "
                              "\"spine-0001\" 0x0002c90300000010 port 1\n")));
}

TEST_F(WhatifTest, JsonHoldsTheRateAndTheLimitOfEveryFlow) {
  const json::value all = answer({"--down", guid("spine-0000"), "--traffic", "ring"});
  EXPECT_TRUE(all.at("good").as_bool());
  EXPECT_EQ(all.at("traffic"), json::value("ring"));
  EXPECT_EQ(all.at("flows").as_array().size(), 8U);
  EXPECT_EQ(all.at("flows").at(0).at("from").at("name"), json::value("host-00000 HCA-1"));
  ASSERT_EQ(all.at("states").as_array().size(), 2U);
  const json::value& after = all.at("states").at(1);
  EXPECT_EQ(after.at("name"), json::value("after"));
  const json::array& rates = after.at("rates_bits_per_second").as_array();
  const json::array& limits = after.at("limited_by").as_array();
  ASSERT_EQ(rates.size(), 8U);
  ASSERT_EQ(limits.size(), 8U);
  for (std::size_t f = 0; f < 8; ++f) {
    // Of a ring every second flow stays in its leaf; the others are alone on their uplinks.
    EXPECT_EQ(rates[f].to_number<std::uint64_t>(), 200'000'000'000U);
    EXPECT_TRUE(limits[f].is_null());
  }
}

TEST_F(WhatifTest, ALeafTakenDownIsNotGoodAndItsFlowsAreCounted) {
  const Outcome outcome = whatif({"--down", guid("leaf-0000")});
  EXPECT_EQ(outcome.code, ExitCode::kNotGood);
  EXPECT_THAT(outcome.out, HasSubstr("after: 4 flows delivered before, but not so"));
}

TEST_F(WhatifTest, JobsAreSummedUpApartAndTheWorstComesFirst) {
  // Over spine 0 alone: red's two flows share leaf 0's uplink, blue's has leaf 2's for itself.
  const std::string file = write("flows",
                                 "host-00004 host-00002 blue\n"
                                 "host-00000 host-00006 red\n"
                                 "host-00001 host-00007 red\n");
  const std::vector<std::string> options{"--traffic", file, "--down", guid("spine-0001")};
  const Outcome outcome = whatif(options);
  EXPECT_EQ(outcome.code, ExitCode::kGood) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  Job   Flows  before   after\n"
                                     "  red       2  200.00  100.00\n"
                                     "  blue      1  200.00  200.00\n"));
  const json::value all = answer(options);
  EXPECT_EQ(all.at("flows").at(1).at("job"), json::value("red"));
  const json::value& jobs = all.at("states").at(1).at("jobs");
  EXPECT_EQ(jobs.at(0).at("job"), json::value("blue"));
  EXPECT_EQ(gigabits(jobs.at(1), "minimum_bits_per_second"), 100U);
}

TEST_F(WhatifTest, RanksOfAFileAreTheHostsOfThePattern) {
  const std::string file = write("ranks", "host-00000\nhost-00004\nhost-00002\n");
  const json::value all = answer({"--traffic", "ring", "--ranks", file});
  ASSERT_EQ(all.at("flows").as_array().size(), 3U);
  EXPECT_EQ(all.at("flows").at(2).at("from").at("name"), json::value("host-00002 HCA-1"));
  EXPECT_EQ(all.at("flows").at(2).at("to").at("name"), json::value("host-00000 HCA-1"));
}

TEST_F(WhatifTest, DrainedCablesAreLeftAndReducedOnesCarryTheirShare) {
  const std::string drain = write("drain", fmt::format("{}/3 0\n", guid("leaf-0000")));
  const json::value drained = answer({"--weights", drain, "--traffic", "ring"});
  EXPECT_EQ(drained.at("states").at(1).at("over_drained").to_number<int>(), 0);
  EXPECT_EQ(drained.at("states").at(1).at("interrupted").to_number<int>(), 0);
  EXPECT_GE(drained.at("states").at(1).at("rerouted").to_number<int>(), 1);
  const std::string one = write("one", "host-00000 host-00004\n");
  const std::string half = write("half", fmt::format("{0}/3 50\n{0}/4 50\n", guid("leaf-0000")));
  const json::value reduced = answer({"--weights", half, "--traffic", one});
  EXPECT_EQ(gigabits(reduced.at("states").at(1), "minimum_bits_per_second"), 100U);
}

TEST_F(WhatifTest, RatiosAreComparedOnTheSameHostsInOneCommand) {
  const Fabric tree = *simulation::make_pgft({{8, 4}, {1, 8}, {1, 1}}, {});
  write("fabric", discovery::format_topology(tree));
  const Outcome outcome = whatif({"--oversubscription", "4", "--oversubscription", "2"});
  EXPECT_EQ(outcome.code, ExitCode::kGood) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("before  fat-tree     1:1            0  200.00  200.00  200.00\n"),
                    HasSubstr("4:1     fat-tree     4:1            0   50.00   50.00   50.00"),
                    HasSubstr("2:1     fat-tree     2:1            0  100.00  100.00  100.00"),
                    HasSubstr("4:1: 2 uplinks a leaf, 6 switches and 24 cables fewer"),
                    Not(HasSubstr("after"))));
  // With a spine down as well that both trees have: one of 2 and one of 4 uplinks is left out.
  const json::value all = answer({"--oversubscription", "4", "--oversubscription", "2", "--down",
                                  fmt::format("{}", support::node_named(tree, "spine-0000").guid)});
  ASSERT_EQ(all.at("states").as_array().size(), 4U);
  EXPECT_EQ(all.at("states").at(1).at("name"), json::value("after"));
  EXPECT_EQ(gigabits(all.at("states").at(2), "minimum_bits_per_second"), 25U);
  EXPECT_EQ(all.at("states").at(3).at("reshape").at("ratio").to_number<int>(), 2);
}

TEST_F(WhatifTest, StartsFromTablesThatAreInForce) {
  // Everything over the cable of the lowest port: four flows on one uplink.
  const routing::Graph graph = support::graph_of(fabric_);
  model::ForwardingTables tables = support::shortest_tables(graph, routing::Availability(graph));
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (const routing::Destination& to : graph.destinations()) {
      if (to.at.value() != s) tables.row(model::SwitchIndex{s})[to.lid.value()] = 3;
    }
  }
  const std::string file = write("lfts", discovery::format_forwarding(fabric_, tables));
  const json::value all = answer({"--lfts", file, "--down", guid("spine-0001")});
  ASSERT_EQ(all.at("states").as_array().size(), 3U);
  EXPECT_EQ(all.at("states").at(0).at("tables"), json::value(file));
  EXPECT_EQ(gigabits(all.at("states").at(0), "minimum_bits_per_second"), 100U);
  EXPECT_EQ(all.at("states").at(1).at("name"), json::value("recomputed"));
  EXPECT_EQ(gigabits(all.at("states").at(1), "minimum_bits_per_second"), 200U);
  // What is taken away, nothing of before leads over.
  EXPECT_EQ(all.at("states").at(2).at("interrupted").to_number<int>(), 0);
}

TEST_F(WhatifTest, WhatIsRememberedButAwayIsAwayBeforeAlreadyAndTheFileStaysAsItIs) {
  const std::string text = discovery::format_topology(fabric_);
  const std::string slots = write("slots", text);
  write("fabric", discovery::format_topology(
                      support::without_cable(fabric_, support::port_at(fabric_, "leaf-0000", 3))));
  const json::value all = answer({"--slots", slots});
  ASSERT_EQ(all.at("states").as_array().size(), 1U);
  // Hosts 0 and 1 share the cable to spine 1.
  EXPECT_EQ(gigabits(all.at("states").at(0), "minimum_bits_per_second"), 100U);
  std::ifstream file(slots, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
}

TEST_F(WhatifTest, TheSameQuestionHasTheSameAnswerWithAnyNumberOfThreads) {
  const std::vector<std::string> question{"--traffic", "permutation",      "--seed",   "5",
                                          "--down",    guid("spine-0000"), "--threads"};
  std::vector<std::string> one = question;
  one.emplace_back("1");
  std::vector<std::string> three = question;
  three.emplace_back("3");
  EXPECT_EQ(whatif(one).out, whatif(three).out);
}

TEST_F(WhatifTest, CablesThatDoNotSayTheirRateCountAsTheCommonestOneAndItSaysSo) {
  std::string text = discovery::format_topology(fabric_);
  const std::string rate = " 4xHDR";
  for (std::size_t at = text.find(rate); at != std::string::npos; at = text.find(rate, at)) {
    text.erase(at, rate.size());
  }
  write("fabric", text);
  EXPECT_THAT(whatif().out,
              HasSubstr("unknown  cables that do not say their rate count as 100 Gbit/s\n"));
}

TEST_F(WhatifTest, SaysWhatIsWrongWithTheQuestion) {
  const auto refused = [&](std::vector<std::string> options) {
    const Outcome outcome = whatif(std::move(options));
    EXPECT_EQ(outcome.code, ExitCode::kBad);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(refused({"--traffic", "rings"}), HasSubstr("--traffic: 'rings' is no file, and no"));
  EXPECT_THAT(refused({"--traffic", write("bad", "host-00000\n")}),
              HasSubstr("bad:1: expected a GUID or a name"));
  EXPECT_THAT(refused({"--traffic", write("good", "host-00000 host-00001\n"), "--ranks",
                       write("ranks", "host-00000\nhost-00001\n")}),
              HasSubstr("--ranks are those of a pattern"));
  EXPECT_THAT(refused({"--ranks", path("nowhere")}), HasSubstr("nowhere"));
  EXPECT_THAT(refused({"--slots", path("nowhere")}), HasSubstr("--slots: there is no file"));
  EXPECT_THAT(refused({"--down", "0x1"}), HasSubstr("no node has that GUID"));
  EXPECT_THAT(refused({"--lfts", path("nowhere")}), HasSubstr("nowhere"));
  EXPECT_THAT(refused({"--oversubscription", "0"}), HasSubstr("from 1 to 1000"));
  write("fabric", discovery::format_topology(support::df_a4h2p2()));
  EXPECT_THAT(refused({"--oversubscription", "2"}),
              HasSubstr("--oversubscription 2: another oversubscription can be tried on a fat "
                        "tree of two levels or more, and this fabric is dragonfly"));
}

}  // namespace
}  // namespace heddle::cli
