#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace heddle::discovery {

/// Decides which ports are asked for an attribute that only some device types have: of each type
/// one device first, the others when it has answered. A type that refuses, or stays silent a few
/// times, is not asked again; one that is busy is tried on the next device. Pure bookkeeping;
/// `Port` says which port.
template <class Port>
class VendorTrials {
 public:
  /// Silences after which a type counts as not having the attribute.
  static constexpr unsigned kTrials = 3;

  /// A port of a device of `type` is to be asked. Returns the ports to ask now.
  [[nodiscard]] std::vector<Port> want(std::uint16_t type, Port port) {
    Support& support = types_[type];
    if (support.state == State::kNo) return {};
    support.waiting.push_back(port);
    return next(support);
  }
  /// A question about a device of `type` has ended with `error`, or well. Returns the ports to ask
  /// now.
  [[nodiscard]] std::vector<Port> answered(std::uint16_t type, const model::Error* error) {
    Support& support = types_[type];
    support.trial_runs = false;
    if (error == nullptr) {
      support.state = State::kYes;
    } else if (support.state == State::kUnknown && error->code != model::Errc::kBusy &&
               (error->code == model::Errc::kUnsupported || error->code == model::Errc::kRefused ||
                ++support.silent >= kTrials)) {
      support.state = State::kNo;
      support.waiting.clear();
    }
    return next(support);
  }

 private:
  enum class State : std::uint8_t { kUnknown, kYes, kNo };
  struct Support {
    State state = State::kUnknown;
    bool trial_runs = false;
    unsigned silent = 0;
    std::vector<Port> waiting;
  };

  static std::vector<Port> next(Support& support) {
    if (support.state == State::kYes) return std::exchange(support.waiting, {});
    if (support.state == State::kNo || support.trial_runs || support.waiting.empty()) return {};
    support.trial_runs = true;
    const Port port = support.waiting.back();
    support.waiting.pop_back();
    return {port};
  }

  std::map<std::uint16_t, Support> types_;
};

}  // namespace heddle::discovery
