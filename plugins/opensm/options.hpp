#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "routing/routes.hpp"

namespace heddle::plugin {

/// What is done between sweeps about a cable that died.
enum class RepairMode : std::uint8_t {
  kOff,
  kObserve,  ///< compute and log, write nothing
  kOn,
};
[[nodiscard]] std::string_view to_string(RepairMode mode) noexcept;  ///< `off`, `observe`, `on`
[[nodiscard]] std::optional<RepairMode> parse_repair_mode(std::string_view name) noexcept;

/// What `event_plugin_options` of OpenSM's configuration says.
struct Options {
  std::optional<routing::Engine> engine{};         ///< the one that suits the fabric if empty
  std::uint8_t max_lanes = 8;                      ///< data VLs that may be used, 1..15
  std::uint16_t threads = 0;                       ///< of a computation; 0 for one a core
  std::string socket = "/run/heddle/opensm.sock";  ///< heddled's; empty: no events
  bool test_fail = false;  ///< every computation fails, for tests of the next engine
  bool test_deaf = false;  ///< traps wake no repair, for tests of what else does
  RepairMode fast_repair = RepairMode::kObserve;
  std::string fast_repair_file{};  ///< whose first word, where it is a mode, stands for fast_repair
  std::string repair_log{};        ///< file that every request of a repair is written to
  /// File of what was once there; empty: none; nothing: kPlacesName in OpenSM's own folder.
  std::optional<std::string> places{};
};

inline constexpr std::string_view kPlacesName = "heddle-places";

/// The text of a file.
using ReadOptions = std::function<model::Result<std::string>(const std::string& path)>;

/// Words `key=value` between blanks; docs/opensm-plugin.md has the keys. One more, `config=PATH`,
/// names a file of such words, any number a line, in which a word that begins with `#` begins a
/// comment. What the text says holds over what the file says, and of several words of a key the
/// last. kInvalidInput, naming the word and its place in the file, for anything else; what `read`
/// says, for a file that cannot be read.
[[nodiscard]] model::Result<Options> parse_options(std::string_view text, const ReadOptions& read);

}  // namespace heddle::plugin
