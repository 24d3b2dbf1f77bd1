#include "cli/topology_report.hpp"

#include <gmock/gmock.h>

#include "model/fabric_builder.hpp"
#include "support/topologies.hpp"

namespace heddle::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TopologyReport, counts_a_sound_fabric_and_finds_nothing) {
  const model::Fabric fabric = support::ft2_k4();
  const TopologyReport report = report_topology(fabric);
  const std::string text = render_topology(fabric, report, Colour::kOff);
  EXPECT_THAT(text, HasSubstr("   6  switches\n   8  host adapters\n  16  links\n  16  of 4xHDR\n"
                              "   1  connected component\n\nShape: fat-tree\n"
                              "  4  leaves, 1:1 down to up\n  2  roots at level 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("slower")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(TopologyReport, names_everything_that_is_odd) {
  model::FabricBuilder builder("odd");
  for (std::uint64_t guid = 1; guid <= 2; ++guid) {
    model::Node node;
    node.guid = model::NodeGuid{guid};
    node.kind = model::NodeKind::kSwitch;
    node.port_count = 4;
    node.description = "same\xff";
    builder.add_node(node);
  }
  model::Node impostor;
  impostor.guid = model::NodeGuid{std::uint64_t{2}};
  impostor.description = "impostor";
  builder.add_node(impostor, model::SourcePosition{"f.topo", 12});
  builder.connect_unresolved({impostor.guid, model::PortNum{std::uint8_t{3}}},
                             model::NodeGuid{std::uint64_t{9}}, model::PortNum{std::uint8_t{1}},
                             "far");
  const model::Fabric fabric = std::move(builder).build();
  const TopologyReport report = report_topology(fabric);
  const std::string text = render_topology(fabric, report, Colour::kOff);
  EXPECT_THAT(text, HasSubstr("Names that several nodes share: 1\n  2  switches  \"same\\xff\""));
  EXPECT_THAT(text, HasSubstr("Contradictions: 1\n  f.topo:12: duplicate_node_guid: "));
  EXPECT_THAT(text, HasSubstr("\"far\" 0x0000000000000009 port 1"));
  EXPECT_THAT(text, HasSubstr("Connected components: 2\n"));
  EXPECT_THAT(text, HasSubstr("Shape: unknown\n  f.topo:12: duplicate_node_guid: "));
  EXPECT_THAT(text, HasSubstr("2  switches from which no host can be reached"));

  const std::string json = topology_json(fabric, report);
  EXPECT_THAT(json, HasSubstr(R"("position":"f.topo:12")"));
  EXPECT_THAT(json, HasSubstr(R"("peer_guid":"0x0000000000000009","peer_port":1)"));
  EXPECT_THAT(json, HasSubstr(R"("name":"same\\xff")"));
  EXPECT_THAT(json, HasSubstr(R"("structure":null)"));
}

}  // namespace
}  // namespace heddle::cli
