#include <algorithm>
#include <deque>
#include <optional>

#include <gtest/gtest.h>

#include "discovery/fabric_sweep.hpp"
#include "support/topologies.hpp"
#include "unit/discovery/simulated_subnet.hpp"

/// What a device that lies can make a walk note.
namespace heddle::discovery {
namespace {

using model::PortNum;

/// Stands in the place of one device and answers, for any route that leads to it or through it, as
/// a switch with a GUID never heard before, all of whose ports are up.
class EndlessDevice final : public mad::Transport {
 public:
  EndlessDevice(mad::Transport& inner, mad::DirectedRoute place, std::uint8_t ports)
      : inner_(inner), place_(place), ports_(ports) {}

  [[nodiscard]] model::Status send(const mad::OutgoingMad& mad) override {
    const auto route = mad::route_from_wire(mad.bytes);
    if (!route || !leads_here(*route)) return inner_.send(mad);
    answers_.push_back({answer(mad.bytes), false});
    return {};
  }
  [[nodiscard]] model::Result<std::optional<mad::IncomingMad>> receive(
      std::chrono::milliseconds wait) override {
    if (answers_.empty()) return inner_.receive(wait);
    const mad::IncomingMad next = answers_.front();
    answers_.pop_front();
    return next;
  }

 private:
  [[nodiscard]] bool leads_here(const mad::DirectedRoute& route) const {
    const auto ports = route.exit_ports();
    const auto place = place_.exit_ports();
    return ports.size() >= place.size() && std::ranges::equal(ports.first(place.size()), place);
  }

  [[nodiscard]] mad::MadBytes answer(mad::MadBytes bytes) {
    mad::Header header = mad::header_from_wire(bytes);
    header.method = static_cast<std::uint8_t>(mad::Method::kGetResp);
    mad::header_to_wire(header, bytes);
    const mad::SmpDataOut data = mad::smp_data(bytes);
    if (header.attribute == mad::smp::kNodeInfo) {
      const model::NodeGuid fresh{0xbad0000000000000U + ++invented_};
      mad::to_wire(mad::NodeInfo{.node_type = mad::NodeType::kSwitch,
                                 .port_count = ports_,
                                 .node_guid = fresh,
                                 .local_port = PortNum{std::uint8_t{1}}},
                   data);
    } else if (header.attribute == mad::smp::kPortInfo) {
      model::Port port;
      port.state = model::PortState::kActive;
      port.physical_state = model::PhysicalState::kLinkUp;
      mad::to_wire(mad::to_port_info(port), data);
    }
    return bytes;
  }

  mad::Transport& inner_;
  mad::DirectedRoute place_;
  std::uint8_t ports_;
  std::uint64_t invented_ = 0;
  std::deque<mad::IncomingMad> answers_;
};

class EndlessSubnet : public testing::Test {
 protected:
  model::Result<SweepOutcome> walk(FabricSweep::Options options) {
    FabricSweep sweep(engine_, std::move(options), nullptr);
    model::Result<SweepOutcome> result = model::fail(model::Errc::kCancelled, "never called back");
    int calls = 0;
    sweep.start([&](model::Result<SweepOutcome> outcome) {
      ++calls;
      result = std::move(outcome);
    });
    for (int turn = 0; turn < 100'000 && calls == 0; ++turn) {
      EXPECT_TRUE(engine_.run_once(std::chrono::milliseconds{10}));
    }
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(engine_.idle()) << "nothing is left under way";
    return result;
  }

  std::shared_ptr<const model::Fabric> source_ =
      std::make_shared<const model::Fabric>(support::two_switches());
  simulation::SimulatedFabric devices_{source_, SimulatedSubnet::first_adapter_port(*source_)};
  simulation::SimulatedTransport transport_{devices_, {}};
  // From host 0: 1 is its leaf, 1.2 the neighbour there.
  EndlessDevice liar_{transport_, route_of(1, 2), 36};
  mad::MadEngine engine_{liar_, {}, [this] { return transport_.now(); }};
};

TEST_F(EndlessSubnet, ADeviceThatGivesEverNewGuidsEndsTheWalkAtItsLimitWithAnErrorThatSaysSo) {
  const auto result = walk({.max_nodes = 50});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, model::Errc::kInvalidInput);
  EXPECT_NE(result.error().text.find("ends at 50 nodes"), std::string::npos) << result.error().text;
  EXPECT_NE(result.error().text.find("ever new GUIDs"), std::string::npos);
  EXPECT_NE(result.error().text.find("0xbad0"), std::string::npos) << "the last one";
}

TEST_F(EndlessSubnet, PortsCountToo) {
  const auto result = walk({.max_ports = 400});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, model::Errc::kInvalidInput);
  // 36 and port 0 of each that is invented, beside the few real ones.
  EXPECT_LE(devices_.requests(mad::smp::kNodeInfo), 6U);
}

TEST(SweepLimits, ASubnetOfJustThatSizeIsWalkedWhole) {
  SimulatedSubnet subnet(support::two_switches());
  const std::size_t nodes = subnet.source->nodes().size();
  for (const std::size_t limit : {nodes, nodes - 1}) {
    FabricSweep sweep(subnet.engine, {.max_nodes = limit}, nullptr);
    std::optional<bool> worked;
    bool done = false;
    sweep.start([&](const model::Result<SweepOutcome>& outcome) {
      worked = outcome.has_value();
      done = true;
    });
    ASSERT_TRUE(subnet.run_until(done));
    EXPECT_EQ(worked, limit == nodes);
  }
}

}  // namespace
}  // namespace heddle::discovery
