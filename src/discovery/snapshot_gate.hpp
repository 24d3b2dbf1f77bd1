#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "model/fabric.hpp"

namespace heddle::discovery {

/// Decides which snapshot is served. One that lost most of the fabric at once is suspect (our own
/// cable or port is the likelier cause): the last good one stays, marked stale, until a sweep finds
/// the fabric again, or each sweep for `accept_after` has found too little, whatever its size: then
/// the last of them is served. A failed sweep begins that time anew. Time is an argument.
class SnapshotGate {
 public:
  struct Options {
    double keep_ratio = 0.5;  ///< fewer than this share of the nodes left is suspect
    std::chrono::seconds accept_after{900};
  };
  struct Verdict {
    std::shared_ptr<const model::Fabric> served;
    bool stale = false;
    std::string reason;    ///< why it is stale, for people
    bool changed = false;  ///< `served` is another snapshot than before
  };
  explicit SnapshotGate(Options options) : options_(options) {}

  [[nodiscard]] Verdict offer(std::shared_ptr<const model::Fabric> found,
                              std::chrono::steady_clock::time_point now);
  /// A sweep that failed as a whole: what is served stays and is stale.
  [[nodiscard]] Verdict failed(std::string reason);

 private:
  Options options_;
  std::shared_ptr<const model::Fabric> good_;
  std::optional<std::chrono::steady_clock::time_point> suspect_since_;
};

}  // namespace heddle::discovery
