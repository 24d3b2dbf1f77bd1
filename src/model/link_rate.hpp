#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/units.hpp"

namespace heddle::model {

/// Lane speed; an unknown code is kUnknown, never the slowest.
enum class LinkSpeed : std::uint8_t {
  kUnknown,
  kSdr,
  kDdr,
  kQdr,
  kFdr10,
  kFdr,
  kEdr,
  kHdr,
  kNdr,
  kXdr
};
enum class LinkWidth : std::uint8_t { kUnknown, k1x, k2x, k4x, k8x, k12x };

[[nodiscard]] std::string_view to_string(LinkSpeed speed) noexcept;  ///< `SDR` … `XDR`, `unknown`
[[nodiscard]] std::string_view to_string(LinkWidth width) noexcept;  ///< `1x` … `12x`, `unknown`
[[nodiscard]] LinkSpeed parse_link_speed(std::string_view text) noexcept;
[[nodiscard]] LinkWidth parse_link_width(std::string_view text) noexcept;

/// Number of lanes, 0 if unknown.
[[nodiscard]] std::uint8_t lanes(LinkWidth width) noexcept;

/// A set of speeds or widths, as a device supports or enables them; empty means "not known".
template <class Enum>
class RateSet {
 public:
  constexpr RateSet() noexcept = default;
  constexpr void insert(Enum value) noexcept {
    bits_ = static_cast<std::uint16_t>(bits_ | bit(value));
  }
  [[nodiscard]] constexpr bool contains(Enum value) const noexcept {
    return (bits_ & bit(value)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  /// What both hold.
  [[nodiscard]] constexpr RateSet common(RateSet other) const noexcept {
    RateSet both;
    both.bits_ = static_cast<std::uint16_t>(static_cast<unsigned>(bits_) & other.bits_);
    return both;
  }
  /// The greatest that both hold; kUnknown if they share none or one is not known.
  [[nodiscard]] constexpr Enum best_common(RateSet other) const noexcept {
    const unsigned common = static_cast<unsigned>(bits_) & other.bits_;
    for (unsigned v = 15; v > 0; --v) {
      if ((common >> v) & 1U) return static_cast<Enum>(v);
    }
    return Enum::kUnknown;
  }
  constexpr bool operator==(const RateSet&) const noexcept = default;

 private:
  static constexpr std::uint16_t bit(Enum value) noexcept {
    return value == Enum::kUnknown ? std::uint16_t{0}
                                   : static_cast<std::uint16_t>(1U << static_cast<unsigned>(value));
  }
  std::uint16_t bits_ = 0;
};
using SpeedSet = RateSet<LinkSpeed>;
using WidthSet = RateSet<LinkWidth>;

struct LinkRate {
  LinkWidth width = LinkWidth::kUnknown;
  LinkSpeed speed = LinkSpeed::kUnknown;
  constexpr bool operator==(const LinkRate&) const noexcept = default;
};

/// `4xEDR`; with an unknown part `unknown`.
[[nodiscard]] std::string to_string(LinkRate rate);
/// The reverse, also of ibnetdiscover's `4xFDR10`; anything else is an unknown rate.
[[nodiscard]] LinkRate parse_link_rate(std::string_view text) noexcept;

/// Line rate over all lanes, coding and FEC overhead included. Per lane in Gb/s: SDR 2.5, DDR 5,
/// QDR 10, FDR10 10.3125, FDR 14.0625, EDR 25.78125, HDR 53.125, NDR 106.25, XDR 212.5 (IBTA
/// roadmap; the last three are PAM4 with RS-FEC).
[[nodiscard]] std::optional<BitsPerSecond> signalling_rate(LinkRate rate) noexcept;
/// What is left for packets: 8b/10b up to QDR, 64b/66b up to EDR, then 50, 100 and 200 Gb/s a lane.
/// Rounded down to a bit (only FDR is no whole number: 14.0625 x 64/66).
[[nodiscard]] std::optional<BitsPerSecond> data_rate(LinkRate rate) noexcept;

/// Whether `a` carries less data than `b`; false if either is unknown.
[[nodiscard]] bool slower(LinkRate a, LinkRate b) noexcept;

}  // namespace heddle::model
