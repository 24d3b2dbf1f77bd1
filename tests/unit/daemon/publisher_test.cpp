#include "daemon/publisher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <new>
#include <sstream>
#include <thread>

#include "model/fabric_builder.hpp"
#include "support/topologies.hpp"

namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

model::Fabric without_first_link(const model::Fabric& fabric) {
  model::FabricBuilder builder(fabric.name());
  for (const model::Node& node : fabric.nodes()) builder.add_node(node);
  for (const model::Port& port : fabric.ports()) {
    builder.set_port(fabric.node(port.node).guid, port);
  }
  for (const model::Link& link : fabric.links().subspan(1)) {
    builder.connect(fabric.key(link.a), fabric.key(link.b));
  }
  return std::move(builder).build();
}

class PublisherTest : public testing::Test {
 protected:
  CollectorUpdate update() const {
    CollectorUpdate u;
    u.source = "sim0 port 1";
    u.fabric = fabric_;
    for (const char* name : {"topology", "counters_data"}) {
      JobReport job;
      job.status.name = name;
      job.status.completed = 1;
      job.last_completed = now_;
      job.overdue_after = seconds{30};
      job.needed_for_ready = true;
      u.jobs.push_back(job);
    }
    return u;
  }
  CollectorUpdate with_frame() const {
    CollectorUpdate u = update();
    auto frame = std::make_shared<model::RateFrame>();
    frame->fabric = fabric_;
    u.frames.push_back(std::move(frame));
    return u;
  }
  std::shared_ptr<const exporter::View> view() const { return published_.load()->view; }
  std::string log() const { return log_->str(); }
  EventTime wall() {
    if (failing_look_-- == 0) throw std::bad_alloc();
    return {};
  }
  std::size_t count_events(const std::string& text) const {
    const auto all = events_.all();
    return static_cast<std::size_t>(std::ranges::count(*all, text, &model::Event::text));
  }

  int failing_look_ = -1;  ///< the look at the clock that throws, counted from 0; none if negative

  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::assign_lids(support::two_switches()));
  std::chrono::steady_clock::time_point now_{std::chrono::hours{1}};
  std::shared_ptr<std::ostringstream> log_ = std::make_shared<std::ostringstream>();
  EventLog events_{10000};
  PublishedCell published_{nothing_yet("1.2.3", "sim", {})};
  LinkLedger links_;
  Publisher publisher_{
      {exporter::Compatibility::kTreydock, 2},
      events_,
      published_,
      links_,
      {[this] { return now_; }, [this] { return wall(); }},
      make_logger(std::make_shared<spdlog::sinks::ostream_sink_mt>(*log_), LogLevel::kInfo)};
};

TEST_F(PublisherTest, PublishesNothingWhereNothingCame) {
  EXPECT_TRUE(publisher_.step()) << "the reason why it is not ready is another now";
  const auto first = view();
  EXPECT_FALSE(publisher_.step());
  EXPECT_EQ(view(), first);
  EXPECT_EQ(view()->not_ready_reason, "no InfiniBand port is open yet");
}

TEST_F(PublisherTest, TheNewestOfSeveralUpdatesWinsAndFramesAndEventsAddUp) {
  for (std::uint64_t i = 1; i <= 3; ++i) {
    CollectorUpdate u = with_frame();
    u.ports_asked = i;
    u.events.emplace_back().text = "e" + std::to_string(i);
    publisher_.offer(std::move(u));
  }
  EXPECT_TRUE(publisher_.step());
  EXPECT_EQ(view()->generation, 1U);
  EXPECT_EQ(view()->ports_asked, 3U);
  EXPECT_THAT(view()->history, SizeIs(2)) << "as many as history.frames allows";
  std::vector<std::string> texts;
  for (const model::Event& e : *events_.all()) texts.push_back(e.text);
  EXPECT_THAT(texts, testing::ElementsAre("e1", "e2", "e3", HasSubstr("first sweep"), "ready"));
}

