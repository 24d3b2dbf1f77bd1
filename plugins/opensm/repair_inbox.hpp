#pragma once

#include <semaphore.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/ids.hpp"
#include "plugins/opensm/bridge.h"
#include "plugins/opensm/event_queue.hpp"

namespace heddle::plugin {

/// A block of a table that OpenSM has just read or written.
struct BlockEvent {
  model::NodeGuid guid;
  std::uint16_t block = 0;
  std::array<std::uint8_t, HEDDLE_BLOCK_LIDS> entries{};
  std::chrono::system_clock::time_point time;
};

/// What OpenSM's threads tell the thread that repairs: they wait for nobody. A trap is never lost;
/// what further blocks there are while the queue is full is counted.
class RepairInbox {
 public:
  enum class Blocks : std::uint8_t { kNever, kWhenAwaited, kAlways };

  explicit RepairInbox(Blocks blocks);
  ~RepairInbox();
  RepairInbox(const RepairInbox&) = delete;
  RepairInbox& operator=(const RepairInbox&) = delete;

  // From any thread.
  void trap(model::Lid lid) noexcept;
  /// Wakes nobody: a repair awaits hundreds, and a switch of threads for each would cost more than
  /// looking every now and then.
  void block(model::NodeGuid guid, std::uint16_t block, const std::uint8_t* entries) noexcept;
  void sweep() noexcept { raise(sweep_); }
  void routed() noexcept { raise(routed_); }
  /// The engine has got other weights.
  void weights() noexcept { raise(weights_); }
  void stop() noexcept { raise(stop_); }
  void wake() noexcept;

  // From the thread that repairs.
  /// Blocks are of interest, or no longer.
  void await_blocks(bool awaited) noexcept { awaited_.store(awaited); }
  /// Until something came in, or that time.
  void wait(std::optional<std::chrono::steady_clock::time_point> until);
  [[nodiscard]] std::vector<model::Lid> take_traps();
  [[nodiscard]] std::optional<BlockEvent> take_block();
  [[nodiscard]] bool take_sweep() noexcept { return sweep_.exchange(false); }
  [[nodiscard]] bool take_routed() noexcept { return routed_.exchange(false); }
  [[nodiscard]] bool take_weights() noexcept { return weights_.exchange(false); }
  [[nodiscard]] bool stopped() const noexcept { return stop_.load(); }
  [[nodiscard]] std::uint64_t take_lost() noexcept { return lost_.exchange(0); }

 private:
  static constexpr std::size_t kLidWords = (model::kMaxUnicastLid.value() + 64U) / 64U;
  /// More than a repair has on its way; with kAlways a sweep's blocks, which the reader outruns.
  static constexpr std::size_t kCells = 8192;

  void raise(std::atomic<bool>& flag) noexcept {
    flag.store(true);
    wake();
  }

  Blocks blocks_;
  sem_t semaphore_{};
  std::atomic<bool> woken_{false};
  std::atomic<bool> sweep_{false};
  std::atomic<bool> routed_{false};
  std::atomic<bool> weights_{false};
  std::atomic<bool> stop_{false};
  std::atomic<bool> awaited_{false};
  std::array<std::atomic<std::uint64_t>, kLidWords> traps_{};  ///< a bit a LID
  EventQueue<BlockEvent> held_{kCells};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace heddle::plugin
