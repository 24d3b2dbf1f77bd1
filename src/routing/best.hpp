#pragma once

#include <optional>
#include <utility>

#include "routing/graph.hpp"

namespace heddle::routing {

/// The cable of greatest merit of those offered, the first of several.
template <class Merit>
class Best {
 public:
  void offer(ArcIndex cable, Merit merit) {
    if (cable_ && !(merit > merit_)) return;
    cable_ = cable;
    merit_ = std::move(merit);
  }
  [[nodiscard]] std::optional<ArcIndex> cable() const noexcept { return cable_; }

 private:
  std::optional<ArcIndex> cable_;
  Merit merit_{};
};

}  // namespace heddle::routing
