#include "cli/check.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.hpp"
#include "discovery/forwarding_text.hpp"
#include "discovery/topology_text.hpp"
#include "support/plain_graphs.hpp"
#include "support/route_tables.hpp"
#include "support/temporary_files.hpp"
#include "support/topologies.hpp"

namespace heddle::cli {
namespace {

using model::Fabric;
using model::ForwardingTables;
using model::SwitchIndex;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

/// Files of one test in a folder that goes with it.
class CheckCommandTest : public testing::Test, protected support::TemporaryFiles {
 protected:
  using TemporaryFiles::write;
  void write(const Fabric& fabric, const ForwardingTables& tables) const {
    write("fabric", discovery::format_topology(fabric));
    write("lfts", discovery::format_forwarding(fabric, tables));
  }
  [[nodiscard]] Outcome check(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"check", path("fabric"), path("lfts")});
    std::ostringstream out;
    std::ostringstream err;
    Console console{out, err, Colour::kOff};
    const ExitCode code = run_command(options, console);
    return {code, out.str(), err.str()};
  }

 private:
};

ForwardingTables shortest(const Fabric& fabric) {
  const routing::Graph graph = support::graph_of(fabric);
  return support::shortest_tables(graph, routing::Availability(graph));
}

TEST_F(CheckCommandTest, GoodTablesAreGoodAndScored) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  write(fabric, shortest(fabric));
  const Outcome outcome = check({"--switch-lids"});
  EXPECT_EQ(outcome.code, ExitCode::kGood) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("good\n"), HasSubstr("virtual lanes: 0\n"),
                                 HasSubstr("no dependency cycle"), HasSubstr("\nScore\n"),
                                 HasSubstr("paths of 4 cables")));
  EXPECT_THAT(check({"--permutations", "0"}).out, Not(HasSubstr("Score")));
}

TEST_F(CheckCommandTest, JsonIsOneObjectWithTheSameNumbers) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  write(fabric, shortest(fabric));
  const Outcome outcome = check({"--json"});
  const boost::json::value answer = boost::json::parse(outcome.out);
  EXPECT_TRUE(answer.at("good").as_bool());
  EXPECT_EQ(answer.at("pairs").to_number<int>(), 8 * 7);
  EXPECT_EQ(answer.at("longest_hops").to_number<int>(), 4);
  EXPECT_TRUE(answer.at("first_bad").is_null());
  EXPECT_GT(answer.at("score").at("bisection_bandwidth_ratio").to_number<double>(), 0.5);
}

TEST_F(CheckCommandTest, NamesTheFirstBadPair) {
  const Fabric fabric = support::assign_lids(support::two_switches());
  ForwardingTables tables = shortest(fabric);
  tables.row(SwitchIndex{0U})[4] = ForwardingTables::kNoPort;  // host 3, from leaf 0
  write(fabric, tables);
  const Outcome outcome = check();
  EXPECT_EQ(outcome.code, ExitCode::kNotGood);
  EXPECT_THAT(outcome.out, AllOf(StartsWith("not good\n"), HasSubstr("2  unreachable"),
                                 HasSubstr("first bad pair: \"host-00000"),
                                 HasSubstr("-> LID 4, \"host-00003")));
  const boost::json::value answer = boost::json::parse(check({"--json"}).out);
  EXPECT_EQ(answer.at("first_bad").at("lid").to_number<int>(), 4);
}

TEST_F(CheckCommandTest, PrintsAWitnessCycleWithNamesPortsAndLanes) {
  const Fabric fabric = support::torus({4}, 1);
  ForwardingTables tables = shortest(fabric);
  const routing::Graph graph = support::graph_of(fabric);
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (const routing::Destination& destination : graph.destinations()) {
      for (const routing::Arc& arc : graph.arcs_of(SwitchIndex{s})) {
        if (destination.at.value() != s && arc.to.value() == (s + 1) % 4) {
          tables.row(SwitchIndex{s})[destination.lid.value()] = arc.exit.value();
        }
      }
    }
  }
  write(fabric, tables);
  const Outcome outcome = check();
  EXPECT_EQ(outcome.code, ExitCode::kNotGood);
  const std::string first =
      fmt::format("  {} port ", routing::describe_switch(fabric, SwitchIndex{0U}));
  EXPECT_THAT(
      outcome.out,
      AllOf(
          HasSubstr("Dependency cycle: each waits for the next, the last for the first\n" + first),
          HasSubstr(" vl 0 -> ")));
  const boost::json::value answer = boost::json::parse(check({"--json"}).out);
  EXPECT_EQ(answer.at("cycle").as_array().size(), 4U);
  // Level 1 from two of the four switches: neither level closes the ring.
  std::string levels;
  for (const std::uint32_t s : {0U, 1U}) {
    for (const routing::Terminal& source : graph.terminals_of(SwitchIndex{s})) {
      for (const routing::Destination& to : graph.destinations()) {
        levels += fmt::format("{} {} 1\n", *source.lid, to.lid);
      }
    }
  }
  write("sl", levels);
  EXPECT_EQ(boost::json::parse(check({"--json", "--sl", path("sl")}).out)
                .at("lanes_used")
                .as_array()
                .size(),
            2U);
}

