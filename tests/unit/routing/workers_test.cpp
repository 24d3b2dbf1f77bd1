#include "routing/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace heddle::routing {
namespace {

class WorkersTest : public testing::TestWithParam<std::size_t> {};

TEST_P(WorkersTest, CallsEachPartOnceInEveryOfManyRuns) {
  Workers workers(GetParam());
  EXPECT_EQ(workers.threads(), GetParam());
  for (std::size_t parts : {0U, 1U, 2U, 7U, 64U, 1000U}) {
    for (int again = 0; again < 20; ++again) {
      std::vector<std::atomic<int>> calls(parts);
      workers.run(parts, [&](std::size_t i) { ++calls[i]; });
      for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
    }
  }
}

TEST_P(WorkersTest, RangesCoverEverythingWithoutOverlap) {
  Workers workers(GetParam());
  for (std::size_t count : {0U, 1U, 9U, 10U, 11U, 100U}) {
    std::vector<std::atomic<int>> hits(count);
    workers.run_ranges(count, 10, [&](std::size_t begin, std::size_t end) {
      EXPECT_LE(end - begin, 10U);
      for (std::size_t i = begin; i < end; ++i) ++hits[i];
    });
    for (const std::atomic<int>& hit : hits) EXPECT_EQ(hit, 1);
  }
}

TEST_P(WorkersTest, APartThatThrowsIsHeardAndTheWorkersServeOn) {
  Workers workers(GetParam());
  std::atomic<int> calls = 0;
  const auto run = [&] {
    workers.run(10, [&](std::size_t i) {
      ++calls;
      if (i == 3) throw std::runtime_error("part 3");
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
  calls = 0;
  workers.run(10, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

INSTANTIATE_TEST_SUITE_P(Threads, WorkersTest, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace heddle::routing
