#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cli/events.hpp"

/// A stream of server-sent events gives the same events in pieces of any size; no data holds a
/// carriage return.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] % 16U + 1U;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::vector<std::string> whole;
  std::vector<std::string> pieces;
  heddle::cli::EventStreamReader at_once(
      [&whole](std::string_view event) { whole.emplace_back(event); });
  heddle::cli::EventStreamReader bit_by_bit(
      [&pieces](std::string_view event) { pieces.emplace_back(event); });
  at_once.feed(text);
  for (std::size_t at = 0; at < text.size(); at += piece) bit_by_bit.feed(text.substr(at, piece));
  if (whole != pieces) std::abort();
  const auto holds_return = [](const std::string& event) {
    return event.find('\r') != std::string::npos;
  };
  if (std::any_of(whole.begin(), whole.end(), holds_return)) std::abort();
  return 0;
}
