#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.hpp"
#include "discovery/topology_text.hpp"
#include "support/plain_graphs.hpp"
#include "support/temporary_files.hpp"
#include "support/topologies.hpp"

/// What commands make of a cable that runs below the rate of its siblings.
namespace heddle::cli {
namespace {

namespace json = boost::json;
using model::Fabric;

/// ft3_k8 with LIDs as `whole`; as `slow` with the first uplink of the first leaf at half rate.
class SlowCableTest : public testing::Test, protected support::TemporaryFiles {
 protected:
  SlowCableTest() {
    const Fabric whole = support::assign_lids(support::ft3_k8());
    const routing::Graph graph = support::graph_of(whole);
    const model::SwitchIndex leaf = graph.terminals().front().leaf;
    cable_ = {graph.guid(leaf), graph.arcs_of(leaf).front().exit};
    write("whole", discovery::format_topology(whole));
    write("slow", discovery::format_topology(support::with_rate(whole, cable_, "2xHDR")));
  }
  /// Standard output of a command that ends well.
  [[nodiscard]] static std::string run(const std::vector<std::string>& words) {
    std::ostringstream out;
    std::ostringstream err;
    Console console{out, err, Colour::kOff};
    EXPECT_EQ(run_command(words, console), ExitCode::kGood) << err.str();
    return out.str();
  }
  /// The tables of a fabric, as text.
  [[nodiscard]] std::string tables(const std::string& fabric,
                                   std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"route", path(fabric), "--lfts-out", path("lfts")});
    static_cast<void>(run(options));
    return read("lfts");
  }
  [[nodiscard]] std::string cable_name() const { return to_string(cable_); }

 private:
  model::PortKey cable_;
};

TEST_F(SlowCableTest, RouteGivesItLessUnlessTheOperatorSaysOtherwise) {
  const std::string whole = tables("whole");
  EXPECT_NE(tables("slow"), whole);
  write("weights", cable_name() + " 100\n");
  EXPECT_EQ(tables("slow", {"--weights", path("weights")}), whole);
  write("weights", cable_name() + " 50\n");
  EXPECT_EQ(tables("whole", {"--weights", path("weights")}), tables("slow"))
      << "half the rate is half the capacity";
}

TEST_F(SlowCableTest, CheckScoresItAtItsRate) {
  write("tables", tables("whole"));
  const auto score = [&](const std::string& fabric) {
    return json::parse(run({"check", path(fabric), path("tables"), "--json"})).at("score");
  };
  EXPECT_EQ(score("whole").at("shift_max").to_number<int>(), 1);
  EXPECT_EQ(score("slow").at("shift_max").to_number<int>(), 2);
  EXPECT_LT(score("slow").at("bisection_bandwidth_ratio").to_number<double>(),
            score("whole").at("bisection_bandwidth_ratio").to_number<double>());
}

TEST_F(SlowCableTest, WhatifGivesItsFlowsItsRateAndNoLess) {
  const auto minimum = [&](const std::string& fabric, std::vector<std::string> options) {
    options.insert(options.begin(), {"whatif", path(fabric), "--traffic", "shift", "--json"});
    return json::parse(run(options))
        .at("states")
        .as_array()
        .back()
        .at("minimum_bits_per_second")
        .to_number<std::int64_t>();
  };
  EXPECT_EQ(minimum("whole", {}), 200'000'000'000);
  write("weights", cable_name() + " 100\n");
  EXPECT_EQ(minimum("slow", {"--weights", path("weights")}), 100'000'000'000)
      << "tables of the whole tree: one flow, alone on half a cable";
}

}  // namespace
}  // namespace heddle::cli
