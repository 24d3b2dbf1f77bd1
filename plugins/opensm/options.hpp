#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "routing/routes.hpp"

namespace heddle::plugin {

/// What `event_plugin_options` of OpenSM's configuration says.
struct Options {
  std::optional<routing::Engine> engine;           ///< the one that suits the fabric if empty
  std::uint8_t max_lanes = 8;                      ///< data VLs that may be used, 1..15
  std::uint16_t threads = 0;                       ///< of a computation; 0 for one a core
  std::string socket = "/run/heddle/opensm.sock";  ///< heddled's; empty: no events
  bool test_fail = false;  ///< every computation fails, for tests of the next engine
};

/// Words `key=value` between blanks: engine, max_lanes, threads, socket, test_fail. kInvalidInput,
/// naming the word, for anything else; the last word of a key holds.
[[nodiscard]] model::Result<Options> parse_options(std::string_view text);

}  // namespace heddle::plugin