TEST_F(PublisherTest, WhatThePluginTellsIsInTheNextView) {
  publisher_.offer(update());
  publisher_.step();
  EXPECT_FALSE(view()->routing);
  auto status = std::make_shared<exporter::RoutingStatus>();
  status->runs_total = 7;
  publisher_.offer_routing(status);
  const auto metrics = published_.load()->metrics;
  EXPECT_TRUE(publisher_.step());
  EXPECT_EQ(view()->routing, status);
  EXPECT_EQ(published_.load()->metrics, metrics) << "nothing of the large body is of it";
  EXPECT_FALSE(publisher_.step());
  publisher_.offer(update());
  publisher_.step();
  EXPECT_EQ(view()->routing, status);
}

// OpenSM's plugin is faster than a sweep; both see the same.
TEST_F(PublisherTest, ALinkThatSomebodyHasToldOfIsNotToldAgain) {
  publisher_.offer(update());
  publisher_.step();
  const auto whole = fabric_;
  const model::Link link = whole->links().front();
  const model::PortKey a = whole->key(link.a);
  const model::PortKey b = whole->key(link.b);
  const auto cut = std::make_shared<const model::Fabric>(without_first_link(*whole));
  const auto told = [this](model::EventKind kind) {
    return std::ranges::count(*events_.all(), kind, &model::Event::kind);
  };
  const auto show = [&](const std::shared_ptr<const model::Fabric>& fabric) {
    fabric_ = fabric;
    publisher_.offer(update());
    publisher_.step();
  };
  EXPECT_TRUE(links_.observe({a, b, false, EventTime{}, EventTime{}}));
  show(cut);
  EXPECT_EQ(told(model::EventKind::kLinkDown), 0);
  EXPECT_THAT(view()->link_histories, SizeIs(1));
  show(whole);
  EXPECT_EQ(told(model::EventKind::kLinkUp), 1) << "nobody else has told of it";
  show(cut);
  EXPECT_EQ(told(model::EventKind::kLinkDown), 1);
  EXPECT_EQ(view()->link_histories[0].flaps, 2U);
}

TEST_F(PublisherTest, RendersMetricsForDataAndFabricAndNotForEachJob) {
  publisher_.offer(with_frame());
  publisher_.step();
  const auto first = published_.load()->metrics;
  EXPECT_THAT(first->plain(), HasSubstr("fabric=\"sim\""));
  publisher_.offer(update());
  EXPECT_TRUE(publisher_.step());
  EXPECT_EQ(published_.load()->metrics, first);
  EXPECT_EQ(view()->generation, 2U);
  publisher_.offer(with_frame());
  publisher_.step();
  EXPECT_NE(published_.load()->metrics, first);
}

TEST_F(PublisherTest, AnExceptionCostsOnePublicationAndTheNextIsWhole) {
  // Looks at the clock are spread over the step; the last is within publish().
  for (int failing = 0; failing < 3; ++failing) {
    fabric_ = std::make_shared<const model::Fabric>(support::assign_lids(support::two_switches()));
    failing_look_ = failing;
    publisher_.offer(with_frame());
    EXPECT_FALSE(publisher_.step()) << failing;
    publisher_.offer(update());
    EXPECT_TRUE(publisher_.step()) << failing;
    EXPECT_EQ(view()->fabric, fabric_) << failing;
    EXPECT_EQ(view()->summary->links, fabric_->links().size());
    EXPECT_EQ(count_events("a publication failed: std::bad_alloc"),
              static_cast<std::size_t>(failing) + 1);
    EXPECT_GT(view()->metric_series, 0U);
  }
}

TEST_F(PublisherTest, ABodyIsMadeInTheMemoryOfTheOneBeforeTheLastUnlessThatIsStillBeingRead) {
  const auto publish = [this] {
    publisher_.offer(with_frame());
    publisher_.step();
    return published_.load()->metrics;
  };
  const void* const first = publish()->plain().data();
  auto read = publish();
  EXPECT_EQ(publish()->plain().data(), first);
  const std::string text = read->plain();
  EXPECT_NE(publish()->plain().data(), read->plain().data());
  EXPECT_NE(publish()->plain().data(), read->plain().data());
  EXPECT_EQ(read->plain(), text);
}

