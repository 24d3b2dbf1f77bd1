#include "discovery/topology_comment.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mad/smp.hpp"

namespace heddle::discovery {

using model::Errc;
using model::fail;
using model::Lid;
using model::LinkRate;
using model::LinkSpeed;
using model::LinkWidth;
using model::Result;
using model::Status;

namespace {

constexpr std::uint64_t kMaxLidValue = 0xFFFF;
constexpr std::uint64_t kMaxLmc = 7;

/// `lid N`, taken if it is there. False if the number is wrong.
[[nodiscard]] bool take_lid(LineScanner& in, std::optional<Lid>& lid) {
  if (!in.accept("lid ")) return true;
  in.skip_blanks();
  const LineScanner number = in;
  const std::optional<std::uint64_t> value = in.decimal(kMaxLidValue);
  if (!value || !may_be_lid(*value)) {
    in = number;
    return false;
  }
  lid = printed_lid(*value);
  in.skip_blanks();
  return true;
}

[[nodiscard]] bool take_lmc(LineScanner& in, std::uint8_t& lmc) {
  if (!in.accept("lmc ")) return true;
  in.skip_blanks();
  const std::optional<std::uint64_t> value = in.decimal(kMaxLmc);
  if (!value) return false;
  lmc = static_cast<std::uint8_t>(*value);
  in.skip_blanks();
  return true;
}

/// Active codes of PortInfo (volume 1, 14.2.5.6) as `-f` prints them.
struct RateCodes {
  std::uint8_t width = 0;
  std::uint8_t speed = 0;
  std::uint8_t speed_ext = 0;
};

/// One `key=value` word; keys that say nothing about the rate are passed over.
[[nodiscard]] bool take_code(std::string_view word, RateCodes& codes) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const std::optional<std::uint64_t> value = model::parse_decimal(word.substr(equals + 1), 0xFF);
  if (!value) return false;
  const auto code = static_cast<std::uint8_t>(*value);
  const std::string_view key = word.substr(0, equals);
  if (key == "w") codes.width = code;
  if (key == "s") codes.speed = code;
  if (key == "e") codes.speed_ext = code;
  return true;
}

void complete(LinkRate& rate, const RateCodes& codes) {
  if (rate.width != LinkWidth::kUnknown && rate.speed != LinkSpeed::kUnknown) return;
  mad::PortInfo info;
  info.port_state = 4;      // active
  info.physical_state = 5;  // link up
  info.link_width_active = codes.width;
  info.link_speed_active = codes.speed;
  info.link_speed_ext_active = codes.speed_ext;
  const LinkRate told = mad::to_port(info, model::PortNum{std::uint8_t{1}}).rate;
  if (rate.width == LinkWidth::kUnknown) rate.width = told.width;
  if (rate.speed == LinkSpeed::kUnknown) rate.speed = told.speed;
}

/// Behind the peer's LID: a rate of any text, then codes and chassis notes.
[[nodiscard]] Status take_rate(LineScanner& in, PortComment& comment) {
  RateCodes codes;
  bool rate_seen = false;
  for (in.skip_blanks(); !in.at_end(); in.skip_blanks()) {
    const LineScanner before = in;
    const std::string_view word = in.word();
    if (take_code(word, codes) || word == "(scp)") continue;
    if (word == "slot") {
      in.skip_blanks();
      if (!in.decimal(0xFF)) return fail(Errc::kInvalidInput, expected_at(in, "a slot number"));
      continue;
    }
    if (rate_seen) return fail(Errc::kInvalidInput, expected_at(before, "the end of the line"));
    rate_seen = true;
    comment.rate = parse_printed_rate(word);
  }
  complete(comment.rate, codes);
  return {};
}

/// A name in quotes up to the last quote of the line, since names may hold quotes themselves.
[[nodiscard]] Result<std::string_view> take_name(LineScanner& in) {
  const std::string_view rest = in.rest();
  const std::size_t last = rest.rfind('"');
  if (last == 0) return fail(Errc::kInvalidInput, expected_at(in, "a name that ends with a quote"));
  const std::string_view quoted = in.take(last + 1);
  in.skip_blanks();
  return quoted.substr(1, last - 1);
}

/// Where a name without quotes ends: before the first of what can follow it.
[[nodiscard]] std::size_t end_of_bare_name(std::string_view text) {
  constexpr std::array<std::string_view, 3> kFollowers{" base port 0", " enhanced port 0", " lid "};
  std::size_t end = text.size();
  for (const std::string_view follower : kFollowers) end = std::min(end, text.find(follower));
  return end;
}

}  // namespace

