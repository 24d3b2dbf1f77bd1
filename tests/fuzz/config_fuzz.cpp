#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "daemon/config.hpp"

/// The configuration parser takes any bytes: it answers with values in range or with errors that
/// have a line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const void* bytes = data;
  const std::string_view text(static_cast<const char*>(bytes), size);
  const heddle::daemon::ParsedConfig parsed = heddle::daemon::parse_config(text, "fuzz.yaml");
  for (const auto& error : parsed.errors) {
    if (!error.position || error.position->line == 0 || error.text.empty()) std::abort();
  }
  if (parsed.ok() && parsed.config.mad.device_window > parsed.config.mad.window) std::abort();
  return 0;
}
