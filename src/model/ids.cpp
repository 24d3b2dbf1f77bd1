#include "model/ids.hpp"

#include <charconv>

namespace heddle::model {

std::optional<std::uint64_t> parse_guid(std::string_view text) noexcept {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t max) noexcept {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 10);
  if (error != std::errc{} || stop != end || value > max) return std::nullopt;
  return value;
}

}  // namespace heddle::model
