#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "discovery/fabric_sweep.hpp"
#include "support/topologies.hpp"
#include "unit/discovery/simulated_subnet.hpp"

namespace heddle::discovery {
namespace {

using model::Fabric;
using model::LinkIndex;
using model::NodeIndex;

std::uint64_t first_seed() {
  const char* const text = std::getenv("HEDDLE_SEED");
  return text == nullptr ? 20261201 : std::strtoull(text, nullptr, 0);
}

/// What is broken in one trial.
struct Damage {
  std::set<LinkIndex> cut;
  std::set<NodeIndex> mute;
};

Damage random_damage(const Fabric& fabric, std::mt19937_64& random) {
  Damage damage;
  const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (std::size_t i = random() % 12; i > 0; --i) {
    damage.cut.insert(LinkIndex{below(fabric.links().size())});
  }
  for (std::size_t i = random() % 5; i > 0; --i) {
    const NodeIndex node{below(fabric.nodes().size())};
    if (node.value() != 0) damage.mute.insert(node);  // node 0 is where we ask from
  }
  return damage;
}

/// Whether the walk goes on from a port: from a switch's, and from the one that we ask by.
bool leads_on(const Fabric& fabric, model::PortIndex port) {
  return fabric.node(fabric.port(port).node).kind == model::NodeKind::kSwitch || port.value() == 0;
}

/// The slow, obvious answer: what answering nodes lead to over cables that are up.
std::set<NodeIndex> reachable(const Fabric& fabric, const Damage& damage) {
  std::set<NodeIndex> found{NodeIndex{std::uint32_t{0}}};
  for (bool grown = true; grown;) {
    grown = false;
    for (std::uint32_t i = 0; i < fabric.links().size(); ++i) {
      if (damage.cut.contains(LinkIndex{i})) continue;
      const model::Link& link = fabric.links()[i];
      for (const auto& [from, to] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
        const NodeIndex next = fabric.port(to).node;
        if (leads_on(fabric, from) && found.contains(fabric.port(from).node) &&
            !damage.mute.contains(next)) {
          grown |= found.insert(next).second;
        }
      }
    }
  }
  return found;
}

void apply(const Damage& damage, SimulatedSubnet& subnet) {
  const Fabric& fabric = *subnet.source;
  for (const LinkIndex cut : damage.cut) subnet.devices.cut(fabric.key(fabric.link(cut).a));
  for (const NodeIndex mute : damage.mute) subnet.devices.mute(fabric.node(mute).guid);
}

std::set<model::NodeGuid> guids_of(const Fabric& fabric) {
  std::set<model::NodeGuid> guids;
  for (const model::Node& node : fabric.nodes()) guids.insert(node.guid);
  return guids;
}

class FabricSweepProperty : public testing::TestWithParam<Fabric (*)()> {};

TEST_P(FabricSweepProperty, FindsExactlyWhatCanBeReached) {
  for (std::uint64_t trial = 0; trial < 15; ++trial) {
    const std::uint64_t seed = first_seed() + trial;
    SCOPED_TRACE("HEDDLE_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    SimulatedSubnet subnet(support::assign_lids(GetParam()()),
                           {.faults = {.jitter = std::chrono::microseconds{300}, .seed = seed}});
    const Damage damage = random_damage(*subnet.source, random);
    apply(damage, subnet);
    const auto found = subnet.found().fabric;

    const std::set<NodeIndex> expected = reachable(*subnet.source, damage);
    std::set<model::NodeGuid> expected_guids;
    for (const NodeIndex node : expected) expected_guids.insert(subnet.source->node(node).guid);
    EXPECT_EQ(guids_of(*found), expected_guids);
    std::size_t links = 0;
    for (std::uint32_t i = 0; i < subnet.source->links().size(); ++i) {
      const model::Link& link = subnet.source->links()[i];
      if (!damage.cut.contains(LinkIndex{i}) &&
          expected.contains(subnet.source->port(link.a).node) &&
          expected.contains(subnet.source->port(link.b).node)) {
        ++links;
      }
    }
    EXPECT_EQ(found->links().size(), links);
    EXPECT_TRUE(found->anomalies().empty());
  }
}

TEST_P(FabricSweepProperty, CarriesOverOnlyCablesThatMayStillBeThere) {
  for (std::uint64_t trial = 0; trial < 15; ++trial) {
    const std::uint64_t seed = first_seed() + 1000 + trial;
    SCOPED_TRACE("HEDDLE_SEED=" + std::to_string(seed - 1000));
    std::mt19937_64 random(seed);
    SimulatedSubnet subnet(support::assign_lids(GetParam()()));
    const Damage damage = random_damage(*subnet.source, random);
    apply(damage, subnet);
    const auto found = subnet.found(subnet.source).fabric;

    EXPECT_TRUE(found->anomalies().empty());
    const std::set<NodeIndex> answering = reachable(*subnet.source, damage);
    const std::set<model::NodeGuid> kept = guids_of(*found);
    for (const NodeIndex node : answering) {
      EXPECT_TRUE(kept.contains(subnet.source->node(node).guid));
    }
    for (std::uint32_t i = 0; i < subnet.source->links().size(); ++i) {
      const model::Link& link = subnet.source->links()[i];
      const auto there = found->find_port(subnet.source->key(link.a));
      const bool kept_link = there && found->peer(*there).has_value();
      const auto tells = [&](model::PortIndex end) {
        return leads_on(*subnet.source, end) && answering.contains(subnet.source->port(end).node);
      };
      if (!tells(link.a) && !tells(link.b)) continue;  // nobody can say
      // From an answering switch each cable that is up is known, be its far end mute or not; one
      // that is cut is gone.
      EXPECT_EQ(kept_link, !damage.cut.contains(LinkIndex{i}))
          << to_string(subnet.source->key(link.a));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, FabricSweepProperty,
                         testing::Values(support::ft2_k4, support::ft3_k4, support::dfp_g3,
                                         support::hybrid_two_homed));

}  // namespace
}  // namespace heddle::discovery
