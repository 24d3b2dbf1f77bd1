#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "scripted_transport.hpp"

/// What goes wrong: loss, late and foreign answers, mute devices, errors, a lost transport.
namespace heddle::mad {
namespace {

using model::Errc;
using test::Bench;
using test::ScriptedTransport;
using namespace std::chrono_literals;

TEST(EngineRetry, DoublesTheTimeOutAndGivesUpAfterTheLastAttempt) {
  Bench bench({.timeout = 200ms, .attempts = 3});
  const Clock::time_point start = bench.transport.now;
  bench.submit(1, 42);
  bench.run_until_idle();
  ASSERT_EQ(bench.transport.sent.size(), 3U);
  EXPECT_EQ(bench.transport.sent[0].at - start, 0ms);
  EXPECT_EQ(bench.transport.sent[1].at - start, 200ms);
  EXPECT_EQ(bench.transport.sent[2].at - start, 600ms);
  EXPECT_EQ(bench.transport.now - start, 1400ms);
  EXPECT_EQ(bench.transport.sent[0].mad.timeout, 200ms);
  EXPECT_EQ(bench.transport.sent[1].mad.timeout, 400ms);
  EXPECT_EQ(bench.transport.sent[2].mad.timeout, 800ms);
  const std::vector<Bench::Done> expected{{42, Errc::kTimeout, {}}};
  EXPECT_EQ(bench.done, expected);
  EXPECT_EQ(bench.engine.stats().sent, 3U);
  EXPECT_EQ(bench.engine.stats().retries, 2U);
  EXPECT_EQ(bench.engine.stats().timeouts, 3U);
  EXPECT_EQ(bench.engine.stats().failures, 1U);
}

TEST(EngineRetry, SucceedsWhenALaterAttemptIsAnswered) {
  Bench bench;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    if (bench.transport.sent.size() == 3) bench.transport.answer(request);
  };
  bench.submit(1);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 1U);
  EXPECT_TRUE(bench.engine.mute_devices().empty());
}

TEST(EngineRetry, DoesNotWaitWhenTheLayerBelowGivesTheRequestBack) {
  Bench bench;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    if (bench.transport.sent.size() < 3) {
      bench.transport.arrive(request.mad.bytes, 10us, true);
    } else {
      bench.transport.answer(request);
    }
  };
  const Clock::time_point start = bench.transport.now;
  bench.submit(1);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 1U);
  EXPECT_LT(bench.transport.now - start, 200ms);
  EXPECT_EQ(bench.engine.stats().timeouts, 2U);
  EXPECT_EQ(bench.engine.stats().strays, 0U);
}

TEST(EngineStrays, AnAnswerAfterItsTimeOutIsIgnoredAndTheRetryCounts) {
  Bench bench({.timeout = 200ms});
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    bench.transport.answer(request, bench.transport.sent.size() == 1 ? 250ms : 100ms);
  };
  bench.submit(1);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 1U);
  EXPECT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.transport.sent.size(), 2U);
  EXPECT_EQ(bench.engine.stats().strays, 1U);
}

TEST(EngineStrays, AnAnswerThatCameInTimeCountsHoweverLateTheEngineRuns) {
  Bench bench({.timeout = 200ms});
  bench.submit(1);
  ASSERT_TRUE(bench.engine.run_once(0ms));
  bench.transport.answer(bench.transport.sent[0], 1ms);
  bench.transport.now += 900ms;
  ASSERT_TRUE(bench.engine.run_once(0ms));
  EXPECT_EQ(bench.count(std::nullopt), 1U);
  EXPECT_EQ(bench.engine.stats().retries, 0U);
}

TEST(EngineStrays, DuplicatesCompleteOnce) {
  Bench bench({.device_window = 1});
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    bench.transport.answer(request, 100us);
    bench.transport.answer(request, 110us);
    bench.transport.answer(request, 500us);
  };
  for (std::uint32_t i = 0; i < 10; ++i) bench.submit(1, i);
  bench.run_until_idle();
  for (int turn = 0; turn < 20; ++turn) ASSERT_TRUE(bench.engine.run_once(10ms));
  EXPECT_EQ(bench.done.size(), 10U);
  EXPECT_EQ(bench.engine.stats().strays, 20U);
}

