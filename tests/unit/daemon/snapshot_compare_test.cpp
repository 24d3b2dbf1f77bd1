#include "daemon/snapshot_compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "model/fabric_builder.hpp"

namespace heddle::daemon {
namespace {

using model::Lid;
using model::NodeGuid;
using testing::ElementsAre;
using testing::IsEmpty;

/// A switch with a host at its port 1; the host is left out where it has no LID.
model::Fabric fabric(std::uint16_t switch_lid, std::optional<std::uint16_t> host_lid) {
  model::FabricBuilder builder("f");
  const auto add = [&](std::uint64_t guid, model::NodeKind kind, std::uint8_t port, Lid lid) {
    model::Node node;
    node.guid = NodeGuid{guid};
    node.kind = kind;
    node.port_count = 1;
    builder.add_node(node);
    model::Port with_lid;
    with_lid.number = model::PortNum{port};
    with_lid.lid = lid;
    builder.set_port(node.guid, with_lid);
  };
  add(1, model::NodeKind::kSwitch, 0, Lid{switch_lid});
  if (host_lid) add(2, model::NodeKind::kHostAdapter, 1, Lid{*host_lid});
  return std::move(builder).build();
}

TEST(NodesToAskAnew, AreThoseWhoseLidChangedAndThoseThatAreGone) {
  EXPECT_THAT(nodes_to_ask_anew(fabric(1, 2), fabric(1, 2)), IsEmpty());
  EXPECT_THAT(nodes_to_ask_anew(fabric(1, 2), fabric(1, 3)),
              ElementsAre(NodeGuid{std::uint64_t{2}}));
  EXPECT_THAT(nodes_to_ask_anew(fabric(1, 2), fabric(4, 2)),
              ElementsAre(NodeGuid{std::uint64_t{1}}));
  EXPECT_THAT(nodes_to_ask_anew(fabric(1, 2), fabric(1, std::nullopt)),
              ElementsAre(NodeGuid{std::uint64_t{2}}));
  EXPECT_THAT(nodes_to_ask_anew(fabric(1, std::nullopt), fabric(1, 2)), IsEmpty());
}

}  // namespace
}  // namespace heddle::daemon
