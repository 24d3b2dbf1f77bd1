#include "daemon/config_text.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <utility>
#include <vector>

#include "model/ids.hpp"

namespace heddle::daemon::text {
namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits{
    {{"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}}};
/// Ten years: far beyond any use, far below overflow.
constexpr std::uint64_t kMaxDurationCount = 315'360'000'000ULL;

/// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = model::parse_decimal(text.substr(0, digits), kMaxDurationCount);
  if (!count) return std::nullopt;
  for (const auto& [unit, factor] : kUnits) {
    if (text.substr(digits) != unit) continue;
    if (*count > kMaxDurationCount / static_cast<std::uint64_t>(factor)) return std::nullopt;
    return std::chrono::milliseconds{static_cast<std::int64_t>(*count) * factor};
  }
  return std::nullopt;
}

std::string format_duration(std::chrono::milliseconds value) {
  for (const auto& [unit, factor] : kUnits) {
    if (value.count() != 0 && value.count() % factor == 0) {
      return fmt::format("{}{}", value.count() / factor, unit);
    }
  }
  return fmt::format("{}ms", value.count());
}

std::optional<double> parse_ratio(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> name_problem(std::string_view text) {
  if (text.empty()) return "must not be empty";
  if (text.size() > 64) return "is longer than 64 characters";
  const bool plain = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (!plain) return "may hold letters, digits, `-`, `_` and `.` only";
  return std::nullopt;
}

std::optional<std::string> loopback_problem(const std::string& address) {
  in_addr v4{};
  in6_addr v6{};
  bool loopback = false;
  if (address.find('\0') != std::string::npos) {
    return "holds a zero byte";
  }
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    loopback = (ntohl(v4.s_addr) >> 24) == 127;
  } else if (inet_pton(AF_INET6, address.c_str(), &v6) == 1) {
    loopback = IN6_IS_ADDR_LOOPBACK(&v6);
  } else {
    return "is not an IP address such as 127.0.0.1 or ::1";
  }
  if (loopback) return std::nullopt;
  return "is not a loopback address: heddled has no access control yet, so it listens on 127.0.0.1 "
         "or ::1 only";
}

std::optional<std::string> path_problem(std::string_view text) {
  if (!text.starts_with('/')) return "is not an absolute path";
  if (text.find('\0') != std::string_view::npos) return "holds a zero byte";
  return std::nullopt;
}

std::optional<std::string> socket_path_problem(std::string_view text) {
  constexpr std::size_t kMost = sizeof sockaddr_un{}.sun_path - 1;
  if (text.size() > kMost) return fmt::format("is longer than {} bytes", kMost);
  return path_problem(text);
}

std::optional<std::string> nearest(std::string_view word, const std::set<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::min<std::size_t>(3, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(word, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace heddle::daemon::text
