#include "daemon/collector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/pma.hpp"
#include "unit/daemon/simulated_bench.hpp"

namespace heddle::daemon {
namespace {

using model::EventKind;
using model::NodeGuid;
using model::PortKey;
using model::PortNum;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_support::SimulatedBench;

constexpr seconds kOneTopologyPeriod{62};

model::Fabric fabric() { return support::assign_lids(support::ft2_k4()); }

/// The first cable between two switches.
PortKey switch_cable(const model::Fabric& f) {
  for (const model::Link& link : f.links()) {
    if (f.switch_index(f.port(link.a).node) && f.switch_index(f.port(link.b).node)) {
      return f.key(link.a);
    }
  }
  return {};
}

model::SubnetManager manager(const model::Fabric& f, std::uint8_t priority) {
  const model::Port& port = f.ports().front();
  return {f.node(port.node).guid,
          port.number,
          port.guid.value_or(model::PortGuid{}),
          priority,
          model::SubnetManager::State::kMaster,
          1};
}

TEST(Collector, TheFirstCompleteSweepMakesTheViewReady) {
  SimulatedBench bench(fabric());
  EXPECT_FALSE(bench.view()->ready);
  bench.run_for(seconds{5});
  const auto view = bench.view();
  EXPECT_TRUE(view->ready) << view->not_ready_reason;
  EXPECT_FALSE(view->stale);
  EXPECT_EQ(view->fabric->nodes().size(), 14U);
  EXPECT_EQ(view->fabric->links().size(), 16U);
  EXPECT_EQ(view->summary->links, 16U);
  ASSERT_NE(view->tables, nullptr);
  EXPECT_EQ(view->tables->fabric, view->fabric);
  ASSERT_NE(view->counters, nullptr);
  EXPECT_GT(view->ports_asked, 0U);
  EXPECT_EQ(view->ports_fresh, view->ports_asked);
  EXPECT_THAT(view->history, SizeIs(1));
  EXPECT_GT(view->metric_series, 0U);
  EXPECT_THAT(bench.published.load()->metrics->plain(), HasSubstr("# TYPE"));
  EXPECT_GT(bench.published.load()->mad.replies, 0U);
  for (const exporter::JobStatus& job : view->jobs) EXPECT_EQ(job.completed, 1U) << job.name;
}

TEST(Collector, TheFirstSweepIsOneEventAndNotOnePerNode) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  EXPECT_THAT(bench.events_of(EventKind::kNodeAppeared), IsEmpty());
  EXPECT_THAT(bench.events_of(EventKind::kService),
              Contains(Field(&model::Event::text, HasSubstr("14 nodes, 16 links"))));
}

TEST(Collector, EachJobRunsByItsOwnPeriod) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{301});
  EXPECT_NEAR(static_cast<double>(bench.job("topology").completed), 6, 1);
  EXPECT_NEAR(static_cast<double>(bench.job("counters_data").completed), 31, 1);
  EXPECT_NEAR(static_cast<double>(bench.job("counters_errors").completed), 11, 1);
  EXPECT_NEAR(static_cast<double>(bench.job("counters_details").completed), 2, 1);
  EXPECT_EQ(bench.job("tables").completed, bench.job("topology").completed);
  EXPECT_THAT(bench.view()->history, SizeIs(30));
}

TEST(Collector, AHintBringsASweepSoonAndAStormOfHintsNoStormOfSweeps) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  const std::uint64_t before = bench.job("topology").completed;
  bench.collector.sweep_soon();
  bench.run_for(seconds{1});
  EXPECT_EQ(bench.job("topology").completed, before + 1);
  for (int i = 0; i < 100; ++i) {
    bench.collector.sweep_soon();
    bench.run_for(std::chrono::milliseconds{100});
  }
  EXPECT_GE(bench.job("topology").completed, before + 4);
  EXPECT_LE(bench.job("topology").completed, before + 7) << "one each two seconds";
}

