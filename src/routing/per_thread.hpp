#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "routing/workers.hpp"

namespace heddle::routing {

/// Lends each of the workers' threads a T of its own, which `make()` gives by unique_ptr, and the
/// numbers 0 … count - 1 one by one: `work(own, i)`. Which thread gets which number is chance, so
/// what the Ts hold at the end may only be summed or united. At least one T, also without numbers.
template <class T, class Make, class Work>
std::vector<std::unique_ptr<T>> share(std::size_t count, Workers& workers, Make make, Work work) {
  std::vector<std::unique_ptr<T>> own(std::max<std::size_t>(1, std::min(workers.threads(), count)));
  std::atomic<std::size_t> next{0};
  workers.run(own.size(), [&](std::size_t part) {
    own[part] = make();
    for (std::size_t i = next++; i < count; i = next++) work(*own[part], i);
  });
  return own;
}

/// The same by ranges of at most `grain` numbers, each in order on one thread.
template <class T, class Make, class Work>
[[nodiscard]] std::vector<std::unique_ptr<T>> share_ranges(std::size_t count, std::size_t grain,
                                                           Workers& workers, Make make, Work work) {
  return share<T>((count + grain - 1) / grain, workers, make, [&](T& own, std::size_t range) {
    const std::size_t end = std::min(count, (range + 1) * grain);
    for (std::size_t i = range * grain; i < end; ++i) work(own, i);
  });
}

}  // namespace heddle::routing
