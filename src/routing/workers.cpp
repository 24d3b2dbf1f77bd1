#include "routing/workers.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "model/assert.hpp"

namespace heddle::routing {

/// The helpers sleep between runs; a run is a new generation, and parts are taken by counting.
struct Workers::Pool {
  explicit Pool(std::size_t helpers) {
    threads.reserve(helpers);
    for (std::size_t i = 0; i < helpers; ++i) {
      threads.emplace_back([this](const std::stop_token& stop) { serve(stop); });
    }
  }
  ~Pool() {
    for (std::jthread& thread : threads) thread.request_stop();
    wake.notify_all();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void serve(const std::stop_token& stop) {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    while (wake.wait(lock, stop, [&] { return generation != seen; })) {
      seen = generation;
      lock.unlock();
      take_parts();
      lock.lock();
      if (--busy == 0) done.notify_all();
    }
  }

  void take_parts() noexcept {
    for (std::size_t i = next.fetch_add(1); i < parts; i = next.fetch_add(1)) {
      try {
        (*part)(i);
      } catch (...) {
        const std::lock_guard guard(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  }

  std::mutex mutex;
  std::condition_variable_any wake;
  std::condition_variable done;
  std::size_t generation = 0;
  std::size_t busy = 0;
  std::size_t parts = 0;
  std::atomic<std::size_t> next{0};
  const std::function<void(std::size_t)>* part = nullptr;
  std::exception_ptr failure;
  std::vector<std::jthread> threads;  ///< last: they end before what they use
};

Workers::Workers(std::size_t threads)
    : pool_(std::make_unique<Pool>(std::max<std::size_t>(threads, 1) - 1)) {}
Workers::~Workers() = default;

std::size_t Workers::threads() const noexcept { return pool_->threads.size() + 1; }

void Workers::run(std::size_t parts, const std::function<void(std::size_t)>& part) {
  Pool& pool = *pool_;
  if (parts < 2 || pool.threads.empty()) {
    for (std::size_t i = 0; i < parts; ++i) part(i);
    return;
  }
  {
    const std::lock_guard guard(pool.mutex);
    HEDDLE_ASSERT(pool.busy == 0);
    pool.part = &part;
    pool.parts = parts;
    pool.next = 0;
    pool.busy = pool.threads.size();
    ++pool.generation;
  }
  pool.wake.notify_all();
  pool.take_parts();
  std::unique_lock lock(pool.mutex);
  pool.done.wait(lock, [&pool] { return pool.busy == 0; });
  if (pool.failure) std::rethrow_exception(std::exchange(pool.failure, nullptr));
}

void Workers::run_ranges(std::size_t count, std::size_t grain,
                         const std::function<void(std::size_t, std::size_t)>& range) {
  grain = std::max<std::size_t>(grain, 1);
  run((count + grain - 1) / grain,
      [&](std::size_t i) { range(i * grain, std::min(count, (i + 1) * grain)); });
}

}  // namespace heddle::routing
