#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fabric_lids.hpp"
#include "model/result.hpp"
#include "simulation/generators.hpp"

/// What the measuring programs share: they end with status 2 and a line where something is wrong,
/// which no target can hide.
namespace heddle::bench {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Of several values the middle one, of an even number the upper; 0 of none.
[[nodiscard]] inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

[[noreturn]] inline void stop(std::string_view why) {
  std::cerr << "bench: " << why << '\n';
  std::exit(2);
}

template <class T>
[[nodiscard]] T value_of(model::Result<T> result) {
  if (!result) stop(result.error().message());
  return std::move(*result);
}

/// Of a list such as `9,8,8,8`.
[[nodiscard]] inline std::vector<std::uint32_t> numbers(std::string_view text) {
  std::vector<std::uint32_t> all;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::uint32_t number = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + comma, number);
    if (bad != std::errc{} || end != text.data() + comma) stop("not a list of numbers");
    all.push_back(number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return all;
}

/// The tree of a PGFT shape such as `18,18,6:1,18,9:1,1,2`, with LIDs in order of GUID.
[[nodiscard]] inline model::Fabric tree_of(std::string_view shape) {
  return value_of(model::with_lids(
      value_of(simulation::make_pgft(value_of(simulation::parse_pgft_shape(shape)), {})), {}));
}

}  // namespace heddle::bench