TEST(EngineStrays, AnswersThatDoNotFitTheQuestionAreIgnored) {
  Bench bench;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    MadBytes wrong_attribute = ScriptedTransport::answer_to(request);
    wrong_attribute[17] = 0x11;
    bench.transport.arrive(wrong_attribute, 10us);
    MadBytes wrong_class = ScriptedTransport::answer_to(request);
    wrong_class[1] = 0x04;
    bench.transport.arrive(wrong_class, 20us);
    bench.transport.arrive(request.mad.bytes, 30us);  // the request itself: method Get
    MadBytes foreign = ScriptedTransport::answer_to(request);
    foreign[15] ^= 0x40;
    bench.transport.arrive(foreign, 40us);
    bench.transport.answer(request, 50us);
  };
  bench.submit(1);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 1U);
  EXPECT_EQ(bench.engine.stats().strays, 4U);
  EXPECT_EQ(bench.engine.stats().retries, 0U);
}

TEST(EngineRefusal, IsAnErrorWithTheStatusAndNotRetried) {
  Bench bench;
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    bench.transport.answer(request, 100us, 0x001C);
  };
  Query query = Bench::query(1, 3);
  query.management_class = ManagementClass::kSmpDirected;
  query.to = DirectedRoute{};
  bench.submit(query);
  bench.run_until_idle();
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.done[0].error, Errc::kRefused);
  EXPECT_NE(bench.done[0].text.find("0x001c"), std::string::npos);
  EXPECT_EQ(bench.transport.sent.size(), 1U);
  EXPECT_EQ(bench.engine.stats().refused, 1U);
  EXPECT_TRUE(bench.engine.mute_devices().empty());
}

TEST(EngineRefusal, ABusyDeviceIsAskedAgainAndIsNotMute) {
  Bench bench({.attempts = 2});
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    bench.transport.answer(request, 100us, 0x0001);
  };
  bench.submit(1);
  bench.run_until_idle();
  EXPECT_EQ(bench.transport.sent.size(), 2U);
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.done[0].error, Errc::kBusy);
  EXPECT_NE(bench.done[0].text.find("busy"), std::string::npos) << bench.done[0].text;
  EXPECT_TRUE(bench.engine.mute_devices().empty());
}

TEST(EngineRefusal, OnlyAStatusThatSaysUnsupportedIsReportedAsSuch) {
  struct Case {
    std::uint16_t status;
    Errc code;
  };
  // Bad version, method, method with attribute; then invalid value, and a class's own status.
  for (const Case& c : {Case{0x0004, Errc::kUnsupported}, Case{0x0008, Errc::kUnsupported},
                        Case{0x000C, Errc::kUnsupported}, Case{0x001C, Errc::kRefused},
                        Case{0x0100, Errc::kRefused}}) {
    Bench bench;
    bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
      bench.transport.answer(request, 100us, c.status);
    };
    bench.submit(1);
    bench.run_until_idle();
    ASSERT_EQ(bench.done.size(), 1U);
    EXPECT_EQ(bench.done[0].error, c.code) << c.status;
  }
}

TEST(EngineDevices, ManyThatComeAndGoWorkAndTheMuteAmongThemStayKnown) {
  Bench bench(
      {.attempts = 1, .mute = {.first = std::chrono::hours{1}, .limit = std::chrono::hours{1}}});
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    if (request.header().modifier != 1) bench.transport.answer(request);
  };
  bench.submit(1, 1);
  bench.run_until_idle();
  for (std::uint32_t device = 2; device < 20'000; ++device) bench.submit(device, device);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 19'998U);
  EXPECT_EQ(bench.engine.mute_devices(), std::vector{Bench::guid(1)});
  bench.submit(1, 1);
  bench.run_until_idle();
  EXPECT_EQ(bench.done.back().error, Errc::kMute);
}

