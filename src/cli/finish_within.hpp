#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace heddle::cli {

/// What `work` returns, or nothing if that takes longer than `limit`. For calls that cannot be
/// cancelled: the work then goes on in a thread of its own, so it must own all that it uses.
template <class T>
[[nodiscard]] std::optional<T> finish_within(std::chrono::milliseconds limit,
                                             std::function<T()> work) {
  std::packaged_task<T()> task(std::move(work));
  std::future<T> result = task.get_future();
  std::thread(std::move(task)).detach();
  if (result.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return result.get();
}

}  // namespace heddle::cli
