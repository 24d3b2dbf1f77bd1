#include "simulation/simulated_transport.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "questions.hpp"
#include "support/topologies.hpp"

namespace heddle::simulation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using support::node_named;
using support::port_at;

class SimulatedTransportTest : public testing::Test {
 protected:
  /// A question to the own adapter, told apart by its transaction.
  static mad::OutgoingMad question(std::uint64_t transaction) {
    mad::OutgoingMad out{.bytes = directed({}, {mad::smp::kNodeInfo}),
                         .lid = std::nullopt,
                         .service_level = {},
                         .timeout = milliseconds{200}};
    mad::Header header = mad::header_from_wire(out.bytes);
    header.transaction_id = transaction;
    mad::header_to_wire(header, out.bytes);
    return out;
  }
  static std::uint64_t transaction(const mad::IncomingMad& in) {
    return mad::header_from_wire(in.bytes).transaction_id;
  }
  /// All that arrives, in order, with the time since the start.
  struct Arrived {
    std::uint64_t transaction;
    bool timed_out;
    mad::Clock::duration after;
    bool operator==(const Arrived&) const = default;
  };
  static std::vector<Arrived> drain(SimulatedTransport& transport, mad::Clock::time_point start) {
    std::vector<Arrived> all;
    while (true) {
      auto next = transport.receive(milliseconds{1000});
      EXPECT_TRUE(next.has_value());
      if (!next || !*next) return all;
      all.push_back({transaction(**next), (*next)->timed_out, transport.now() - start});
    }
  }

  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::assign_lids(support::two_switches()));
  SimulatedFabric devices_{fabric_, port_at(*fabric_, "host-00000 HCA-1", 1)};
};

TEST_F(SimulatedTransportTest, BringsTheAnswerAfterTheDelay) {
  SimulatedTransport transport(devices_, {.delay = microseconds{300}});
  const auto start = transport.now();
  ASSERT_TRUE(transport.send(question(7)).has_value());
  const auto answer = transport.receive(milliseconds{10});
  ASSERT_TRUE(answer.has_value() && answer->has_value());
  EXPECT_FALSE((*answer)->timed_out);
  EXPECT_EQ(transaction(**answer), 7U);
  EXPECT_EQ(mad::node_info_from_wire(mad::smp_data((*answer)->bytes)).node_guid,
            node_named(*fabric_, "host-00000 HCA-1").guid);
  EXPECT_EQ(transport.now() - start, microseconds{300});
}

TEST_F(SimulatedTransportTest, LetsTheWaitPassWhenNothingComes) {
  SimulatedTransport transport(devices_, {.delay = milliseconds{30}});
  const auto start = transport.now();
  ASSERT_TRUE(transport.send(question(1)).has_value());
  auto next = transport.receive(milliseconds{20});
  ASSERT_TRUE(next.has_value());
  EXPECT_FALSE(next->has_value());
  EXPECT_EQ(transport.now() - start, milliseconds{20});
  next = transport.receive(milliseconds{0});
  ASSERT_TRUE(next.has_value());
  EXPECT_FALSE(next->has_value());
  EXPECT_EQ(transport.now() - start, milliseconds{20});
  next = transport.receive(milliseconds{20});
  ASSERT_TRUE(next.has_value());
  EXPECT_TRUE(next->has_value());
  EXPECT_EQ(transport.now() - start, milliseconds{30});
}

TEST_F(SimulatedTransportTest, GivesBackWhatStaysUnansweredAtItsTimeOut) {
  devices_.mute(node_named(*fabric_, "host-00000 HCA-1").guid);
  SimulatedTransport transport(devices_, {});
  const auto start = transport.now();
  const mad::OutgoingMad out = question(9);
  ASSERT_TRUE(transport.send(out).has_value());
  const auto back = transport.receive(milliseconds{1000});
  ASSERT_TRUE(back.has_value() && back->has_value());
  EXPECT_TRUE((*back)->timed_out);
  EXPECT_EQ((*back)->bytes, out.bytes);
  EXPECT_EQ(transport.now() - start, milliseconds{200});
}

TEST_F(SimulatedTransportTest, DropsAnAnswerThatComesAfterItsTimeOut) {
  SimulatedTransport transport(devices_, {.delay = milliseconds{250}});
  const auto start = transport.now();
  ASSERT_TRUE(transport.send(question(1)).has_value());
  EXPECT_THAT(drain(transport, start), testing::ElementsAre(Arrived{1, true, milliseconds{200}}));
}

