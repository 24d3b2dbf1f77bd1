#include "plugins/opensm/repair_inbox.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <ctime>

namespace heddle::plugin {

using model::Lid;

RepairInbox::RepairInbox(Blocks blocks) : blocks_(blocks) { sem_init(&semaphore_, 0, 0); }

RepairInbox::~RepairInbox() { sem_destroy(&semaphore_); }

void RepairInbox::wake() noexcept {
  // Once is enough until the other side has looked.
  if (!woken_.exchange(true)) sem_post(&semaphore_);
}

void RepairInbox::trap(Lid lid) noexcept {
  if (lid > model::kMaxUnicastLid) return;
  traps_[lid.value() / 64].fetch_or(std::uint64_t{1} << (lid.value() % 64));
  wake();
}

void RepairInbox::block(model::NodeGuid guid, std::uint16_t block,
                        const std::uint8_t* entries) noexcept {
  if (blocks_ == Blocks::kNever || (blocks_ == Blocks::kWhenAwaited && !awaited_.load())) return;
  BlockEvent event{
      .guid = guid, .block = block, .entries = {}, .time = std::chrono::system_clock::now()};
  std::copy_n(entries, event.entries.size(), event.entries.begin());
  if (!held_.put(event)) lost_.fetch_add(1);  // the reader has not come round yet
}

void RepairInbox::wait(std::optional<std::chrono::steady_clock::time_point> until) {
  if (until) {
    const auto left = until->time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec time{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
    while (sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &time) != 0 && errno == EINTR) {
    }
  } else {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }
  // Before what came in is looked at, so that what comes later wakes again.
  woken_.store(false);
}

std::vector<Lid> RepairInbox::take_traps() {
  std::vector<Lid> found;
  for (std::size_t w = 0; w < traps_.size(); ++w) {
    if (traps_[w].load() == 0) continue;
    for (std::uint64_t bits = traps_[w].exchange(0); bits != 0; bits &= bits - 1) {
      found.emplace_back(
          static_cast<std::uint16_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
  return found;
}

std::optional<BlockEvent> RepairInbox::take_block() {
  BlockEvent event;
  if (!held_.take(event)) return std::nullopt;
  return event;
}

}  // namespace heddle::plugin