TEST(Collector, ThatNoMasterIsSeenIsAnEventAndSoIsTheNext) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  const auto told = [&bench](const std::string& text) {
    return std::ranges::count_if(
        bench.events_of(EventKind::kSubnetManagerChanged),
        [&](const model::Event& e) { return e.text.find(text) != std::string::npos; });
  };
  EXPECT_EQ(told("no master subnet manager is seen"), 1);
  bench.devices.set_subnet_manager(manager(*bench.truth, 1));
  bench.run_for(seconds{130});
  EXPECT_EQ(told("a master subnet manager is seen again"), 1);
  EXPECT_EQ(told("no master subnet manager is seen"), 1);
}

TEST(Collector, CountersThatAreDueTogetherAreReadByOneSweep) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  const auto queries = [&] {
    return bench.devices.requests(mad::ManagementClass::kPerformance,
                                  mad::pma::kPortCountersExtended);
  };
  const auto ports = bench.view()->ports_asked;
  // These devices give errors in the same attribute as data: asked for both, they answer once.
  bench.pass(seconds{600});
  const auto before = queries();
  bench.run_for(seconds{5});
  EXPECT_EQ(bench.job("counters_data").completed, 2U);
  EXPECT_EQ(bench.job("counters_errors").completed, 2U);
  EXPECT_EQ(queries() - before, ports);
}

TEST(Collector, LateStartsDoNotPileUp) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  const auto before = bench.job("counters_data").completed;
  bench.pass(seconds{600});
  bench.run_for(seconds{5});
  EXPECT_EQ(bench.job("counters_data").completed, before + 1);
  EXPECT_EQ(bench.job("topology").completed, 2U);
}

TEST(Collector, AnUnchangedFabricKeepsItsSnapshot) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  const auto first = bench.view();
  bench.run_for(kOneTopologyPeriod);
  EXPECT_EQ(bench.job("topology").completed, 2U);
  EXPECT_EQ(bench.view()->fabric, first->fabric);
  EXPECT_EQ(bench.view()->summary, first->summary);
  EXPECT_GT(bench.view()->generation, first->generation);
}

TEST(Collector, ACutCableIsALinkDownAndItsReturnALinkUp) {
  SimulatedBench bench(fabric());
  const PortKey cable = switch_cable(*bench.truth);
  bench.run_for(seconds{5});
  bench.devices.cut(cable);
  bench.run_for(kOneTopologyPeriod);
  const auto down = bench.events_of(EventKind::kLinkDown);
  ASSERT_THAT(down, SizeIs(1));
  EXPECT_EQ(down.front().port, cable);
  EXPECT_EQ(bench.view()->fabric->links().size(), 15U);
  EXPECT_EQ(bench.view()->counters->fabric, bench.view()->fabric);
  bench.devices.restore(cable);
  bench.run_for(kOneTopologyPeriod);
  EXPECT_THAT(bench.events_of(EventKind::kLinkUp), SizeIs(1));
  EXPECT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
}

TEST(Collector, ALostDeviceMakesTheViewStaleUntilItIsBack) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  bench.device_is_there = false;
  bench.unplug();
  bench.run_for(seconds{100});
  EXPECT_FALSE(bench.view()->ready);
  EXPECT_TRUE(bench.view()->stale);
  EXPECT_EQ(bench.view()->fabric->nodes().size(), 14U) << "the last good snapshot stays";
  EXPECT_THAT(bench.events_of(EventKind::kService),
              Contains(Field(&model::Event::text, HasSubstr("lost sim0 port 1"))));
  const auto told = bench.events.all()->size();
  bench.run_for(seconds{100});
  EXPECT_EQ(bench.events.all()->size(), told) << "a lasting failure is told once";
  const auto queries = bench.published.load()->mad.sent;
  bench.device_is_there = true;
  bench.run_for(seconds{60});
  EXPECT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
  EXPECT_FALSE(bench.view()->stale);
  EXPECT_GT(bench.published.load()->mad.sent, queries) << "totals survive the device";
}