class MuteDevice : public testing::Test {
 protected:
  static constexpr std::uint64_t kMute = 1;
  static constexpr std::uint64_t kGood = 2;
  MuteDevice()
      : bench({.device_window = 2,
               .timeout = 200ms,
               .attempts = 3,
               .mute = {.first = 2000ms, .limit = 6000ms}}) {
    bench.transport.on_send = [this](const ScriptedTransport::Sent& request) {
      if (!silent || request.header().modifier >= 1000) bench.transport.answer(request);
    };
  }
  /// Sends one query to the mute device and waits for its end; how often it was sent.
  std::size_t ask() {
    const std::size_t before = bench.transport.sent.size();
    bench.submit(kMute, 5);
    bench.run_until_idle();
    return bench.transport.sent.size() - before;
  }
  Bench bench;
  bool silent = true;
};

TEST_F(MuteDevice, CostsTheOthersNothingAndItsQueueFailsAtOnce) {
  for (std::uint32_t i = 0; i < 10; ++i) bench.submit(kMute, i);
  for (std::uint32_t i = 0; i < 10; ++i) bench.submit(kGood, 1000 + i);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 10U);
  EXPECT_EQ(bench.count(Errc::kTimeout), 2U);
  EXPECT_EQ(bench.count(Errc::kMute), 8U);
  EXPECT_EQ(bench.engine.stats().mute_skips, 8U);
  EXPECT_EQ(bench.transport.sent.size(), 10U + 2U * 3U);
  const std::vector<model::NodeGuid> mute{Bench::guid(kMute)};
  EXPECT_EQ(bench.engine.mute_devices(), mute);
}

TEST_F(MuteDevice, IsNotAskedUntilItsBackOffHasPassed) {
  EXPECT_EQ(ask(), 3U);
  bench.transport.now += 1990ms;
  bench.submit(kMute, 6);
  EXPECT_TRUE(bench.done.size() == 1U);  // not from submit()
  EXPECT_FALSE(bench.engine.idle());
  bench.run();
  EXPECT_EQ(bench.done.back(), (Bench::Done{6, Errc::kMute, {}}));
  EXPECT_EQ(bench.transport.sent.size(), 3U);
  bench.transport.now += 20ms;
  EXPECT_EQ(ask(), 3U);
}

TEST_F(MuteDevice, BacksOffTwiceAsLongAfterEachProbeUpToTheLimit) {
  EXPECT_EQ(ask(), 3U);
  for (const auto pause : {2000ms, 4000ms, 6000ms, 6000ms}) {
    bench.transport.now += pause - 10ms;
    EXPECT_EQ(ask(), 0U) << pause.count();
    bench.transport.now += 20ms;
    EXPECT_EQ(ask(), 3U) << pause.count();
  }
}

TEST_F(MuteDevice, GetsOneProbeAndTheRestShareItsFate) {
  ask();
  bench.transport.now += 2001ms;
  const std::size_t before = bench.transport.sent.size();
  bench.done.clear();
  for (std::uint32_t i = 0; i < 5; ++i) bench.submit(kMute, i);
  ASSERT_TRUE(bench.engine.run_once(0ms));
  EXPECT_EQ(bench.transport.sent.size() - before, 1U);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(Errc::kTimeout), 1U);
  EXPECT_EQ(bench.count(Errc::kMute), 4U);
}

TEST_F(MuteDevice, IsNoLongerMuteOnceItAnswers) {
  ask();
  bench.transport.now += 2001ms;
  silent = false;
  bench.done.clear();
  for (std::uint32_t i = 0; i < 5; ++i) bench.submit(kMute, i);
  bench.run_until_idle();
  EXPECT_EQ(bench.count(std::nullopt), 5U);
  EXPECT_TRUE(bench.engine.mute_devices().empty());
  EXPECT_EQ(ask(), 1U);
}

TEST_F(MuteDevice, MayStillAnswerToAnotherClass) {
  ask();
  Query performance = Bench::query(kMute, 1000);
  performance.management_class = ManagementClass::kPerformance;
  bench.submit(performance);
  bench.run_until_idle();
  EXPECT_EQ(bench.done.back(), (Bench::Done{1000, std::nullopt, {}}));
  EXPECT_EQ(bench.engine.mute_devices().size(), 1U);
}

