#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mad/engine.hpp"

namespace heddle::mad::test {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A transport whose answers and time a test writes down: receive() moves the clock to the next
/// arrival, or to the end of its wait.
class ScriptedTransport final : public Transport {
 public:
  struct Sent {
    OutgoingMad mad;
    Clock::time_point at;
    [[nodiscard]] Header header() const { return header_from_wire(mad.bytes); }
  };

  model::Status send(const OutgoingMad& mad) override {
    if (broken) return model::fail(model::Errc::kUnavailable, "unplugged");
    if (refuse_next) return model::fail(*std::exchange(refuse_next, std::nullopt));
    sent.push_back({mad, now});
    if (on_send) on_send(sent.back());
    return {};
  }

  model::Result<std::optional<IncomingMad>> receive(milliseconds wait) override {
    if (broken) return model::fail(model::Errc::kUnavailable, "unplugged");
    longest_wait = std::max(longest_wait, wait);
    if (arrivals_.empty() || arrivals_.begin()->first > now + wait) {
      now += wait;
      return std::optional<IncomingMad>{};
    }
    now = std::max(now, arrivals_.begin()->first);
    const IncomingMad mad = arrivals_.begin()->second;
    arrivals_.erase(arrivals_.begin());
    return mad;
  }
  std::size_t capacity() const noexcept override { return room; }

  /// What a device answers; a test may spoil it before it arrives.
  static MadBytes answer_to(const Sent& request, std::uint16_t status = 0) {
    Header header = request.header();
    header.method = static_cast<std::uint8_t>(Method::kGetResp);
    header.status = status;
    MadBytes bytes = request.mad.bytes;
    header_to_wire(header, bytes);
    return bytes;
  }
  void arrive(const MadBytes& bytes, microseconds after, bool timed_out = false) {
    arrivals_.emplace(now + after, IncomingMad{bytes, timed_out});
  }
  void answer(const Sent& request, microseconds after = microseconds{100},
              std::uint16_t status = 0) {
    arrive(answer_to(request, status), after);
  }
  void answer_all() {
    on_send = [this](const Sent& request) { answer(request); };
  }

  Clock::time_point now = Clock::time_point{} + std::chrono::hours{1};
  std::vector<Sent> sent;
  std::function<void(const Sent&)> on_send;
  bool broken = false;
  std::optional<model::Error> refuse_next;
  milliseconds longest_wait{0};
  std::size_t room = 1U << 20;

 private:
  std::multimap<Clock::time_point, IncomingMad> arrivals_;
};

/// An engine on a scripted transport, and what its completions said, in their order.
struct Bench {
  explicit Bench(MadEngine::Options options = {})
      : engine(transport, options, [this] { return transport.now; }) {}

  static model::NodeGuid guid(std::uint64_t number) { return model::NodeGuid{number}; }
  static Query query(std::uint64_t device, std::uint32_t modifier = 0, std::uint32_t job = 0) {
    return {.management_class = ManagementClass::kSmpLid,
            .attribute = 0x15,
            .modifier = modifier,
            .to = model::Lid{std::uint16_t{1}},
            .target = guid(device),
            .job = job};
  }
  struct Done {
    std::uint32_t modifier;
    std::optional<model::Errc> error;
    std::string text;
    bool operator==(const Done& other) const {
      return modifier == other.modifier && error == other.error;
    }
  };
  void submit(Query query) {
    const std::uint32_t modifier = query.modifier;
    engine.submit(std::move(query), [this, modifier](model::Result<Reply> result) {
      if (result) {
        done.push_back({modifier, std::nullopt, {}});
      } else {
        done.push_back({modifier, result.error().code, result.error().text});
      }
    });
  }
  void submit(std::uint64_t device, std::uint32_t modifier = 0) { submit(query(device, modifier)); }
  void run() { ASSERT_TRUE(engine.run_once(milliseconds{1000})); }
  void run_until_idle() {
    for (int turn = 0; turn < 1'000'000 && !engine.idle(); ++turn) run();
    ASSERT_TRUE(engine.idle());
  }
  [[nodiscard]] std::size_t count(std::optional<model::Errc> error) const {
    return static_cast<std::size_t>(std::ranges::count(done, error, &Done::error));
  }

  ScriptedTransport transport;
  MadEngine engine;
  std::vector<Done> done;
};

}  // namespace heddle::mad::test
