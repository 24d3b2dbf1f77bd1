#include "discovery/snapshot_gate.hpp"

#include <utility>

#include <fmt/format.h>

#include "model/assert.hpp"

namespace heddle::discovery {

SnapshotGate::Verdict SnapshotGate::offer(std::shared_ptr<const model::Fabric> found,
                                          std::chrono::steady_clock::time_point now) {
  HEDDLE_ASSERT(found != nullptr);
  const std::size_t size = found->nodes().size();
  const std::size_t before = good_ ? good_->nodes().size() : 0;
  const bool suspect =
      static_cast<double>(size) < options_.keep_ratio * static_cast<double>(before);
  if (suspect) {
    if (!suspect_since_) suspect_since_ = now;
    if (now - *suspect_since_ < options_.accept_after) {
      return {.served = good_,
              .stale = true,
              .reason = fmt::format(
                  "the last sweep found {} of {} nodes: this host's own port or cable is the "
                  "likelier cause, so the earlier snapshot stays",
                  size, before),
              .changed = false};
    }
  }
  suspect_since_.reset();
  const bool changed = found != good_;
  good_ = std::move(found);
  return {.served = good_, .stale = false, .reason = {}, .changed = changed};
}

SnapshotGate::Verdict SnapshotGate::failed(std::string reason) {
  // Nothing was seen, so the smaller fabric was not seen all the time either.
  suspect_since_.reset();
  return {.served = good_, .stale = true, .reason = std::move(reason), .changed = false};
}

}  // namespace heddle::discovery
