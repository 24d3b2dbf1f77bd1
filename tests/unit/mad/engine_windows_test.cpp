#include <gtest/gtest.h>

#include <set>

#include "mad/pma.hpp"
#include "scripted_transport.hpp"

/// What goes out and when: windows, order, pace, transaction ids, cancellation.
namespace heddle::mad {
namespace {

using model::Errc;
using test::Bench;
using test::ScriptedTransport;
using namespace std::chrono_literals;

TEST(EngineWindow, IsNeverExceededInAllNorPerDevice) {
  Bench bench({.window = 10, .device_window = 3});
  std::map<std::uint64_t, int> open;  // by device, told apart by the upper half of the modifier
  std::size_t most = 0;
  int most_of_a_device = 0;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    most = std::max(most, bench.engine.outstanding());
    most_of_a_device = std::max(most_of_a_device, ++open[request.header().modifier >> 16]);
    bench.transport.answer(request, std::chrono::microseconds{50 + request.header().modifier % 7});
  };
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::uint32_t device = i % 5 + 1;
    bench.engine.submit(Bench::query(device, device << 16 | i), [&, device](auto result) {
      EXPECT_TRUE(result.has_value());
      --open[device];
    });
  }
  EXPECT_EQ(bench.engine.queued(), 400U);
  bench.run_until_idle();
  EXPECT_EQ(bench.transport.sent.size(), 400U);
  EXPECT_EQ(most, 10U);
  EXPECT_EQ(most_of_a_device, 3);
}

TEST(EngineWindow, OfADeviceCountsPerManagementClass) {
  Bench bench({.device_window = 1});
  bench.submit(1);
  bench.submit(1);
  Query performance = Bench::query(1);
  performance.management_class = ManagementClass::kPerformance;
  bench.submit(performance);
  ASSERT_TRUE(bench.engine.run_once(0ms));
  EXPECT_EQ(bench.transport.sent.size(), 2U);
}

TEST(EngineWindow, DoesNotApplyPerDeviceWithoutATarget) {
  Bench bench({.window = 50, .device_window = 1});
  for (std::uint32_t i = 0; i < 60; ++i) {
    Query query = Bench::query(1, i);
    query.target.reset();
    bench.submit(query);
  }
  ASSERT_TRUE(bench.engine.run_once(0ms));
  EXPECT_EQ(bench.transport.sent.size(), 50U);
}

TEST(EngineWindow, IsNoLargerThanTheTransportBears) {
  ScriptedTransport transport;
  transport.room = 7;
  MadEngine engine(transport, {.window = 512, .device_window = 512}, [&] { return transport.now; });
  for (int i = 0; i < 20; ++i) engine.submit(Bench::query(1), [](auto) {});
  ASSERT_TRUE(engine.run_once(0ms));
  EXPECT_EQ(engine.outstanding(), 7U);
}

TEST(EngineWindow, OneSlowDeviceHoldsUpNobodyElse) {
  Bench bench({.window = 4, .device_window = 2});
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    bench.transport.answer(request, request.header().modifier == 1 ? 150ms : 1ms);
  };
  for (int i = 0; i < 4; ++i) bench.submit(1, 1);
  for (int i = 0; i < 100; ++i) bench.submit(2, 2);
  while (bench.count(std::nullopt) < 100) bench.run();
  EXPECT_LT(bench.transport.now - bench.transport.sent.front().at, 150ms);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 104U);
}

/// One sending for each answer made the program and ibsim wake for every MAD.
TEST(EngineBatches, GoOutTogetherWhileManyQueriesAreUnderWay) {
  Bench bench({.window = 64});
  std::size_t answers = 0;
  std::size_t sendings = 0;
  std::size_t answers_at_last_sending = 0;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    if (answers != answers_at_last_sending) ++sendings;
    answers_at_last_sending = answers;
    // As a device that takes 10 us for each: one after another.
    bench.transport.answer(request,
                           std::chrono::microseconds{10 * (bench.engine.outstanding() + 1)});
  };
  for (std::uint32_t i = 0; i < 1600; ++i) {
    bench.engine.submit(Bench::query(i, i), [&](auto result) {
      EXPECT_TRUE(result.has_value());
      ++answers;
    });
  }
  bench.run_until_idle();
  EXPECT_EQ(answers, 1600U);
  EXPECT_LE(sendings, 1600U / 16);
  EXPECT_GE(sendings, (1600U - 64) / 32) << "the window never ran half empty";
}

