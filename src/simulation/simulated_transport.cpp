#include "simulation/simulated_transport.hpp"

#include <algorithm>
#include <queue>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace heddle::simulation {
namespace {

/// Not the epoch, which means "never" elsewhere.
constexpr mad::Clock::time_point kStart{std::chrono::hours{1}};

struct Due {
  mad::Clock::time_point at;
  std::uint64_t order;  ///< of two at the same moment the one that was put in first comes first
  mad::IncomingMad mad;
};
struct Later {
  bool operator()(const Due& a, const Due& b) const noexcept {
    return std::pair(a.at, a.order) > std::pair(b.at, b.order);
  }
};

}  // namespace

class SimulatedTransport::Impl {
 public:
  Impl(SimulatedFabric& fabric, const Faults& faults)
      : fabric_(fabric), faults_(faults), random_(faults.seed) {}

  model::Status send(const mad::OutgoingMad& mad) {
    if (unplugged_) return lost();
    const mad::Header header = mad::header_from_wire(mad.bytes);
    if (header.method != static_cast<std::uint8_t>(mad::Method::kGet)) {
      return model::fail(model::Errc::kUnsupported,
                         fmt::format("method 0x{:02x} is not sent, only Get", header.method));
    }
    // Every request draws the same numbers, so that one fault does not move all later ones.
    const bool is_lost = chance(faults_.loss);
    const bool is_doubled = chance(faults_.duplicate);
    const std::chrono::microseconds first = trip();
    const std::chrono::microseconds second = trip();
    const std::optional<mad::MadBytes> answer =
        is_lost ? std::nullopt : fabric_.answer(mad.bytes, mad.lid);
    // A layer below drops what comes after the time-out that it has reported.
    if (!answer || first >= mad.timeout) {
      put(now_ + mad.timeout, {mad.bytes, true});
      return {};
    }
    put(now_ + first, {*answer, false});
    if (is_doubled) put(now_ + first + second, {*answer, false});
    return {};
  }

  model::Result<std::optional<mad::IncomingMad>> receive(std::chrono::milliseconds wait) {
    if (unplugged_) return lost();
    const mad::Clock::time_point end = now_ + std::max(wait, std::chrono::milliseconds{0});
    if (due_.empty() || due_.top().at > end) {
      now_ = end;
      return std::optional<mad::IncomingMad>{};
    }
    now_ = std::max(now_, due_.top().at);
    std::optional<mad::IncomingMad> next = due_.top().mad;
    due_.pop();
    return next;
  }

  [[nodiscard]] mad::Clock::time_point now() const noexcept { return now_; }
  void advance(std::chrono::microseconds by) { now_ += by; }
  void unplug() noexcept { unplugged_ = true; }

 private:
  static tl::unexpected<model::Error> lost() {
    return model::fail(model::Errc::kUnavailable, "the simulated port is unplugged");
  }

  /// Not by a standard distribution: their results differ from library to library.
  bool chance(double probability) {
    constexpr double kTwoToMinus53 = 0x1p-53;
    return static_cast<double>(random_() >> 11U) * kTwoToMinus53 < probability;
  }

  std::chrono::microseconds trip() {
    const auto spread = static_cast<std::uint64_t>(faults_.jitter.count()) + 1;
    return faults_.delay + std::chrono::microseconds{random_() % spread};
  }

  void put(mad::Clock::time_point at, mad::IncomingMad mad) {
    due_.push({at, order_++, std::move(mad)});
  }

  SimulatedFabric& fabric_;
  Faults faults_;
  std::mt19937_64 random_;
  std::priority_queue<Due, std::vector<Due>, Later> due_;
  std::uint64_t order_ = 0;
  mad::Clock::time_point now_ = kStart;
  bool unplugged_ = false;
};

SimulatedTransport::SimulatedTransport(SimulatedFabric& fabric, Faults faults)
    : impl_(std::make_unique<Impl>(fabric, faults)) {}
SimulatedTransport::~SimulatedTransport() = default;

model::Status SimulatedTransport::send(const mad::OutgoingMad& mad) { return impl_->send(mad); }

model::Result<std::optional<mad::IncomingMad>> SimulatedTransport::receive(
    std::chrono::milliseconds wait) {
  return impl_->receive(wait);
}

mad::Clock::time_point SimulatedTransport::now() const noexcept { return impl_->now(); }
void SimulatedTransport::advance(std::chrono::microseconds by) { impl_->advance(by); }
void SimulatedTransport::unplug() noexcept { impl_->unplug(); }

}  // namespace heddle::simulation
