#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>

/// How single values of the configuration file are written. Pure.
namespace heddle::daemon::text {

/// `500ms`, `10s`, `5m`, `1h`; a number without unit is none.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// The shortest form that parse_duration() reads back.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds value);

/// A plain decimal fraction: digits, at most one point.
[[nodiscard]] std::optional<double> parse_ratio(std::string_view text);

/// Why `text` is no name for a fabric or device, nothing if it is one.
[[nodiscard]] std::optional<std::string> name_problem(std::string_view text);
/// Why the service must not listen on `address`, nothing if it may: only loopback addresses, as
/// long as there is no access control.
[[nodiscard]] std::optional<std::string> loopback_problem(const std::string& address);

/// Why `text` is no absolute path of a file, nothing if it is one.
[[nodiscard]] std::optional<std::string> path_problem(std::string_view text);
/// The same of a Unix socket, whose path may not be long.
[[nodiscard]] std::optional<std::string> socket_path_problem(std::string_view text);

/// The candidate that is a likely slip of the pen away from `word`.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::set<std::string>& candidates);

}  // namespace heddle::daemon::text
