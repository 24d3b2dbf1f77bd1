#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "discovery/weights_text.hpp"

/// Any bytes give percentages or an error with its place; percentages come back from their own
/// text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto weights = heddle::discovery::parse_weights(text, "fuzz");
  if (!weights) {
    if (weights.error().message().find("fuzz:") == std::string::npos) std::abort();
    return 0;
  }
  std::string again;
  for (const auto& [port, percent] : *weights) {
    if (percent > 100) std::abort();
    again += fmt::format("{} {}\n", to_string(port), percent);
  }
  const auto back = heddle::discovery::parse_weights(again, "again");
  if (!back || *back != *weights) std::abort();
  return 0;
}
