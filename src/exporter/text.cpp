#include "exporter/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "model/fabric.hpp"

namespace heddle::exporter {

void append_hex(std::string& out, std::uint64_t value, std::size_t digits) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 18> text{'0', 'x'};
  for (std::size_t i = digits + 2; i > 2; --i) {
    text[i - 1] = kDigits[value & 0xF];
    value >>= 4;
  }
  out.append(text.data(), digits + 2);
}

void append_guid(std::string& out, std::uint64_t guid) { append_hex(out, guid, 16); }

void append_decimal(std::string& out, std::uint64_t number) {
  std::array<char, 20> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  static_cast<void>(error);  // 20 digits hold every 64-bit number
  out.append(text.data(), end);
}

void append_number(std::string& out, double number) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  static_cast<void>(error);  // the longest shortest double has 24 characters
  out.append(text.data(), end);
}

std::string rfc3339(std::chrono::system_clock::time_point time) {
  const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(since_epoch);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(since_epoch - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string excerpt(std::string_view bytes) {
  constexpr std::size_t kLongest = 100;
  std::string text = "'" + model::printable(bytes.substr(0, kLongest));
  text += bytes.size() > kLongest ? "…'" : "'";
  return text;
}

}  // namespace heddle::exporter
