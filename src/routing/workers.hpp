#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace heddle::routing {

/// Threads that a caller lends to a computation. Results never depend on their number: work is cut
/// into parts whose outputs do not overlap. One run() at a time.
class Workers {
 public:
  /// `threads` in all, the calling one included; at least 1.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] std::size_t threads() const noexcept;
  /// Calls `part(0)` … `part(parts - 1)`, each once, on any of the threads, and returns when all
  /// have returned. What a part throws is thrown here, one of them if there are several.
  void run(std::size_t parts, const std::function<void(std::size_t)>& part);
  /// Cuts 0 … count - 1 into ranges of at most `grain` and calls `range(begin, end)` for each.
  void run_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& range);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace heddle::routing
