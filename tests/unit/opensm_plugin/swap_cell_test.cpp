#include "plugins/opensm/swap_cell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace heddle::plugin {
namespace {

/// Says how many of its kind live, and what it is by every word: a freed or half-made one differs.
class Counted {
 public:
  Counted(std::atomic<int>& alive, std::uint64_t value) : alive_(alive) {
    words_.fill(value);
    ++alive_;
  }
  ~Counted() {
    words_.fill(~std::uint64_t{0});
    --alive_;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  /// 0 where the words differ or the object is gone.
  [[nodiscard]] std::uint64_t value() const noexcept {
    for (const std::uint64_t word : words_) {
      if (word != words_.front() || word == ~std::uint64_t{0}) return 0;
    }
    return words_.front();
  }

 private:
  std::atomic<int>& alive_;
  std::array<std::uint64_t, 64> words_;
};

std::uint64_t value_in(const SwapCell<Counted>& cell) {
  return cell.read([](const Counted* value) { return value == nullptr ? 0 : value->value(); });
}

TEST(SwapCellTest, IsEmptyAtFirst) {
  const SwapCell<Counted> cell;
  EXPECT_TRUE(cell.read([](const Counted* value) { return value == nullptr; }));
}

TEST(SwapCellTest, HoldsTheNewestAndNoOtherWithoutReaders) {
  std::atomic<int> alive = 0;
  {
    SwapCell<Counted> cell;
    for (std::uint64_t value = 1; value <= 3; ++value) {
      cell.replace(std::make_unique<const Counted>(alive, value));
      EXPECT_EQ(value_in(cell), value);
      EXPECT_EQ(alive, 1);
    }
  }
  EXPECT_EQ(alive, 0);
}

TEST(SwapCellTest, WhatAReaderLooksAtLivesUntilAReplacementAfterHim) {
  std::atomic<int> alive = 0;
  SwapCell<Counted> cell;
  cell.replace(std::make_unique<const Counted>(alive, 1));
  const std::uint64_t seen = cell.read([&](const Counted* value) {
    cell.replace(std::make_unique<const Counted>(alive, 2));
    cell.replace(std::make_unique<const Counted>(alive, 3));
    EXPECT_EQ(alive, 3);
    EXPECT_EQ(value_in(cell), 3U);
    return value->value();
  });
  EXPECT_EQ(seen, 1U);
  cell.replace(std::make_unique<const Counted>(alive, 4));
  EXPECT_EQ(alive, 1);
}

TEST(SwapCellTest, ReadersOnThreadsSeeWholeValuesInOrderWhileTheyAreReplaced) {
  constexpr std::uint64_t kReplacements = 20'000;
  std::atomic<int> alive = 0;
  SwapCell<Counted> cell;
  cell.replace(std::make_unique<const Counted>(alive, 1));
  std::atomic<bool> is_done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      std::uint64_t newest = 0;
      while (!is_done) {
        const std::uint64_t seen = value_in(cell);
        if (seen == 0 || seen < newest) ++wrong;
        newest = seen;
      }
    });
  }
  for (std::uint64_t value = 2; value <= kReplacements; ++value) {
    cell.replace(std::make_unique<const Counted>(alive, value));
  }
  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(value_in(cell), kReplacements);
  cell.replace(std::make_unique<const Counted>(alive, kReplacements + 1));
  EXPECT_EQ(alive, 1);
}

}  // namespace
}  // namespace heddle::plugin