TEST_F(SimulatedTransportTest, LosesEverythingAtALossOfOne) {
  SimulatedTransport transport(devices_, {.loss = 1.0});
  const auto start = transport.now();
  for (std::uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(transport.send(question(i)).has_value());
  const auto all = drain(transport, start);
  EXPECT_EQ(all.size(), 5U);
  for (const Arrived& each : all) EXPECT_TRUE(each.timed_out);
  EXPECT_EQ(devices_.requests(mad::smp::kNodeInfo), 0U);
}

TEST_F(SimulatedTransportTest, LosesAndDoublesAboutAsOftenAsItIsTold) {
  SimulatedTransport transport(devices_, {.loss = 0.25, .duplicate = 0.5, .seed = 42});
  const auto start = transport.now();
  constexpr std::uint64_t kQuestions = 4000;
  for (std::uint64_t i = 0; i < kQuestions; ++i) {
    ASSERT_TRUE(transport.send(question(i)).has_value());
  }
  std::size_t lost = 0;
  std::size_t answers = 0;
  for (const Arrived& each : drain(transport, start)) ++(each.timed_out ? lost : answers);
  EXPECT_NEAR(static_cast<double>(lost), 0.25 * kQuestions, 120);
  EXPECT_NEAR(static_cast<double>(answers), 0.75 * 1.5 * kQuestions, 200);
}

TEST_F(SimulatedTransportTest, LetsAnswersOvertakeEachOtherByJitter) {
  SimulatedTransport transport(devices_, {.jitter = microseconds{1000}, .seed = 3});
  const auto start = transport.now();
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(transport.send(question(i)).has_value());
  const auto all = drain(transport, start);
  ASSERT_EQ(all.size(), 50U);
  EXPECT_FALSE(std::ranges::is_sorted(all, {}, &Arrived::transaction));
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Arrived::after));
  for (const Arrived& each : all) EXPECT_LE(each.after, microseconds{1010});
}

TEST_F(SimulatedTransportTest, RunsTheSameWithTheSameSeedAndDifferentlyWithAnother) {
  const auto run = [&](std::uint64_t seed) {
    SimulatedTransport transport(
        devices_, {.jitter = microseconds{700}, .loss = 0.1, .duplicate = 0.1, .seed = seed});
    const auto start = transport.now();
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(transport.send(question(i)).has_value());
    return drain(transport, start);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST_F(SimulatedTransportTest, KeepsTheOrderOfWhatIsDueAtOnce) {
  SimulatedTransport transport(devices_, {});
  const auto start = transport.now();
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(transport.send(question(i)).has_value());
  EXPECT_TRUE(std::ranges::is_sorted(drain(transport, start), {}, &Arrived::transaction));
}

TEST_F(SimulatedTransportTest, DeliversWhatFellDueWhileTimePassed) {
  SimulatedTransport transport(devices_, {});
  const auto start = transport.now();
  ASSERT_TRUE(transport.send(question(1)).has_value());
  transport.advance(milliseconds{50});
  const auto answer = transport.receive(milliseconds{0});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->has_value());
  EXPECT_EQ(transport.now() - start, milliseconds{50});
}

TEST_F(SimulatedTransportTest, RefusesEveryMethodButGet) {
  SimulatedTransport transport(devices_, {});
  mad::OutgoingMad set = question(1);
  set.bytes = directed({}, {mad::smp::kPortInfo}, mad::Method::kSet);
  const model::Status status = transport.send(set);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, model::Errc::kUnsupported);
  EXPECT_EQ(devices_.requests(mad::smp::kPortInfo), 0U);
}

TEST_F(SimulatedTransportTest, FailsOnceUnplugged) {
  SimulatedTransport transport(devices_, {});
  ASSERT_TRUE(transport.send(question(1)).has_value());
  transport.unplug();
  EXPECT_EQ(transport.send(question(2)).error().code, model::Errc::kUnavailable);
  EXPECT_EQ(transport.receive(milliseconds{10}).error().code, model::Errc::kUnavailable);
}

TEST_F(SimulatedTransportTest, FeedsAnEngineWhoseQueriesAllEnd) {
  SimulatedTransport transport(
      devices_, {.jitter = microseconds{500}, .loss = 0.2, .duplicate = 0.2, .seed = 11});
  mad::MadEngine engine(transport, {}, [&] { return transport.now(); });
  int answered = 0;
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    mad::Query query;
    query.attribute = mad::smp::kNodeInfo;
    query.to = mad::DirectedRoute{};
    engine.submit(std::move(query),
                  [&](const model::Result<mad::Reply>& reply) { ++(reply ? answered : failed); });
  }
  for (int step = 0; step < 100000 && !engine.idle(); ++step) {
    ASSERT_TRUE(engine.run_once(milliseconds{50}).has_value());
  }
  EXPECT_TRUE(engine.idle());
  EXPECT_EQ(answered + failed, 200);
  EXPECT_GT(answered, 180);
}

}  // namespace
}  // namespace heddle::simulation