TEST(EngineWithoutTarget, NothingBecomesMute) {
  Bench bench({.attempts = 1});
  for (int i = 0; i < 3; ++i) {
    Query query = Bench::query(1);
    query.target.reset();
    bench.submit(query);
    bench.run_until_idle();
  }
  EXPECT_EQ(bench.count(Errc::kTimeout), 3U);
  EXPECT_EQ(bench.transport.sent.size(), 3U);
}

TEST(EngineTransport, AQueryThatCannotBeSentFailsAlone) {
  Bench bench;
  bench.transport.answer_all();
  bench.transport.refuse_next = model::Error{Errc::kInvalidInput, "no such LID", std::nullopt};
  bench.submit(1, 1);
  bench.submit(1, 2);
  bench.run_until_idle();
  const std::vector<Bench::Done> expected{{1, Errc::kInvalidInput, {}}, {2, std::nullopt, {}}};
  EXPECT_EQ(bench.done, expected);
}

TEST(EngineTransport, WhenItIsLostEverythingCompletesAsUnavailable) {
  Bench bench({.window = 2, .device_window = 2});
  for (std::uint32_t i = 0; i < 5; ++i) bench.submit(i, i);
  ASSERT_TRUE(bench.engine.run_once(0ms));
  bench.transport.broken = true;
  const auto status = bench.engine.run_once(100ms);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, Errc::kUnavailable);
  EXPECT_EQ(bench.count(Errc::kUnavailable), 5U);
  EXPECT_TRUE(bench.engine.idle());
  bench.submit(1, 9);
  EXPECT_FALSE(bench.engine.run_once(100ms).has_value());
  EXPECT_EQ(bench.done.back(), (Bench::Done{9, Errc::kUnavailable, {}}));
}

TEST(EngineTransport, MayBeLostWhileSending) {
  Bench bench;
  bench.transport.broken = true;
  bench.submit(1, 1);
  bench.submit(2, 2);
  EXPECT_FALSE(bench.engine.run_once(100ms).has_value());
  EXPECT_EQ(bench.count(Errc::kUnavailable), 2U);
}

TEST(EngineRandomFaults, EveryQueryCompletesOnceAndTheWindowsHold) {
  std::uint64_t seed = std::random_device{}();
  if (const char* const given = std::getenv("HEDDLE_SEED")) seed = std::strtoull(given, nullptr, 0);
  std::cout << "HEDDLE_SEED=" << seed << '\n';
  std::mt19937_64 random(seed);
  Bench bench(
      {.window = 16, .device_window = 3, .timeout = 20ms, .first_transaction = 0xFFFFFF00U});
  bench.transport.on_send = [&](const ScriptedTransport::Sent& request) {
    EXPECT_LE(bench.engine.outstanding(), 16U);
    const auto delay = std::chrono::microseconds{random() % 40'000};
    switch (random() % 8) {
      case 0:  // lost
        break;
      case 1:
        bench.transport.answer(request, delay);
        bench.transport.answer(request, delay * 2);
        break;
      case 2:
        bench.transport.answer(request, delay, 0x001C);
        break;
      case 3:
        bench.transport.arrive(request.mad.bytes, delay, true);
        break;
      default:
        bench.transport.answer(request, delay / 10);
    }
  };
  std::map<std::uint32_t, int> completed;
  constexpr std::uint32_t kQueries = 5000;
  for (std::uint32_t i = 0; i < kQueries; ++i) {
    Query query = Bench::query(random() % 20, i, static_cast<std::uint32_t>(random() % 10));
    if (random() % 3 == 0) query.pace = Query::Pace::kBackground;
    bench.engine.submit(query, [&completed, i](auto) { ++completed[i]; });
    if (random() % 4 == 0) bench.run();
    if (random() % 500 == 0) bench.engine.cancel(static_cast<std::uint32_t>(random() % 10));
  }
  bench.run_until_idle();
  EXPECT_EQ(completed.size(), kQueries);
  for (const auto& [query, times] : completed) EXPECT_EQ(times, 1) << query;
}

}  // namespace
}  // namespace heddle::mad