TEST(Collector, ADeviceThatOpensAndFailsIsToldOnceAndTriedLessAndLess) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  bench.device_is_dead = true;
  bench.unplug();
  bench.run_for(seconds{10});
  const auto told = bench.events.all()->size();
  const int opened = bench.opened;
  EXPECT_LE(opened, 5) << "after 1, 2 and 4 s";
  bench.run_for(seconds{300});
  EXPECT_EQ(bench.events.all()->size(), told);
  EXPECT_LE(bench.opened - opened, 13) << "each 30 s at last";
  EXPECT_GE(bench.opened - opened, 9);
  const auto count = [&](const char* text) {
    return std::ranges::count_if(*bench.events.all(), [text](const model::Event& event) {
      return event.text.starts_with(text);
    });
  };
  EXPECT_EQ(count("lost sim0 port 1"), 1);
  EXPECT_EQ(count("job topology failed: lost sim0 port 1"), 1);
  EXPECT_EQ(count("watching through"), 1) << "it has not answered again";
  EXPECT_TRUE(bench.view()->stale);
  bench.device_is_dead = false;
  bench.run_for(seconds{60});
  EXPECT_EQ(count("watching through"), 2);
  EXPECT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
}

TEST(Collector, AnExceptionCostsTheSourceAndNotTheService) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  bench.open_throws = true;
  bench.unplug();
  bench.run_for(seconds{60});
  EXPECT_THAT(bench.events_of(EventKind::kService),
              Contains(Field(&model::Event::text, "the collector failed: std::bad_alloc")));
  EXPECT_TRUE(bench.view()->stale);
  bench.open_throws = false;
  bench.run_for(seconds{60});
  EXPECT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
}

// An update that could not be handed on, whatever the job that has ended.
TEST(Collector, AnExceptionInAnyJobEndsAllAndNoneHangs) {
  for (int failing = 0; failing < 12; ++failing) {
    SimulatedBench bench(fabric());
    bench.failing_offer = failing;
    bench.run_for(seconds{100});
    EXPECT_LT(bench.failing_offer, 0);
    EXPECT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
    const auto before = bench.view();
    bench.run_for(seconds{310});
    for (std::size_t i = 0; i < before->jobs.size(); ++i) {
      EXPECT_GT(bench.view()->jobs[i].completed, before->jobs[i].completed)
          << before->jobs[i].name << " after offer " << failing;
    }
  }
}

/// Another port for all entries of each switch, so that one read in place of another shows.
model::ForwardingTables distinct_tables(const model::Fabric& f) {
  model::ForwardingTables tables(f.switches().size(), model::Lid{std::uint16_t{14}});
  for (std::uint32_t i = 0; i < tables.switch_count(); ++i) {
    std::ranges::fill(tables.row(model::SwitchIndex{i}), static_cast<std::uint8_t>(i + 1));
    tables.mark_known(model::SwitchIndex{i});
  }
  return tables;
}

TEST(Collector, TablesAreOfTheirSwitchesAlsoWhenTheDeviceComesBackAtAnotherPlace) {
  Collector::Options options;
  options.mad.background_per_second = 20;  // topology sweeps overtake the reading of tables
  options.periods.jobs.topology = milliseconds{1000};
  SimulatedBench bench(fabric(), options);
  const auto tables = distinct_tables(*bench.truth);
  bench.devices.set_forwarding(tables);
  bench.run_for(milliseconds{3500});
  ASSERT_GE(bench.job("topology").completed, 2U);
  ASSERT_EQ(bench.job("tables").completed, 0U);
  bench.unplug();
  const auto hosts = std::ranges::find_if(
      bench.truth->ports().rbegin(), bench.truth->ports().rend(),
      [&](const model::Port& port) { return !bench.truth->switch_index(port.node).has_value(); });
  ASSERT_NE(hosts, bench.truth->ports().rend());
  bench.devices = simulation::SimulatedFabric(bench.truth,
                                              {bench.truth->node(hosts->node).guid, hosts->number});
  bench.devices.set_forwarding(tables);
  bench.run_for(seconds{200});
  const auto read = bench.view()->tables;
  ASSERT_NE(read, nullptr);
  ASSERT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
  for (std::uint32_t i = 0; i < read->fabric->switches().size(); ++i) {
    const model::SwitchIndex here{i};
    const auto node = bench.truth->find_node(read->fabric->node(read->fabric->node_of(here)).guid);
    ASSERT_TRUE(node);
    const auto there = bench.truth->switch_index(*node);
    ASSERT_TRUE(there);
    ASSERT_TRUE(read->forwarding.known(here));
    EXPECT_EQ(read->forwarding.row(here)[1], tables.row(*there)[1]) << i;
  }
}

