#include "cli/structure_report.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/topology_report.hpp"
#include "discovery/topology_text.hpp"
#include "support/paths.hpp"
#include "support/topologies.hpp"

namespace heddle::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string rendered(const model::Fabric& fabric) {
  const TopologyReport report = report_topology(fabric);
  return render_structure(*report.structure, Colour::kOff);
}

TEST(StructureReport, says_levels_and_pods_of_trees) {
  EXPECT_EQ(rendered(support::ft3_k8()),
            "\nShape: fat-tree\n  32  leaves, 1:1 down to up\n  32  switches at level 1, 1:1 down "
            "to up\n  16  roots at level 2\n   8  pods of 8 switches\n");
}

TEST(StructureReport, says_groups_of_dragonflies_and_hybrids) {
  EXPECT_EQ(rendered(support::df_a4h2p2()),
            "\nShape: dragonfly\n  36  routers\n   9  groups of 4 switches\n");
  EXPECT_EQ(rendered(support::dfp_g3()),
            "\nShape: dragonfly-plus\n  6  leaves\n  6  switches at level 1\n  3  groups of 4 "
            "switches\n");
  EXPECT_THAT(rendered(support::hybrid_two_homed()),
              StartsWith("\nShape: hybrid\n  4  leaves, 1:1 down to up\n"));
  EXPECT_THAT(rendered(support::hybrid_two_homed()), HasSubstr("2  rails\n"));
}

TEST(StructureReport, names_what_does_not_fit) {
  EXPECT_THAT(rendered(support::ft2_k4_missing_uplink()),
              HasSubstr("What does not fit the shape\n  missing-link: \"leaf-0000\" "
                        "0x0002c90200000000 has no cable to \"spine-0000\""));
  EXPECT_THAT(rendered(support::ft2_k4()), Not(HasSubstr("What does not fit")));
}

TEST(StructureReport, json_has_the_place_of_every_switch) {
  const model::Fabric fabric = support::ft3_k4();
  const std::string json = topology_json(fabric, report_topology(fabric));
  EXPECT_THAT(json, HasSubstr(R"("structure":{"shape":"fat-tree","switches_by_level":[8,8,4],)"
                              R"("oversubscription_permille":[1000,1000],"pods":4,"rails":0,)"
                              R"("components":1,"roots":["0x0002c90400000000",)"));
  EXPECT_THAT(json, HasSubstr(R"({"guid":"0x0002c90300000030","name":"spine-01-01","level":1,)"
                              R"("pod":1})"));
  EXPECT_THAT(json, HasSubstr(R"("name":"core-0003","level":2,"pod":null}],"irregularities":[])"));
}

/// Real dumps, in the folder that HEDDLE_SHARED names (anonymised, see the README there), and what
/// reading them shows: which switches carry hosts and which only switches.
TEST(StructureReport, real_fabrics_are_what_their_operators_built) {
  struct Real {
    std::string file;
    std::string starts_with;
  };
  const char* const shared = std::getenv("HEDDLE_SHARED");
  const std::string folder = shared == nullptr
                                 ? support::checkout_path("tests/data/topologies/").string()
                                 : std::string(shared) + "/fabrics/";
  const std::vector<Real> dumps =
      shared == nullptr
          ? std::vector<Real>{{"slow_cable.topo",
                               "\nShape: fat-tree\n  2  leaves, 0.5:1 down to up\n  1  root at "
                               "level 1\n"}}
          : std::vector<Real>{
                // 31 leaves of 4 rails, 18 uplinks each in bundles of two, 9 spines with SHARP.
                {"ndr-rails-40sw.topo",
                 "\nShape: fat-tree\n  31  leaves, 1:1 down to up\n   9  roots at level 1\n   4  "
                 "rails\n"},
                // 24 hosts and two bundles of six cables at each leaf.
                {"edr-tree-one-slow-cable.topo",
                 "\nShape: fat-tree\n  4  leaves, 2:1 down to up\n  2  roots at level 1\n"},
                // A spine board over two line boards, leaves of two hosts below these.
                {"hdr-director-excerpt.topo",
                 "\nShape: fat-tree\n  5  leaves, 2:1 down to up\n  2  switches at level 1, 2:1 "
                 "down to up\n  1  root at level 2\n  2  pods of 3 to 4 switches\n"}};
  for (const Real& real : dumps) {
    const auto fabric = discovery::read_topology(folder + real.file, real.file);
    ASSERT_TRUE(fabric) << fabric.error().message();
    EXPECT_THAT(rendered(*fabric), StartsWith(real.starts_with)) << real.file;
  }
}

}  // namespace
}  // namespace heddle::cli