TEST(EngineBatches, DoNotWaitForDevicesThatAreMute) {
  Bench bench({.window = 64, .device_window = 4, .timeout = 200ms, .attempts = 1});
  std::size_t answers = 0;
  const auto begun = bench.transport.now;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    if (request.header().modifier == 0) return;
    bench.transport.answer(request, std::chrono::microseconds{20});
  };
  // 15 mute devices fill all but 4 places of the window; one other is asked 1,000 times.
  for (std::uint64_t device = 1; device <= 15; ++device) {
    for (int i = 0; i < 4; ++i) bench.submit(device, 0);
  }
  for (int i = 0; i < 1000; ++i) {
    bench.engine.submit(Bench::query(100, 1), [&](auto) { ++answers; });
  }
  while (answers < 1000) bench.run();
  // 250 rounds of 20 us, and few vain waits of 1 ms while the batch shrinks and once in a while
  // grows.
  EXPECT_LT(bench.transport.now - begun, 30ms);
}

/// A caller that cancels, or asks others in between, waited for the whole sweep.
TEST(EngineBatches, GiveTheCallerItsTurnAfterEachOne) {
  Bench bench({.window = 64});
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    bench.transport.answer(request,
                           std::chrono::microseconds{10 * (bench.engine.outstanding() + 1)});
  };
  for (std::uint32_t i = 0; i < 1000; ++i) bench.submit(i, i);
  std::size_t most = 0;
  while (!bench.engine.idle()) {
    const std::size_t before = bench.done.size();
    bench.run();
    most = std::max(most, bench.done.size() - before);
  }
  EXPECT_EQ(bench.done.size(), 1000U);
  EXPECT_LE(most, 2U * 16);
}

TEST(EngineBatches, NeverMakeACallerWaitWhoWillNot) {
  Bench bench({.window = 64});
  std::vector<ScriptedTransport::Sent> sent;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    sent.push_back(request);
  };
  for (std::uint32_t i = 0; i < 100; ++i) bench.submit(i, i);
  ASSERT_TRUE(bench.engine.run_once(0ms));
  ASSERT_EQ(sent.size(), 64U);
  const auto begun = bench.transport.now;
  const ScriptedTransport::Sent first = sent.front();
  bench.transport.answer(first, std::chrono::microseconds{0});
  ASSERT_TRUE(bench.engine.run_once(0ms));
  EXPECT_EQ(bench.transport.now, begun);
  EXPECT_EQ(sent.size(), 65U) << "what one answer made room for waits for no other";
}

TEST(EngineOrder, OfCompletionsIsThatOfAnswers) {
  Bench bench;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    bench.transport.answer(request,
                           std::chrono::microseconds{1000 - 100 * request.header().modifier});
  };
  for (std::uint32_t i = 0; i < 4; ++i) bench.submit(i, i);
  bench.run_until_idle();
  const std::vector<Bench::Done> expected{{3, {}, {}}, {2, {}, {}}, {1, {}, {}}, {0, {}, {}}};
  EXPECT_EQ(bench.done, expected);
}