TEST(Collector, StartsWithoutADeviceAndGoesOnTrying) {
  SimulatedBench bench(fabric());
  bench.device_is_there = false;
  bench.run_for(seconds{40});
  EXPECT_FALSE(bench.view()->ready);
  EXPECT_EQ(bench.view()->not_ready_reason, "no device");
  bench.device_is_there = true;
  bench.run_for(seconds{40});
  EXPECT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
}

TEST(Collector, AMuteNodeStaysWithAnEventAndCostsTheOthersNothing) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  const NodeGuid host = bench.truth->nodes()[7].guid;
  bench.devices.mute(host);
  bench.run_for(kOneTopologyPeriod);
  const auto mute = bench.events_of(EventKind::kNodeMute);
  ASSERT_THAT(mute, SizeIs(1));
  EXPECT_EQ(mute.front().port, (PortKey{host, PortNum{std::uint8_t{0}}}));
  EXPECT_EQ(bench.view()->fabric->nodes().size(), 14U);
  EXPECT_THAT(bench.events_of(EventKind::kNodeVanished), IsEmpty());
  EXPECT_EQ(bench.view()->ports_fresh, bench.view()->ports_asked - 1);
  EXPECT_TRUE(bench.view()->ready);
  bench.devices.unmute(host);
  bench.run_for(seconds{240});
  EXPECT_THAT(bench.events_of(EventKind::kNodeAnswers), SizeIs(1));
  EXPECT_EQ(bench.view()->ports_fresh, bench.view()->ports_asked);
}

std::uint64_t capability_queries(SimulatedBench& bench) {
  return bench.devices.requests(mad::ManagementClass::kPerformance, mad::pma::kClassPortInfo);
}

TEST(Collector, ANodeThatCameBackIsAskedAnewWhatItCanDo) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{15});
  const auto at_first = capability_queries(bench);
  bench.run_for(seconds{20});
  ASSERT_EQ(capability_queries(bench), at_first);
  const NodeGuid host = bench.truth->nodes()[7].guid;
  bench.devices.mute_performance(host);
  bench.run_for(seconds{20});
  bench.devices.unmute_performance(host);
  const auto while_mute = capability_queries(bench);
  bench.run_for(seconds{120});
  EXPECT_GT(capability_queries(bench), while_mute);
  EXPECT_EQ(bench.view()->ports_fresh, bench.view()->ports_asked);
}

TEST(Collector, WhatBecameOfReadingsAndWhoIsMuteIsPublished) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{15});
  EXPECT_GT(bench.view()->intake.samples, 0U);
  EXPECT_EQ(bench.published.load()->backing_off, 0U);
  const NodeGuid host = bench.truth->nodes()[7].guid;
  for (const model::Port& port : bench.truth->ports_of(*bench.truth->find_node(host))) {
    bench.devices.counters({host, port.number}).fill(~std::uint64_t{0} / 4);
  }
  bench.run_for(seconds{20});
  EXPECT_GT(bench.view()->intake.implausible, 0U);
  bench.devices.mute_performance(host);
  bench.run_for(seconds{20});
  EXPECT_EQ(bench.published.load()->backing_off, 1U);
}