TEST_F(PublisherTest, FailedJobsReachTheMetricsThoughNoSweepIsCompleted) {
  const auto failed = [this](std::uint64_t count) {
    CollectorUpdate u = update();
    u.jobs[1].status.failed = count;
    return u;
  };
  const auto shown = [this] { return published_.load()->metrics->plain(); };
  publisher_.offer(with_frame());
  publisher_.step();
  now_ += seconds{1};
  publisher_.offer(failed(1));
  publisher_.step();
  const std::string line = "heddle_job_failed_total{fabric=\"sim\",job_name=\"counters_data\"} ";
  EXPECT_THAT(shown(), HasSubstr(line + "0\n")) << "not more often than each 10 s";
  now_ += seconds{10};
  EXPECT_TRUE(publisher_.step());
  EXPECT_THAT(shown(), HasSubstr(line + "1\n"));
  EXPECT_FALSE(publisher_.step());
  publisher_.offer(failed(2));
  publisher_.step();
  EXPECT_THAT(shown(), HasSubstr(line + "1\n"));
  CollectorUpdate stale = failed(2);
  stale.stale = true;
  publisher_.offer(std::move(stale));
  publisher_.step();
  EXPECT_THAT(shown(), HasSubstr("heddle_fabric_stale{fabric=\"sim\"} 1\n"));
}

TEST_F(PublisherTest, EventsThatPileUpBeforeItAreCountedAsDropped) {
  for (int i = 0; i < 3; ++i) {
    CollectorUpdate u = update();
    u.events.resize(600);
    publisher_.offer(std::move(u));
  }
  publisher_.step();
  EXPECT_EQ(view()->events_dropped, 1800U - 1024U);
}

TEST_F(PublisherTest, AnotherCompatibilityIsRenderedAtOnce) {
  publisher_.offer(with_frame());
  publisher_.step();
  const std::string treydock = published_.load()->metrics->plain();
  publisher_.set_options({exporter::Compatibility::kSckyzo, 2});
  EXPECT_TRUE(publisher_.step());
  EXPECT_NE(published_.load()->metrics->plain(), treydock);
}

TEST_F(PublisherTest, AnOverdueJobEndsReadinessWithoutAnyUpdate) {
  publisher_.offer(update());
  publisher_.step();
  EXPECT_TRUE(view()->ready) << view()->not_ready_reason;
  now_ += seconds{29};
  EXPECT_FALSE(publisher_.step());
  now_ += seconds{2};
  EXPECT_TRUE(publisher_.step());
  EXPECT_FALSE(view()->ready);
  EXPECT_EQ(view()->not_ready_reason, "topology is overdue");
  EXPECT_THAT(log(), HasSubstr("level=warning event=service text=\"not ready any more: topology "
                               "is overdue\""));
}

TEST_F(PublisherTest, PortsDoNotStayFreshAfterTheSweepsHaveStopped) {
  const auto shown = [this] { return published_.load()->metrics->plain(); };
  const std::string line = "heddle_counters_ports_fresh{fabric=\"sim\"} ";
  CollectorUpdate u = with_frame();
  u.ports_asked = 2;
  u.ports_fresh = 2;
  publisher_.offer(u);
  publisher_.step();
  now_ += seconds{29};
  EXPECT_FALSE(publisher_.step());
  EXPECT_THAT(shown(), HasSubstr(line + "2\n"));
  now_ += seconds{2};
  EXPECT_TRUE(publisher_.step());
  EXPECT_EQ(view()->ports_fresh, 0U);
  EXPECT_TRUE(view()->data_overdue);
  EXPECT_THAT(shown(), HasSubstr(line + "0\n"));
  for (JobReport& job : u.jobs) job.last_completed = now_;
  publisher_.offer(std::move(u));
  EXPECT_TRUE(publisher_.step());
  EXPECT_EQ(view()->ports_fresh, 2U);
  EXPECT_THAT(shown(), HasSubstr(line + "2\n"));
}

