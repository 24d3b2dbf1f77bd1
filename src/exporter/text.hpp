#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::exporter {

/// Appends `0x` and so many digits, at most 16.
void append_hex(std::string& out, std::uint64_t value, std::size_t digits);
/// Appends a GUID as `0x` and 16 digits.
void append_guid(std::string& out, std::uint64_t guid);
void append_decimal(std::string& out, std::uint64_t number);
/// The shortest text that reads back as the same number; finite numbers only.
void append_number(std::string& out, double number);
/// RFC 3339 in UTC with milliseconds: `2026-12-01T21:22:52.123Z`.
[[nodiscard]] std::string rfc3339(std::chrono::system_clock::time_point time);
/// What a client sent, for an error text: its first 100 bytes, printable.
[[nodiscard]] std::string excerpt(std::string_view bytes);

}  // namespace heddle::exporter