TEST(EngineRequest, CarriesWhatWasAskedAndIsAGet) {
  Bench bench;
  bench.submit({.management_class = ManagementClass::kPerformance,
                .attribute = pma::kPortCounters,
                .modifier = 5,
                .to = model::Lid{std::uint16_t{77}},
                .port_select = model::PortNum{std::uint8_t{33}}});
  const DirectedRoute route = DirectedRoute{}.then(model::PortNum{std::uint8_t{9}});
  bench.submit({.attribute = 0x11, .to = route});
  ASSERT_TRUE(bench.engine.run_once(0ms));
  ASSERT_EQ(bench.transport.sent.size(), 2U);
  const auto& performance = bench.transport.sent[0];
  EXPECT_EQ(performance.header().method, 0x01);
  EXPECT_EQ(performance.header().management_class, 0x04);
  EXPECT_EQ(performance.header().attribute, pma::kPortCounters);
  EXPECT_EQ(performance.header().modifier, 5U);
  EXPECT_EQ(performance.mad.lid, model::Lid{std::uint16_t{77}});
  EXPECT_EQ(port_select_from_wire(gmp_data(performance.mad.bytes)).value(), 33);
  const auto& directed = bench.transport.sent[1];
  EXPECT_EQ(directed.header().management_class, 0x81);
  EXPECT_FALSE(directed.mad.lid.has_value());
  EXPECT_EQ(route_from_wire(directed.mad.bytes), route);
}

TEST(EngineReply, CarriesTheBytesAndTheTimeOfArrival) {
  Bench bench;
  std::optional<Reply> reply;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    MadBytes bytes = ScriptedTransport::answer_to(request);
    bytes[64] = 0x5A;
    bench.transport.arrive(bytes, 3ms);
  };
  bench.engine.submit(Bench::query(1), [&](model::Result<Reply> result) { reply = *result; });
  const Clock::time_point start = bench.transport.now;
  bench.run_until_idle();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->bytes[64], 0x5A);
  EXPECT_EQ(reply->received_at, start + 3ms);
}

TEST(EngineStats, CountRoundTripsByUpperBound) {
  Bench bench;
  for (const auto delay : {64us, 65us, 128us, 1'000'000us}) {
    bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
      bench.transport.answer(request, delay);
    };
    Query query = Bench::query(1);
    MadEngine engine(bench.transport, {.timeout = 5000ms}, [&] { return bench.transport.now; });
    engine.submit(query, [](auto) {});
    ASSERT_TRUE(engine.run_once(2000ms));
    const std::size_t bucket = delay <= 64us ? 0 : delay <= 128us ? 1 : 14;
    EXPECT_EQ(engine.stats().round_trip[bucket], 1U) << delay.count();
    EXPECT_NEAR(engine.stats().round_trip_seconds_sum, static_cast<double>(delay.count()) / 1e6,
                1e-9);
  }
}

TEST(EngineTransactions, AreDistinctAndPassTheEndOf32Bits) {
  Bench bench({.window = 8, .device_window = 8, .first_transaction = 0xFFFFFFF0U});
  bench.transport.answer_all();
  for (std::uint32_t i = 0; i < 100; ++i) bench.submit(1, i);
  bench.run_until_idle();
  std::set<std::uint64_t> ids;
  for (const auto& sent : bench.transport.sent) {
    EXPECT_EQ(sent.header().transaction_id >> 32, 0U);
    EXPECT_NE(sent.header().transaction_id, 0U);
    ids.insert(sent.header().transaction_id);
  }
  EXPECT_EQ(ids.size(), 100U);
  EXPECT_EQ(bench.count(std::nullopt), 100U);
}

TEST(EngineTransactions, MayHaveAnyHighWordInTheAnswer) {
  Bench bench;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    MadBytes bytes = ScriptedTransport::answer_to(request);
    bytes[8] = 0xDE, bytes[11] = 0x07;
    bench.transport.arrive(bytes, 1ms);
  };
  bench.submit(1);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 1U);
}

TEST(EngineBackground, KeepsToItsPace) {
  Bench bench({.background_per_second = 1000});
  bench.transport.answer_all();
  for (std::uint32_t i = 0; i < 3000; ++i) {
    Query query = Bench::query(i % 100, i);
    query.pace = Query::Pace::kBackground;
    bench.submit(query);
  }
  const Clock::time_point start = bench.transport.now;
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 3000U);
  EXPECT_GE(bench.transport.now - start, 2980ms);
  EXPECT_LE(bench.transport.now - start, 3050ms);
}

