#include "daemon/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "daemon/event_stream.hpp"

namespace heddle::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

model::Event event(std::string text, model::EventKind kind = model::EventKind::kService) {
  model::Event e;
  e.kind = kind;
  e.text = std::move(text);
  return e;
}

std::vector<std::uint64_t> sequences(const std::vector<model::Event>& events) {
  std::vector<std::uint64_t> result;
  for (const model::Event& e : events) result.push_back(e.sequence);
  return result;
}

TEST(EventLog, NumbersEventsFromOneAndKeepsTheNewest) {
  EventLog log(3);
  EXPECT_EQ(log.last_sequence(), 0U);
  for (int i = 0; i < 5; ++i) log.append(event("e"));
  EXPECT_THAT(sequences(*log.all()), ElementsAre(3, 4, 5));
  EXPECT_EQ(log.dropped(), 2U);
  EXPECT_EQ(log.last_sequence(), 5U);
}

TEST(EventLog, TheCopyOfAllIsSharedUntilTheNextAppend) {
  EventLog log(3);
  log.append(event("a"));
  const auto first = log.all();
  EXPECT_EQ(first, log.all());
  log.append(event("b"));
  EXPECT_THAT(*first, SizeIs(1));
  EXPECT_THAT(*log.all(), SizeIs(2));
}

TEST(EventLog, GivesWhatComesAfterAPlaceAndSaysHowManyAreLost) {
  EventLog log(4);
  EXPECT_THAT(log.after(0, 10).events, IsEmpty());
  for (int i = 0; i < 6; ++i) log.append(event("e"));  // holds 3..6
  EXPECT_THAT(sequences(log.after(4, 10).events), ElementsAre(5, 6));
  EXPECT_EQ(log.after(4, 10).lost, 0U);
  EXPECT_THAT(sequences(log.after(2, 2).events), ElementsAre(3, 4));
  EXPECT_EQ(log.after(2, 2).lost, 0U);
  EXPECT_THAT(sequences(log.after(0, 10).events), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(log.after(0, 10).lost, 2U);
  EXPECT_THAT(log.after(6, 10).events, IsEmpty());
  EXPECT_THAT(log.after(~std::uint64_t{0}, 10).events, IsEmpty());
}

TEST(EventLog, WakesSubscribersUntilTheyLeave) {
  EventLog log(4);
  int woken = 0;
  {
    const auto subscription = log.subscribe([&] { ++woken; });
    log.append(event("a"));
    log.append(event("b"));
  }
  log.append(event("c"));
  EXPECT_EQ(woken, 2);
}

TEST(EventLog, TakesAppendsFromSeveralThreadsWithoutLossOrRepetition) {
  EventLog log(100000);
  std::atomic<int> woken{0};
  const auto subscription = log.subscribe([&] { ++woken; });
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          log.append(event("e"));
          if (i % 50 == 0) {
            EXPECT_THAT(*log.all(), Not(IsEmpty()));
          }
        }
      });
    }
  }
  const auto numbers = sequences(*log.all());
  EXPECT_EQ(numbers.size(), 2000U);
  EXPECT_EQ(std::set<std::uint64_t>(numbers.begin(), numbers.end()).size(), 2000U);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_EQ(woken, 2000);
}

TEST(EventStreamText, HoldsTheEventsOfTheFilterAndMovesPastTheOthers) {
  EventLog log(10);
  log.append(event("one", model::EventKind::kLinkDown));
  log.append(event("two", model::EventKind::kLinkUp));
  exporter::EventFilter filter;
  filter.kind = model::EventKind::kLinkDown;
  std::uint64_t cursor = 0;
  const std::string text = stream_text(log.after(0, 10), filter, cursor);
  EXPECT_THAT(text, testing::StartsWith("id: 1\nevent: link_down\ndata: {"));
  EXPECT_THAT(text, testing::EndsWith("}\n\n"));
  EXPECT_THAT(text, Not(HasSubstr("two")));
  EXPECT_EQ(cursor, 2U);
}

TEST(EventStreamText, TellsOfEventsThatAreNoLongerHeld) {
  EventLog log(1);
  for (int i = 0; i < 3; ++i) log.append(event("e"));
  std::uint64_t cursor = 0;
  EXPECT_THAT(stream_text(log.after(0, 10), {}, cursor),
              testing::StartsWith(": 2 older events are no longer held\n\nid: 3\n"));
}

}  // namespace
}  // namespace heddle::daemon
