#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/id.hpp"

namespace heddle::exporter {

/// Writes one JSON text from front to back, keys in the order given. Strings may hold any bytes:
/// what is no printable UTF-8 comes out as model::printable() shows it. GUIDs and P_Keys become
/// "0x…" strings, other ids numbers. Calls must nest properly; that is not checked.
class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::same_as<bool> auto truth) { raw(truth ? "true" : "false"); }
  void value(std::unsigned_integral auto number) requires(!std::same_as<decltype(number), bool>) {
    unsigned_number(number);
  }
  /// Not a finite number: null.
  void value(double number);
  /// In as few digits as give the float back.
  void value(float number);
  /// UTC with milliseconds.
  void value(std::chrono::system_clock::time_point time);
  template <class Tag, class Rep>
  void value(model::Id<Tag, Rep> id) {
    if constexpr (Tag::kHex) {
      hexadecimal(id.value(), sizeof(Rep) * 2);
    } else {
      unsigned_number(id.value());
    }
  }
  template <class T>
  void value(const std::optional<T>& maybe) {
    if (maybe) {
      value(*maybe);
    } else {
      null();
    }
  }
  void null() { raw("null"); }
  /// A 64-bit counter, as a string: JavaScript numbers are exact to 2^53 only.
  void counter(std::uint64_t number);

  template <class T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  void begin_array(std::string_view name) {
    key(name);
    begin_array();
  }
  void begin_object(std::string_view name) {
    key(name);
    begin_object();
  }

  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  void raw(std::string_view text);
  void hexadecimal(std::uint64_t value, std::size_t digits);
  void unsigned_number(std::uint64_t number);

  std::string out_;
  bool comma_ = false;  ///< the next value or key follows another
};

}  // namespace heddle::exporter
