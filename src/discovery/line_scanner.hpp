#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::discovery {

/// Cuts a text into lines, without their ends (LF or CR LF), and counts them from 1. The text
/// outlives the reader.
class LineReader {
 public:
  explicit LineReader(std::string_view text) noexcept : rest_(text) {}
  /// The next line; nothing after the last. A text that does not end with a line end has a last
  /// line all the same.
  [[nodiscard]] std::optional<std::string_view> next() noexcept;
  /// Number of the line that next() gave last.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  /// Whether the last line given ended with a line end.
  [[nodiscard]] bool terminated() const noexcept { return terminated_; }

 private:
  std::string_view rest_;
  std::uint32_t number_ = 0;
  bool terminated_ = true;
};

/// A cursor over one line: takes what it is asked for or leaves the cursor where it is. Blanks are
/// space and tab.
class LineScanner {
 public:
  explicit LineScanner(std::string_view line) noexcept : line_(line) {}

  [[nodiscard]] std::size_t column() const noexcept { return at_ + 1; }
  [[nodiscard]] std::string_view rest() const noexcept { return line_.substr(at_); }
  [[nodiscard]] bool at_end() const noexcept { return at_ == line_.size(); }
  [[nodiscard]] bool starts_with(std::string_view text) const noexcept {
    return rest().starts_with(text);
  }

  void skip_blanks() noexcept;
  [[nodiscard]] bool accept(std::string_view text) noexcept;
  /// Digits up to the first other character, if there are any and the value fits.
  [[nodiscard]] std::optional<std::uint64_t> decimal(std::uint64_t max) noexcept;
  /// 1 to 16 hexadecimal digits, with or without `0x`.
  [[nodiscard]] std::optional<std::uint64_t> hexadecimal() noexcept;
  /// What stands before `end`, which is taken too.
  [[nodiscard]] std::optional<std::string_view> until(char end) noexcept;
  /// Up to the next blank or the end; may be empty.
  [[nodiscard]] std::string_view word() noexcept;
  /// The next `count` characters, fewer if the line ends before.
  [[nodiscard]] std::string_view take(std::size_t count) noexcept;

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

/// "expected WHAT at column N, found '…'": the found text cut to what fits a message.
[[nodiscard]] std::string expected_at(const LineScanner& scanner, std::string_view what);

/// More than any text that heddle reads: a topology of 100,000 ports has some 10 MB.
inline constexpr std::size_t kMostText = std::size_t{1} << 30U;

/// The whole of a file, or why it cannot be read. One of more than `most` bytes is refused, so that
/// a device or pipe without end does not fill the memory.
[[nodiscard]] model::Result<std::string> read_text(const std::string& path,
                                                   std::size_t most = kMostText);

}  // namespace heddle::discovery
