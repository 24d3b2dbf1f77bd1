#include "simulation/shape_checks.hpp"

#include <limits>

#include <fmt/format.h>

#include "simulation/fabric_maker.hpp"

namespace heddle::simulation {

ShapeChecks& ShapeChecks::require(bool holds, std::string_view otherwise) {
  if (holds) return *this;
  if (!text_.empty()) text_ += "; ";
  text_ += otherwise;
  return *this;
}

ShapeChecks& ShapeChecks::positive(std::string_view what, std::uint64_t value) {
  return require(value != 0, fmt::format("{} must be at least 1", what));
}

ShapeChecks& ShapeChecks::switch_ports(std::string_view what, std::uint64_t ports) {
  return require(
      ports <= kMaxSwitchPorts,
      fmt::format("{} would have {} ports, a switch has at most {}", what, ports, kMaxSwitchPorts));
}

ShapeChecks& ShapeChecks::node_count(std::uint64_t nodes) {
  return require(nodes <= kMaxGeneratedNodes,
                 fmt::format("more than {} nodes", kMaxGeneratedNodes));
}

ShapeChecks& ShapeChecks::options(const GeneratorOptions& options) {
  require(options.rate.width != model::LinkWidth::kUnknown &&
              options.rate.speed != model::LinkSpeed::kUnknown,
          "the link rate is not known");
  return require(options.guid_base <= std::numeric_limits<std::uint64_t>::max() - kGuidSpan,
                 fmt::format("GUIDs from 0x{:016x} on do not fit into 64 bits", options.guid_base));
}

model::Status ShapeChecks::result() const {
  if (!good()) return model::fail(model::Errc::kInvalidInput, text_);
  return {};
}

}  // namespace heddle::simulation