TEST(EngineBackground, HasNoLimitAtZero) {
  Bench bench({.window = 100, .background_per_second = 0});
  for (std::uint32_t i = 0; i < 100; ++i) {
    Query query = Bench::query(i, i);
    query.pace = Query::Pace::kBackground;
    bench.submit(query);
  }
  ASSERT_TRUE(bench.engine.run_once(0ms));
  EXPECT_EQ(bench.transport.sent.size(), 100U);
}

TEST(EngineBackground, WaitsForForegroundQueries) {
  Bench bench({.window = 2, .device_window = 2});
  bench.transport.answer_all();
  for (std::uint32_t i = 0; i < 5; ++i) {
    Query query = Bench::query(100 + i, 1000 + i);
    query.pace = Query::Pace::kBackground;
    bench.submit(query);
  }
  for (std::uint32_t i = 0; i < 20; ++i) bench.submit(i, i);
  bench.run_until_idle();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_LT(bench.transport.sent[i].header().modifier, 1000U);
  EXPECT_EQ(bench.count(std::nullopt), 25U);
}

TEST(EngineCancel, CompletesWaitingAndOutstandingQueriesOfTheJobOnly) {
  Bench bench({.window = 2, .device_window = 2});
  for (std::uint32_t i = 0; i < 6; ++i) bench.submit(Bench::query(i % 2, i, i % 2 == 0 ? 7 : 8));
  ASSERT_TRUE(bench.engine.run_once(0ms));
  ASSERT_EQ(bench.transport.sent.size(), 2U);
  bench.engine.cancel(7);
  EXPECT_EQ(bench.count(Errc::kCancelled), 3U);
  EXPECT_EQ(bench.done.size(), 3U);
  // The answer to one that was cancelled comes late and belongs to nobody.
  bench.transport.answer(bench.transport.sent[0]);
  bench.transport.answer(bench.transport.sent[1]);
  bench.transport.answer_all();
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 3U);
  EXPECT_EQ(bench.engine.stats().strays, 1U);
}

TEST(EngineCompletions, MaySubmitCancelAndRunTheEngine) {
  Bench bench({.window = 2, .device_window = 2});
  bench.transport.answer_all();
  int chain = 0;
  std::function<void(model::Result<Reply>)> next = [&](model::Result<Reply>) {
    if (++chain == 50) return;
    if (chain == 10) bench.engine.cancel(7);
    if (chain % 7 == 0) {
      ASSERT_TRUE(bench.engine.run_once(0ms));
    }
    bench.engine.submit(Bench::query(1), next);
  };
  bench.submit(Bench::query(2, 1, 9));
  bench.engine.submit(Bench::query(1), next);
  for (int i = 0; i < 40; ++i) bench.submit(Bench::query(3, 2, 7));
  bench.run_until_idle();
  EXPECT_EQ(chain, 50);
  EXPECT_EQ(bench.done.size(), 41U);
  EXPECT_GT(bench.count(Errc::kCancelled), 0U);
}

TEST(EngineCompletions, AreNotCalledBySubmitNorByTheDestructor) {
  int called = 0;
  {
    Bench bench;
    bench.engine.submit(Bench::query(1), [&](auto) { ++called; });
    EXPECT_EQ(called, 0);
    ASSERT_TRUE(bench.engine.run_once(0ms));
    bench.engine.submit(Bench::query(2), [&](auto) { ++called; });
  }
  EXPECT_EQ(called, 0);
}

TEST(EngineRun, WaitsNoLongerThanAskedNorThanTheNextDeadline) {
  Bench bench({.timeout = 200ms});
  ASSERT_TRUE(bench.engine.run_once(35ms));
  EXPECT_EQ(bench.transport.longest_wait, 35ms);
  bench.submit(1);
  ASSERT_TRUE(bench.engine.run_once(0ms));
  bench.transport.now += 50ms;
  bench.transport.longest_wait = 0ms;
  ASSERT_TRUE(bench.engine.run_once(10s));
  EXPECT_EQ(bench.transport.longest_wait, 150ms);
}

}  // namespace
}  // namespace heddle::mad
