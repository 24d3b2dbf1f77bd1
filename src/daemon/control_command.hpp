#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::daemon {

/// What `heddle drain` and `heddle undrain` ask for.
struct ControlCommand {
  enum class What : std::uint8_t { kDrain, kUndrain };
  What what = What::kDrain;
  model::PortKey end;
  std::uint8_t percent = 0;
  std::optional<std::chrono::seconds> time;
  bool operator==(const ControlCommand&) const = default;
};

/// `drain GUID/PORT [percent=0..99] [seconds=1..]` or `undrain GUID/PORT`, without a line end.
/// kInvalidInput, saying why, for anything else. The answer to a line is one line: `ok: TEXT` or
/// `error: TEXT`.
[[nodiscard]] model::Result<ControlCommand> parse_control(std::string_view line);

}  // namespace heddle::daemon
