#pragma once

#include <fmt/format.h>

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>

namespace heddle::model {

/// An identifier that mixes with no other: explicit construction, ordering, hashing and formatting,
/// no arithmetic. `Tag::kHex` selects `0x…` with leading zeros when printed; decimal otherwise.
template <class Tag, std::unsigned_integral Rep>
class Id {
 public:
  using rep = Rep;
  using tag = Tag;

  constexpr Id() noexcept = default;
  /// Only from the exact representation: no silent narrowing or sign change.
  template <std::same_as<Rep> T>
  explicit constexpr Id(T value) noexcept : value_(value) {}

  [[nodiscard]] constexpr Rep value() const noexcept { return value_; }
  constexpr auto operator<=>(const Id&) const noexcept = default;

 private:
  Rep value_{};
};

}  // namespace heddle::model

template <class Tag, class Rep>
struct std::hash<heddle::model::Id<Tag, Rep>> {
  std::size_t operator()(heddle::model::Id<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};

template <class Tag, class Rep>
struct fmt::formatter<heddle::model::Id<Tag, Rep>> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(heddle::model::Id<Tag, Rep> id, Context& context) const {
    if constexpr (Tag::kHex) {
      return fmt::format_to(context.out(), "0x{:0{}x}", id.value(), sizeof(Rep) * 2);
    } else {
      return fmt::format_to(context.out(), "{:d}", id.value());
    }
  }
};