TEST(Collector, AFabricThatIsSuddenlyGoneIsSuspectAndTheOldSnapshotStays) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  const PortKey own = bench.truth->key(model::PortIndex{std::uint32_t{0}});
  bench.devices.cut(own);
  bench.run_for(seconds{130});
  EXPECT_THAT(bench.events_of(EventKind::kFabricSuspect), SizeIs(1));
  EXPECT_TRUE(bench.view()->stale);
  EXPECT_EQ(bench.view()->fabric->nodes().size(), 14U);
  EXPECT_FALSE(bench.view()->ready);
  bench.devices.restore(own);
  bench.run_for(seconds{130});
  EXPECT_THAT(bench.events_of(EventKind::kFabricAccepted), SizeIs(1));
  EXPECT_FALSE(bench.view()->stale);
  EXPECT_TRUE(bench.view()->ready) << bench.view()->not_ready_reason;
}

TEST(Collector, CountersClearedByOthersAreOneEvent) {
  SimulatedBench bench(fabric());
  for (const model::Link& link : bench.truth->links()) {
    bench.devices.counters(bench.truth->key(link.a)).fill(5000);
  }
  bench.run_for(seconds{15});
  for (const model::Link& link : bench.truth->links()) {
    bench.devices.counters(bench.truth->key(link.a)).fill(10);
  }
  bench.run_for(seconds{12});
  EXPECT_THAT(bench.events_of(EventKind::kCounterReset),
              testing::ElementsAre(Field(&model::Event::text, HasSubstr("16 ports"))));
}

TEST(Collector, AnotherPriorityOfTheSubnetManagerIsAnEvent) {
  SimulatedBench bench(fabric());
  bench.devices.set_subnet_manager(manager(*bench.truth, 3));
  bench.run_for(seconds{5});
  ASSERT_THAT(bench.view()->tables->subnet_managers, SizeIs(1));
  bench.devices.set_subnet_manager(manager(*bench.truth, 7));
  bench.run_for(kOneTopologyPeriod);
  EXPECT_THAT(bench.events_of(EventKind::kSubnetManagerChanged),
              testing::ElementsAre(
                  Field(&model::Event::text, HasSubstr("from master, priority 3, to master, "
                                                       "priority 7"))));
}

TEST(Collector, ForwardingEntriesThatMoveAreOneEvent) {
  Collector::Options options;
  options.periods.rotation = 1;  // every switch again at each sweep
  SimulatedBench bench(fabric(), options);
  model::ForwardingTables tables(bench.truth->switches().size(), model::Lid{std::uint16_t{14}});
  for (std::uint32_t i = 0; i < tables.switch_count(); ++i) {
    std::ranges::fill(tables.row(model::SwitchIndex{i}), std::uint8_t{1});
    tables.mark_known(model::SwitchIndex{i});
  }
  bench.devices.set_forwarding(tables);
  bench.run_for(seconds{5});
  tables.row(model::SwitchIndex{std::uint32_t{2}})[3] = 2;
  bench.devices.set_forwarding(tables);
  bench.run_for(kOneTopologyPeriod);
  const auto moved = bench.events_of(EventKind::kForwardingChanged);
  ASSERT_THAT(moved, SizeIs(1));
  EXPECT_THAT(moved.front().text, testing::StartsWith("1 forwarding entries changed on \""));
}

TEST(Collector, WithoutASubnetManagerItSaysWhyItIsNotReadyAndLooksAgainSoon) {
  SimulatedBench bench(support::ft2_k4());
  bench.run_for(seconds{30});
  EXPECT_FALSE(bench.view()->ready);
  EXPECT_THAT(bench.view()->not_ready_reason, HasSubstr("no port has a LID"));
  EXPECT_EQ(bench.view()->fabric->nodes().size(), 14U);
  EXPECT_GE(bench.job("topology").completed, 5U);
}

TEST(Collector, AShorterPeriodHoldsAtOnce) {
  SimulatedBench bench(fabric());
  bench.run_for(seconds{5});
  Collector::Periods faster;
  faster.jobs.counters_data = milliseconds{1000};
  bench.collector.set_periods(faster);
  bench.run_for(seconds{10});
  EXPECT_GE(bench.job("counters_data").completed, 9U);
}

}  // namespace
}  // namespace heddle::daemon
