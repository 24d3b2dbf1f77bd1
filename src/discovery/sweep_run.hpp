#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "mad/engine.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// How a sweep ends, whatever it asks: counts its questions under way, keeps the first reason to
/// end early, and calls `done` once. The owner asks, and calls tell() when over() says so; it stays
/// alive while one of its answers is handled, since `done` may drop it.
template <class Outcome>
class SweepRun {
 public:
  using Done = std::function<void(model::Result<Outcome>)>;

  SweepRun(mad::MadEngine& engine, std::uint32_t job) : engine_(engine), job_(job) {}

  void begin(Done done) { done_ = std::move(done); }
  void asked() noexcept { ++under_way_; }
  /// A question has come to its end. Loss of the transport, or a cancellation, ends the sweep.
  void answered(const model::Result<mad::Reply>& answer) {
    --under_way_;
    if (answer) return;
    const model::Errc code = answer.error().code;
    if (code == model::Errc::kUnavailable || code == model::Errc::kCancelled) end(answer.error());
  }
  [[nodiscard]] std::size_t under_way() const noexcept { return under_way_; }

  /// Nothing more is to be asked; what is under way is still awaited.
  void end(model::Error why) {
    if (!ending_) ending_ = std::move(why);
  }
  [[nodiscard]] bool ending() const noexcept { return ending_.has_value(); }
  /// Ends without awaiting what is under way: its answers, kCancelled, come during this call.
  void cancel(model::Error why) {
    if (!done_) return;
    end(std::move(why));
    engine_.cancel(job_);
  }
  /// Ends without a word: nobody listens any more.
  void abandon() {
    if (!done_) return;
    done_ = [](const model::Result<Outcome>&) {};
    cancel({model::Errc::kCancelled, "the sweep was abandoned", std::nullopt});
  }

  /// Nothing is under way, and `done` is still to be told.
  [[nodiscard]] bool over() const noexcept { return done_ && under_way_ == 0; }
  /// Calls `done` with the reason to end early, or else with what `outcome` returns.
  template <class Make>
  void tell(Make outcome) {
    const Done done = std::exchange(done_, nullptr);
    if (ending_) {
      done(model::fail(*ending_));
    } else {
      done(outcome());
    }
  }

 private:
  mad::MadEngine& engine_;
  std::uint32_t job_;
  Done done_;
  std::optional<model::Error> ending_;
  std::size_t under_way_ = 0;
};

}  // namespace heddle::discovery
