#include "exporter/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "exporter/text.hpp"
#include "model/fabric.hpp"

namespace heddle::exporter {
namespace {

bool plain_ascii(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

/// What printable() leaves needs no other escapes than these two (RFC 8259, section 7).
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
}

}  // namespace

void JsonWriter::separate() {
  if (comma_) out_.push_back(',');
  comma_ = true;
}

void JsonWriter::open(char bracket) {
  separate();
  out_.push_back(bracket);
  comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_.push_back(bracket);
  comma_ = true;
}

void JsonWriter::raw(std::string_view text) {
  separate();
  out_.append(text);
}

void JsonWriter::key(std::string_view name) {
  value(name);
  out_.push_back(':');
  comma_ = false;
}

void JsonWriter::value(std::string_view text) {
  separate();
  out_.push_back('"');
  if (plain_ascii(text)) {
    append_escaped(out_, text);
  } else {
    append_escaped(out_, model::printable(text));
  }
  out_.push_back('"');
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  append_number(out_, number);
}

void JsonWriter::value(float number) {
  if (!std::isfinite(number)) return null();
  separate();
  std::array<char, 24> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  static_cast<void>(error);  // the longest shortest float has 15 characters
  out_.append(text.data(), end);
}

void JsonWriter::value(std::chrono::system_clock::time_point time) {
  value(std::string_view(rfc3339(time)));
}

void JsonWriter::hexadecimal(std::uint64_t value, std::size_t digits) {
  separate();
  out_.push_back('"');
  append_hex(out_, value, digits);
  out_.push_back('"');
}

void JsonWriter::unsigned_number(std::uint64_t number) {
  separate();
  append_decimal(out_, number);
}

void JsonWriter::counter(std::uint64_t number) {
  separate();
  out_.push_back('"');
  append_decimal(out_, number);
  out_.push_back('"');
}

}  // namespace heddle::exporter
