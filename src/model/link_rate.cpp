#include "model/link_rate.hpp"

#include <array>

#include <fmt/format.h>

namespace heddle::model {
namespace {

struct SpeedFacts {
  LinkSpeed speed;
  std::string_view name;
  std::uint64_t lane_signalling_bps;
  /// Data bits = line bits x numerator / denominator.
  std::uint64_t numerator;
  std::uint64_t denominator;
};

constexpr std::array<SpeedFacts, 9> kSpeeds{{
    {LinkSpeed::kSdr, "SDR", 2'500'000'000, 8, 10},
    {LinkSpeed::kDdr, "DDR", 5'000'000'000, 8, 10},
    {LinkSpeed::kQdr, "QDR", 10'000'000'000, 8, 10},
    {LinkSpeed::kFdr10, "FDR10", 10'312'500'000, 64, 66},
    {LinkSpeed::kFdr, "FDR", 14'062'500'000, 64, 66},
    {LinkSpeed::kEdr, "EDR", 25'781'250'000, 64, 66},
    {LinkSpeed::kHdr, "HDR", 53'125'000'000, 16, 17},
    {LinkSpeed::kNdr, "NDR", 106'250'000'000, 16, 17},
    {LinkSpeed::kXdr, "XDR", 212'500'000'000, 16, 17},
}};

struct WidthFacts {
  LinkWidth width;
  std::string_view name;
  std::uint8_t lanes;
};

constexpr std::array<WidthFacts, 5> kWidths{{
    {LinkWidth::k1x, "1x", 1},
    {LinkWidth::k2x, "2x", 2},
    {LinkWidth::k4x, "4x", 4},
    {LinkWidth::k8x, "8x", 8},
    {LinkWidth::k12x, "12x", 12},
}};

const SpeedFacts* facts_of(LinkSpeed speed) noexcept {
  for (const SpeedFacts& facts : kSpeeds) {
    if (facts.speed == speed) return &facts;
  }
  return nullptr;
}

}  // namespace

std::string_view to_string(LinkSpeed speed) noexcept {
  const SpeedFacts* const facts = facts_of(speed);
  return facts == nullptr ? "unknown" : facts->name;
}

std::string_view to_string(LinkWidth width) noexcept {
  for (const WidthFacts& facts : kWidths) {
    if (facts.width == width) return facts.name;
  }
  return "unknown";
}

LinkSpeed parse_link_speed(std::string_view text) noexcept {
  for (const SpeedFacts& facts : kSpeeds) {
    if (facts.name == text) return facts.speed;
  }
  return LinkSpeed::kUnknown;
}

LinkWidth parse_link_width(std::string_view text) noexcept {
  for (const WidthFacts& facts : kWidths) {
    if (facts.name == text) return facts.width;
  }
  return LinkWidth::kUnknown;
}

std::uint8_t lanes(LinkWidth width) noexcept {
  for (const WidthFacts& facts : kWidths) {
    if (facts.width == width) return facts.lanes;
  }
  return 0;
}

std::string to_string(LinkRate rate) {
  if (rate.width == LinkWidth::kUnknown || rate.speed == LinkSpeed::kUnknown) return "unknown";
  return fmt::format("{}{}", to_string(rate.width), to_string(rate.speed));
}

LinkRate parse_link_rate(std::string_view text) noexcept {
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) return {};
  const LinkRate rate{parse_link_width(text.substr(0, x + 1)),
                      parse_link_speed(text.substr(x + 1))};
  if (rate.width == LinkWidth::kUnknown || rate.speed == LinkSpeed::kUnknown) return {};
  return rate;
}

std::optional<BitsPerSecond> signalling_rate(LinkRate rate) noexcept {
  const SpeedFacts* const facts = facts_of(rate.speed);
  const std::uint64_t count = lanes(rate.width);
  if (facts == nullptr || count == 0) return std::nullopt;
  return BitsPerSecond(facts->lane_signalling_bps * count);
}

std::optional<BitsPerSecond> data_rate(LinkRate rate) noexcept {
  const std::optional<BitsPerSecond> line = signalling_rate(rate);
  if (!line) return std::nullopt;
  const SpeedFacts& facts = *facts_of(rate.speed);
  return BitsPerSecond(line->value() * facts.numerator / facts.denominator);
}

bool slower(LinkRate a, LinkRate b) noexcept {
  const std::optional<BitsPerSecond> left = data_rate(a);
  const std::optional<BitsPerSecond> right = data_rate(b);
  return left && right && *left < *right;
}

}  // namespace heddle::model