TEST_F(PublisherTest, ASnapshotDoesNotStayCurrentAfterTheSweepsHaveStopped) {
  publisher_.offer(with_frame());
  publisher_.step();
  now_ += seconds{31};
  publisher_.step();
  EXPECT_TRUE(view()->stale);
  EXPECT_EQ(view()->stale_reason, "topology is overdue");
  EXPECT_THAT(published_.load()->metrics->plain(),
              HasSubstr("heddle_fabric_stale{fabric=\"sim\"} 1\n"));
  publisher_.offer(with_frame());
  publisher_.step();
  EXPECT_FALSE(view()->stale);
  EXPECT_EQ(view()->stale_reason, "");
}

TEST_F(PublisherTest, AJobThatWasNeverCompletedSaysItsLastError) {
  CollectorUpdate u = update();
  u.jobs[1].status.completed = 0;
  u.jobs[1].status.last_error = "no answer";
  publisher_.offer(std::move(u));
  publisher_.step();
  EXPECT_EQ(view()->not_ready_reason, "counters_data has not been completed yet: no answer");
}

TEST_F(PublisherTest, DerivedPartsOfAFabricAreMadeOnce) {
  publisher_.offer(update());
  publisher_.step();
  const auto first = view();
  EXPECT_EQ(first->summary->links, fabric_->links().size());
  publisher_.offer(update());
  publisher_.step();
  EXPECT_EQ(view()->summary, first->summary);
  EXPECT_EQ(view()->degraded, first->degraded);
}

TEST_F(PublisherTest, AThousandEventsAtOnceAreAllKeptButNotAllLogged) {
  CollectorUpdate u = update();
  for (int i = 0; i < 1000; ++i) u.events.emplace_back().text = "many";
  publisher_.offer(std::move(u));
  publisher_.step();
  EXPECT_GE(events_.all()->size(), 1000U);
  EXPECT_THAT(log(), HasSubstr("event=more_events count=950"));
}

TEST_F(PublisherTest, AnEventIsALogLineWithItsPort) {
  model::Event event;
  event.kind = model::EventKind::kLinkDown;
  event.severity = model::Severity::kError;
  event.port = fabric_->key(model::PortIndex{std::uint32_t{0}});
  event.text = "a \"b\"";
  publisher_.record(event);
  EXPECT_THAT(log(), HasSubstr("level=error event=link_down port=" + model::to_string(*event.port) +
                               " text=\"a \\\"b\\\"\""));
}

// offer() on one thread, reading on another, the publisher on its own: for ThreadSanitizer.
TEST(PublisherThread, PublishesWhileOthersOfferAndRead) {
  EventLog events(100);
  PublishedCell published(nothing_yet("1", "sim", {}));
  LinkLedger links;
  Publisher publisher(
      {}, events, published, links, {},
      make_logger(std::make_shared<spdlog::sinks::null_sink_mt>(), LogLevel::kError));
  const auto fabric = std::make_shared<const model::Fabric>(support::two_switches());
  {
    std::jthread worker([&](std::stop_token stop) { publisher.run(stop); });
    std::jthread source([&] {
      for (std::uint64_t i = 1; i <= 200; ++i) {
        CollectorUpdate u;
        u.source = "x";
        u.fabric = fabric;
        u.ports_asked = i;
        publisher.offer(std::move(u));
      }
    });
    const auto end = std::chrono::steady_clock::now() + seconds{5};
    while (published.load()->view->ports_asked != 200 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds{1});
    }
  }
  EXPECT_EQ(published.load()->view->ports_asked, 200U);
  EXPECT_GT(publisher.last_beat().time_since_epoch().count(), 0);
}

}  // namespace
}  // namespace heddle::daemon
