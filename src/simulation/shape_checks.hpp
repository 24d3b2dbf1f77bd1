#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "simulation/generators.hpp"

namespace heddle::simulation {

/// External ports are numbered 1..254 (volume 1, 14.2.5.6).
inline constexpr std::uint64_t kMaxSwitchPorts = 254;
/// A bound against typing errors, far above any subnet (48K LIDs).
inline constexpr std::uint64_t kMaxGeneratedNodes = 1'000'000;

/// Gathers all that is wrong with the numbers of a shape into one error.
class ShapeChecks {
 public:
  ShapeChecks& positive(std::string_view what, std::uint64_t value);
  /// A switch of this kind would have so many ports.
  ShapeChecks& switch_ports(std::string_view what, std::uint64_t ports);
  ShapeChecks& node_count(std::uint64_t nodes);
  ShapeChecks& options(const GeneratorOptions& options);
  ShapeChecks& require(bool holds, std::string_view otherwise);

  [[nodiscard]] bool good() const noexcept { return text_.empty(); }
  [[nodiscard]] model::Status result() const;

 private:
  std::string text_;
};

}  // namespace heddle::simulation
