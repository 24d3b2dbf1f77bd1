#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exporter/routing_status.hpp"
#include "model/event.hpp"
#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::daemon {

/// What of cables' capacity routes are to use: by an operator's word, at once and for a time, and
/// by a file, slowly. Of both the lower counts. Pure; for one thread.
///
/// A file may be written by a program, so what it says is taken with care: a cable that has changed
/// stays as it is for kDwell, a difference of less than kLeastStep percent is none unless it drains
/// or gives back the whole, and of a switch's cables one is drained in kDrainEvery. That nothing is
/// ever cut off is routing's part: a drained cable is used where nothing else leads.
class WeightBook {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kDwell{60};
  static constexpr std::chrono::seconds kDrainEvery{60};
  static constexpr std::uint8_t kLeastStep = 10;

  /// A cable by its lower end, to hold for a time or, without one, until cleared. 100 percent
  /// overrules nothing. A line for people; kNotFound if `fabric` has no cable between switches
  /// there.
  [[nodiscard]] model::Result<std::string> set(const model::Fabric& fabric, model::PortKey end,
                                               std::uint8_t percent,
                                               std::optional<std::chrono::seconds> time,
                                               Clock::time_point now);
  /// Takes an operator's word back, of either end. kNotFound if there is none.
  [[nodiscard]] model::Result<std::string> clear(const model::Fabric& fabric, model::PortKey end);
  /// All that the file says, by either end.
  void set_file(const model::Fabric& fabric, const std::map<model::PortKey, std::uint8_t>& weights);

  /// Drops what has expired, and takes from the file what is due. True if at() gives something else
  /// than before.
  bool step(const model::Fabric& fabric, Clock::time_point now);
  /// When step() may have something to do; nothing if not before a change.
  [[nodiscard]] std::optional<Clock::time_point> next_step() const;

  struct Weight {
    model::PortKey end;
    std::uint8_t percent = 100;
    std::optional<Clock::time_point> expires;
    bool by_operator = false;
  };
  /// By end.
  [[nodiscard]] std::vector<Weight> weights() const;
  /// Grows with each change.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

 private:
  struct Ordered {
    std::uint8_t percent = 100;
    std::optional<Clock::time_point> expires;
  };
  struct FromFile {
    std::uint8_t percent = 100;  ///< in force
    std::optional<Clock::time_point> changed;
  };

  [[nodiscard]] bool may_take(const model::Fabric& fabric, model::PortKey end, std::uint8_t wanted,
                              const FromFile& held, Clock::time_point now);

  std::map<model::PortKey, Ordered> ordered_;
  std::map<model::PortKey, std::uint8_t> wanted_;  ///< by the file
  std::map<model::PortKey, FromFile> taken_;
  std::map<model::NodeGuid, Clock::time_point> drained_;  ///< when of a switch the file drained one
  std::optional<Clock::time_point> retry_;  ///< for what the file wants and is not due
  std::uint64_t generation_ = 1;
  bool changed_ = false;
};

/// The lower end of the cable between switches at a port; nothing if there is none.
[[nodiscard]] std::optional<model::PortKey> switch_cable(const model::Fabric& fabric,
                                                         model::PortKey end);

}  // namespace heddle::daemon
