#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Members of an answer, read without trust: what is missing, null or of another type is absent.
namespace heddle::cli {

[[nodiscard]] std::string text_at(const boost::json::object& object, std::string_view key);
[[nodiscard]] std::optional<double> number_at(const boost::json::object& object,
                                              std::string_view key);
[[nodiscard]] bool flag_at(const boost::json::object& object, std::string_view key);
/// An empty object or array where there is none.
[[nodiscard]] const boost::json::object& object_at(const boost::json::object& object,
                                                   std::string_view key);
[[nodiscard]] const boost::json::array& array_at(const boost::json::object& object,
                                                 std::string_view key);

/// A count without fraction, or `-`.
[[nodiscard]] std::string count_text(std::optional<double> value);
/// `12.3 GB/s`, in powers of 1000, or `-`.
[[nodiscard]] std::string rate_text(std::optional<double> bytes_per_second);
/// `3 d 4 h`, `12 min 5 s`, `0.25 s`, or `-`.
[[nodiscard]] std::string duration_text(std::optional<double> seconds);

}  // namespace heddle::cli