bool may_be_lid(std::uint64_t value) noexcept {
  return value <= model::kMaxUnicastLid.value() || value == 0xFFFF;
}

std::optional<Lid> printed_lid(std::uint64_t value) noexcept {
  if (value > model::kMaxUnicastLid.value() || value == 0) return std::nullopt;
  return Lid{static_cast<std::uint16_t>(value)};
}

LinkRate parse_printed_rate(std::string_view text) noexcept {
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) {
    const std::size_t name = std::min(text.find_first_not_of('?'), text.size());
    return {LinkWidth::kUnknown, model::parse_link_speed(text.substr(name))};
  }
  return {model::parse_link_width(text.substr(0, x + 1)),
          model::parse_link_speed(text.substr(x + 1))};
}

Result<PortComment> parse_port_comment(LineScanner in) {
  PortComment comment;
  if (!in.accept("#")) return comment;
  in.skip_blanks();
  const bool own_part = in.starts_with("lid ");
  if (!take_lid(in, comment.own_lid)) {
    return fail(Errc::kInvalidInput, expected_at(in, "a LID, 1 to 49151,"));
  }
  if (own_part && !take_lmc(in, comment.own_lmc)) {
    return fail(Errc::kInvalidInput, expected_at(in, "an LMC of 0 to 7"));
  }
  if (!in.starts_with("\"")) {
    if (own_part && !in.at_end()) {
      return fail(Errc::kInvalidInput, expected_at(in, "the peer's name in quotes"));
    }
    return comment;
  }
  const Result<std::string_view> name = take_name(in);
  if (!name) return fail(name.error());
  comment.peer_name = *name;
  if (!take_lid(in, comment.peer_lid)) {
    return fail(Errc::kInvalidInput, expected_at(in, "the peer's LID, 1 to 49151,"));
  }
  if (const Status status = take_rate(in, comment); !status) return fail(status.error());
  return comment;
}

Result<NodeComment> parse_node_comment(LineScanner in) {
  NodeComment comment;
  if (!in.accept("#")) {
    if (!in.at_end()) return fail(Errc::kInvalidInput, expected_at(in, "'#' or the end"));
    return comment;
  }
  in.skip_blanks();
  if (in.starts_with("\"")) {
    const Result<std::string_view> name = take_name(in);
    if (!name) return fail(name.error());
    comment.name = *name;
  } else {
    comment.name = in.take(end_of_bare_name(in.rest()));
    comment.name = comment.name.substr(0, comment.name.find_last_not_of(" \t") + 1);
    in.skip_blanks();
  }
  if (in.accept("base port 0") || in.accept("enhanced port 0")) in.skip_blanks();
  if (!take_lid(in, comment.lid))
    return fail(Errc::kInvalidInput, expected_at(in, "a LID, 1 to 49151,"));
  if (!take_lmc(in, comment.lmc)) {
    return fail(Errc::kInvalidInput, expected_at(in, "an LMC of 0 to 7"));
  }
  if (in.accept("(scp)")) in.skip_blanks();
  if (!in.at_end()) return fail(Errc::kInvalidInput, expected_at(in, "the end of the line"));
  return comment;
}

}  // namespace heddle::discovery
