#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace heddle::mad {

/// Deadlines of transactions. All attempts of one rank wait equally long, so each rank is a plain
/// queue and every operation O(1); an answered transaction stays in its queue until it gets to the
/// front, where `is_live` says that it is over.
class TimeoutQueue {
 public:
  using Clock = std::chrono::steady_clock;
  explicit TimeoutQueue(unsigned attempts) : ranks_(attempts) {}

  /// `rank` counts from 0. Deadlines of one rank never go backwards.
  void push(unsigned rank, Clock::time_point deadline, std::uint32_t transaction) {
    ranks_[rank].push_back({deadline, transaction});
  }

  [[nodiscard]] std::optional<Clock::time_point> next(
      const std::predicate<std::uint32_t> auto& is_live) {
    std::optional<Clock::time_point> earliest;
    for (auto& rank : ranks_) {
      drop_dead(rank, is_live);
      if (!rank.empty() && (!earliest || rank.front().deadline < *earliest)) {
        earliest = rank.front().deadline;
      }
    }
    return earliest;
  }

  /// Takes out one transaction whose deadline has passed.
  [[nodiscard]] std::optional<std::uint32_t> pop_due(
      Clock::time_point now, const std::predicate<std::uint32_t> auto& is_live) {
    for (auto& rank : ranks_) {
      drop_dead(rank, is_live);
      if (rank.empty() || now < rank.front().deadline) continue;
      const std::uint32_t transaction = rank.front().transaction;
      rank.pop_front();
      return transaction;
    }
    return std::nullopt;
  }

 private:
  struct Waiting {
    Clock::time_point deadline;
    std::uint32_t transaction;
  };
  static void drop_dead(std::deque<Waiting>& rank,
                        const std::predicate<std::uint32_t> auto& is_live) {
    while (!rank.empty() && !is_live(rank.front().transaction)) rank.pop_front();
  }

  std::vector<std::deque<Waiting>> ranks_;
};

}  // namespace heddle::mad
