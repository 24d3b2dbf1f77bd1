#include "cli/json_values.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/json/value.hpp>

namespace heddle::cli {

namespace json = boost::json;

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  const json::string* const text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

std::optional<double> number_at(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* const number = value->if_double()) return *number;
  if (const auto* const number = value->if_int64()) return static_cast<double>(*number);
  if (const auto* const number = value->if_uint64()) return static_cast<double>(*number);
  return std::nullopt;
}

bool flag_at(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  const bool* const flag = value == nullptr ? nullptr : value->if_bool();
  return flag != nullptr && *flag;
}

const json::object& object_at(const json::object& object, std::string_view key) {
  static const json::object kEmpty;
  const json::value* const value = object.if_contains(key);
  const json::object* const found = value == nullptr ? nullptr : value->if_object();
  return found == nullptr ? kEmpty : *found;
}

const json::array& array_at(const json::object& object, std::string_view key) {
  static const json::array kEmpty;
  const json::value* const value = object.if_contains(key);
  const json::array* const found = value == nullptr ? nullptr : value->if_array();
  return found == nullptr ? kEmpty : *found;
}

std::string count_text(std::optional<double> value) {
  return value ? fmt::format("{:.0f}", *value) : "-";
}

std::string rate_text(std::optional<double> bytes_per_second) {
  if (!bytes_per_second) return "-";
  constexpr std::array<std::string_view, 5> kUnits{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  double value = *bytes_per_second;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} {}", value, kUnits[unit])
                   : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string duration_text(std::optional<double> seconds) {
  if (!seconds) return "-";
  // Past that no clock gets, but an odd answer may, or be no number.
  constexpr double kLongest = 1e12;
  if (!(*seconds >= 60 && *seconds <= kLongest)) return fmt::format("{:.3g} s", *seconds);
  const auto whole = static_cast<std::uint64_t>(*seconds);
  const std::uint64_t minutes = whole / 60;
  const std::uint64_t hours = minutes / 60;
  if (hours == 0) return fmt::format("{} min {} s", minutes, whole % 60);
  if (hours < 24) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

}  // namespace heddle::cli
