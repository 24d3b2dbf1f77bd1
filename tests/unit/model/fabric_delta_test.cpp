#include "model/fabric_delta.hpp"

#include <gmock/gmock.h>

#include "unit/model/small_fabrics.hpp"

namespace heddle::model {
namespace {
using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

const std::chrono::system_clock::time_point kNow{std::chrono::seconds{1000}};

std::vector<std::pair<EventKind, std::string>> told(const Fabric& before, const Fabric& after) {
  std::vector<std::pair<EventKind, std::string>> events;
  for (const Event& event : events_of(compare(before, after), before, after, kNow)) {
    EXPECT_EQ(event.time, kNow);
    events.emplace_back(event.kind, event.text);
  }
  return events;
}

Fabric without_link(PortKey a, PortKey b) {
  FabricBuilder builder("test");
  const Fabric whole = two_leaves().build();
  for (const Node& node : whole.nodes()) builder.add_node(node);
  for (const Link& link : whole.links()) {
    if (whole.key(link.a) == std::min(a, b)) continue;
    cable(builder, whole.key(link.a), whole.key(link.b));
  }
  return std::move(builder).build();
}

TEST(FabricDelta, TheSameFabricHasNoDelta) {
  const Fabric fabric = two_leaves().build();
  EXPECT_TRUE(compare(fabric, two_leaves().build()).empty());
  EXPECT_TRUE(told(fabric, two_leaves().build()).empty());
}

TEST(FabricDelta, ACutLinkIsOneEventThatNamesBothEnds) {
  const Fabric before = two_leaves().build();
  const Fabric after = without_link(key(0x10, 5), key(0x20, 1));
  const FabricDelta delta = compare(before, after);
  EXPECT_THAT(delta.links_removed, ElementsAre(FabricDelta::Cable{key(0x10, 5), key(0x20, 1)}));
  const auto events = told(before, after);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].first, EventKind::kLinkDown);
  EXPECT_THAT(events[0].second, HasSubstr("\"leaf-0\" 0x0000000000000010 port 5"));
  EXPECT_THAT(events[0].second, HasSubstr("\"spine\" 0x0000000000000020 port 1"));
  const auto back = told(after, before);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].first, EventKind::kLinkUp);
}

TEST(FabricDelta, AVanishedNodeIsToldOnceAndNotLinkByLink) {
  const Fabric before = two_leaves().build();
  FabricBuilder builder("test");
  for (const Node& node : before.nodes()) {
    if (node.guid != guid(0x20)) builder.add_node(node);
  }
  for (const Link& link : before.links()) {
    if (before.key(link.b).node != guid(0x20))
      cable(builder, before.key(link.a), before.key(link.b));
  }
  const auto events = told(before, std::move(builder).build());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].first, EventKind::kNodeVanished);
  EXPECT_THAT(events[0].second, HasSubstr("spine"));
}

TEST(FabricDelta, RateLidStateAndNameChangesAreTold) {
  const Fabric before = two_leaves().build();
  FabricBuilder builder = two_leaves();
  set_rate(builder, key(1, 1), "1xEDR", 12);
  Port port = *builder.port(key(3, 1));
  port.state = PortState::kInit;
  builder.set_port(guid(3), port);
  const Fabric changed = std::move(builder).build();
  const auto events = told(before, changed);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].first, EventKind::kLidChanged);
  EXPECT_THAT(events[0].second, HasSubstr("LID 12"));
  EXPECT_EQ(events[1].first, EventKind::kLinkRateChanged);
  EXPECT_THAT(events[1].second, HasSubstr("1xEDR now, before 4xEDR"));
  EXPECT_EQ(events[2].first, EventKind::kPortStateChanged);
  EXPECT_THAT(events[2].second, HasSubstr("init"));
}

TEST(FabricDelta, ARenamedNodeKeepsItsIdentity) {
  const Fabric before = two_leaves().build();
  FabricBuilder builder("test");
  for (Node node : before.nodes()) {
    if (node.guid == guid(1)) node.description = "renamed";
    builder.add_node(node);
  }
  for (const Link& link : before.links()) cable(builder, before.key(link.a), before.key(link.b));
  const auto events = told(before, std::move(builder).build());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].first, EventKind::kNameChanged);
}

TEST(FabricDelta, EverythingAppearsFromNothing) {
  const Fabric fabric = two_leaves().build();
  const FabricDelta delta = compare(Fabric{}, fabric);
  EXPECT_EQ(delta.nodes_added.size(), 6u);
  EXPECT_EQ(delta.links_added.size(), 6u);
  EXPECT_EQ(events_of(delta, Fabric{}, fabric, kNow).size(), 6u);
}

}  // namespace
}  // namespace heddle::model
