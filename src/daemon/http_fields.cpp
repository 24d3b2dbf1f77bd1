#include "daemon/http_fields.hpp"

#include <algorithm>

#include "model/ids.hpp"

namespace heddle::daemon::http {
namespace {

bool same(std::string_view text, std::string_view lower_case) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(text, lower_case, {}, lower);
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Takes what stands before the next `separator` outside quotes off the front of `rest`.
std::string_view take_part(std::string_view& rest, char separator) noexcept {
  bool quoted = false;
  std::size_t at = 0;
  for (; at < rest.size() && (quoted || rest[at] != separator); ++at) {
    if (rest[at] == '"') quoted = !quoted;
    if (quoted && rest[at] == '\\') ++at;
  }
  const std::string_view part = trimmed(rest.substr(0, at));
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

/// Of the parameters of an element: whether none of them is a weight of 0.
bool has_weight(std::string_view parameters) noexcept {
  while (!parameters.empty()) {
    std::string_view value = take_part(parameters, ';');
    const std::string_view name = take_part(value, '=');
    if (same(name, "q")) return value.find_first_of("123456789") != std::string_view::npos;
  }
  return true;
}

}  // namespace

bool accepts(std::string_view list, std::string_view item) noexcept {
  while (!list.empty()) {
    std::string_view element = take_part(list, ',');
    if (same(take_part(element, ';'), item)) return has_weight(element);
  }
  return false;
}

std::optional<std::uint64_t> last_event_id(std::string_view value) noexcept {
  return model::parse_decimal(value, ~std::uint64_t{0});
}

}  // namespace heddle::daemon::http