TEST_F(CheckCommandTest, TakesLidsFromTheTablesWhereTheFabricHasNone) {
  const Fabric fabric = support::assign_lids(support::ft2_k4(), 1);
  write(fabric, shortest(fabric));
  const std::string with = check({"--switch-lids"}).out;
  write("fabric", discovery::format_topology(support::ft2_k4()));
  const Outcome without = check({"--switch-lids"});
  EXPECT_EQ(without.code, ExitCode::kGood) << without.err;
  EXPECT_EQ(without.out, with);
}

TEST_F(CheckCommandTest, AMissingTableIsNotGoodAndNamed) {
  const Fabric fabric = support::assign_lids(support::ft2_k4());
  ForwardingTables tables(fabric.switches().size(), model::Lid{std::uint16_t{14}});
  const ForwardingTables whole = shortest(fabric);
  for (std::uint32_t s = 0; s + 1 < fabric.switches().size(); ++s) {
    std::ranges::copy(whole.row(SwitchIndex{s}), tables.row(SwitchIndex{s}).begin());
    tables.mark_known(SwitchIndex{s});
  }
  write(fabric, tables);
  const Outcome outcome = check();
  EXPECT_EQ(outcome.code, ExitCode::kNotGood);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1  switches without a table"),
                                 HasSubstr("Switches without a table\n  \"spine-0001\"")));
}

TEST_F(CheckCommandTest, ComparesWithTablesOfBeforeAndProvesTheTransit) {
  const Fabric fabric = support::torus({3}, 1);
  const routing::Graph graph = support::graph_of(fabric);
  const auto turned = [&](std::uint32_t step) {
    ForwardingTables tables = shortest(fabric);
    for (std::uint32_t s = 0; s < 3; ++s) {
      for (const routing::Destination& destination : graph.destinations()) {
        for (const routing::Arc& arc : graph.arcs_of(SwitchIndex{s})) {
          if (destination.at.value() != s && arc.to.value() == (s + step) % 3) {
            tables.row(SwitchIndex{s})[destination.lid.value()] = arc.exit.value();
          }
        }
      }
    }
    return tables;
  };
  write(fabric, turned(2));
  std::filesystem::rename(path("lfts"), path("before"));
  write(fabric, turned(1));
  const Outcome outcome = check({"--previous", path("before")});
  EXPECT_EQ(outcome.code, ExitCode::kNotGood);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nChange\n"), HasSubstr("12  entries changed"),
                                 HasSubstr("loop in transit toward LID 1:")));
  const Outcome same = check({"--previous", path("lfts"), "--json"});
  EXPECT_EQ(boost::json::parse(same.out).at("change").at("entries").to_number<int>(), 0);
}

TEST_F(CheckCommandTest, NamesThePlaceOfWhatItCannotRead) {
  const Fabric fabric = support::assign_lids(support::two_switches());
  write(fabric, shortest(fabric));
  write("bad", "1 2 3\n1 2\n");
  const auto error = [&](std::vector<std::string> options) {
    const Outcome outcome = check(std::move(options));
    EXPECT_EQ(outcome.code, ExitCode::kBad);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(error({"--sl", path("bad")}),
              StartsWith(path("bad") + ":2: expected a service level"));
  EXPECT_THAT(error({"--sl2vl", path("bad")}), StartsWith(path("bad") + ":1: "));
  EXPECT_THAT(error({"--sl", path("none")}), HasSubstr("cannot be opened"));
  EXPECT_THAT(error({"--previous", path("bad")}), StartsWith(path("bad") + ":1: "));
  EXPECT_THAT(error({"--previous-sl", path("bad")}), HasSubstr("--previous"));
  EXPECT_THAT(error({"--permutations", "-1"}), HasSubstr("not a whole number"));
  write("lfts", "nothing of the kind\n");
  EXPECT_THAT(error({}), StartsWith(path("lfts") + ":1: "));
  write("lfts", "");
  write("fabric", "");
  EXPECT_THAT(error({}), HasSubstr(":1: there is no node in it"));
}

TEST_F(CheckCommandTest, RefusesAFabricThatContradictsItself) {
  const Fabric fabric = support::assign_lids(support::two_switches());
  write(fabric, shortest(fabric));
  std::string text = discovery::format_topology(fabric);
  const std::size_t at = text.find("[3]");
  text.insert(
      at, text.substr(text.find("[1]"), text.find('\n', text.find("[1]")) - text.find("[1]") + 1)
              .replace(0, 3, "[2]"));
  write("fabric", text);
  const Outcome outcome = check();
  EXPECT_EQ(outcome.code, ExitCode::kBad);
  EXPECT_THAT(outcome.err, StartsWith(path("fabric") + ":"));
}

}  // namespace
}  // namespace heddle::cli
