#include "discovery/line_scanner.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "model/fabric.hpp"

namespace heddle::discovery {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace

std::optional<std::string_view> LineReader::next() noexcept {
  if (rest_.empty()) return std::nullopt;
  ++number_;
  const std::size_t end = rest_.find('\n');
  terminated_ = end != std::string_view::npos;
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(terminated_ ? end + 1 : rest_.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void LineScanner::skip_blanks() noexcept {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
}

bool LineScanner::accept(std::string_view text) noexcept {
  if (!starts_with(text)) return false;
  at_ += text.size();
  return true;
}

std::optional<std::uint64_t> LineScanner::decimal(std::uint64_t max) noexcept {
  const std::string_view digits = rest();
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 10);
  if (error != std::errc{} || value > max) return std::nullopt;
  at_ += static_cast<std::size_t>(stop - digits.data());
  return value;
}

std::optional<std::uint64_t> LineScanner::hexadecimal() noexcept {
  std::string_view digits = rest();
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc{}) return std::nullopt;
  at_ = static_cast<std::size_t>(stop - line_.data());
  return value;
}

std::optional<std::string_view> LineScanner::until(char end) noexcept {
  const std::size_t found = line_.find(end, at_);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view text = line_.substr(at_, found - at_);
  at_ = found + 1;
  return text;
}

std::string_view LineScanner::word() noexcept {
  const std::size_t begin = at_;
  while (at_ < line_.size() && !is_blank(line_[at_])) ++at_;
  return line_.substr(begin, at_ - begin);
}

std::string_view LineScanner::take(std::size_t count) noexcept {
  const std::string_view text = line_.substr(at_, count);
  at_ += text.size();
  return text;
}

std::string expected_at(const LineScanner& scanner, std::string_view what) {
  constexpr std::size_t kShown = 24;
  const std::string_view rest = scanner.rest();
  if (rest.empty()) return fmt::format("expected {} at the end of the line", what);
  return fmt::format("expected {} at column {}, found '{}{}'", what, scanner.column(),
                     model::printable(rest.substr(0, kShown)), rest.size() > kShown ? "…" : "");
}

model::Result<std::string> read_text(const std::string& path, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return model::fail(model::Errc::kUnavailable,
                       fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  }
  // One opens like a file, and says that it holds 2^63 - 1 bytes.
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    return model::fail(model::Errc::kInvalidInput, fmt::format("{}: is a directory", path));
  }
  const auto too_large = [&] {
    return model::fail(model::Errc::kInvalidInput,
                       fmt::format("{}: holds more than {} bytes", path, most));
  };
  std::string text;
  in.seekg(0, std::ios::end);
  if (const std::streamoff size = in.tellg(); in && size > 0) {
    if (static_cast<std::uint64_t>(size) > most) return too_large();
    text.reserve(static_cast<std::size_t>(size));
  }
  in.clear();
  in.seekg(0);
  in.clear();  // a pipe cannot seek: it is read from where it stands
  std::string chunk(std::size_t{1} << 16U, '\0');
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    if (count > most - text.size()) return too_large();
    text.append(chunk, 0, count);
  }
  if (in.bad()) {
    return model::fail(model::Errc::kUnavailable,
                       fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  return text;
}

}  // namespace heddle::discovery
