#include "exporter/rest_target.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporter/json_writer.hpp"
#include "exporter/rest_context.hpp"
#include "exporter/text.hpp"

namespace heddle::exporter {
namespace {

std::optional<unsigned> hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

enum class Plus : std::uint8_t { kLiteral, kSpace };

std::optional<std::string> percent_decoded(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = hex_digit(text[i + 1]);
      const auto low = hex_digit(text[i + 2]);
      if (!high || !low) return std::nullopt;
      out.push_back(static_cast<char>(*high * 16 + *low));
      i += 2;
    } else {
      out.push_back(text[i] == '+' && plus == Plus::kSpace ? ' ' : text[i]);
    }
  }
  return out;
}

/// Calls `take` with each piece of `text` between separators; stops where it returns false.
template <class Take>
bool split(std::string_view text, char separator, Take take) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!take(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

model::Result<Target> parse_target(std::string_view text) {
  const std::size_t question = text.find('?');
  Target target;
  target.path = text.substr(0, question);
  if (!target.path.starts_with('/')) {
    return model::fail(model::Errc::kInvalidInput, "the target does not begin with a slash");
  }
  const bool path_good = split(std::string_view(target.path).substr(1), '/', [&](auto segment) {
    std::optional<std::string> decoded = percent_decoded(segment, Plus::kLiteral);
    if (decoded) target.segments.push_back(std::move(*decoded));
    return decoded.has_value();
  });
  const std::string_view query =
      question == std::string_view::npos ? std::string_view{} : text.substr(question + 1);
  const bool query_good = split(query, '&', [&](std::string_view pair) {
    if (pair.empty()) return true;
    const std::size_t equals = pair.find('=');
    auto name = percent_decoded(pair.substr(0, equals), Plus::kSpace);
    auto value = equals == std::string_view::npos
                     ? std::optional<std::string>(std::string{})
                     : percent_decoded(pair.substr(equals + 1), Plus::kSpace);
    if (!name || !value) return false;
    target.query.emplace_back(std::move(*name), std::move(*value));
    return true;
  });
  if (!path_good || !query_good) {
    return model::fail(model::Errc::kInvalidInput,
                       "a percent sign in the target is not followed by two hexadecimal digits");
  }
  return target;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool keep = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      std::string_view("-._~/:,").find(c) != std::string_view::npos;
    if (keep) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

Response parameter_problem(std::string_view parameter, std::string_view detail) {
  return problem_with(400, "Bad query parameter", detail, parameter);
}

QueryReader::QueryReader(const Target& target, std::initializer_list<std::string_view> allowed)
    : target_(target) {
  for (auto it = target.query.begin(); it != target.query.end(); ++it) {
    const std::string& name = it->first;
    if (std::ranges::find(allowed, name) == allowed.end()) {
      wrong(name, "is not known here");
    } else if (std::find_if(target.query.begin(), it,
                            [&](const auto& earlier) { return earlier.first == name; }) != it) {
      wrong(name, "is given more than once");
    }
  }
}

std::optional<std::string_view> QueryReader::text(std::string_view name) const {
  const auto found = std::ranges::find(
      target_.query, name, [](const auto& pair) { return std::string_view(pair.first); });
  if (found == target_.query.end()) return std::nullopt;
  return found->second;
}

std::optional<model::NodeGuid> QueryReader::guid(std::string_view name) {
  const std::optional<std::string_view> word = text(name);
  if (!word) return std::nullopt;
  const std::optional<std::uint64_t> value = model::parse_guid(*word);
  if (!value) {
    wrong(name, "is not a GUID in hexadecimal");
    return std::nullopt;
  }
  return model::NodeGuid{*value};
}

std::optional<bool> QueryReader::flag(std::string_view name) {
  return choice(name, [](std::string_view word) -> std::optional<bool> {
    if (word == "true") return true;
    if (word == "false") return false;
    return std::nullopt;
  });
}

std::optional<std::uint64_t> QueryReader::number(std::string_view name) {
  const std::optional<std::string_view> word = text(name);
  if (!word) return std::nullopt;
  const auto value = model::parse_decimal(*word, ~std::uint64_t{0});
  if (!value) wrong(name, "is not a number");
  return value;
}

std::optional<model::PortKey> QueryReader::port(std::string_view name) {
  const std::optional<std::string_view> word = text(name);
  if (!word) return std::nullopt;
  const model::Result<model::PortKey> key = model::parse_port_key(*word);
  if (!key) {
    wrong(name, "is not a cursor of this list");
    return std::nullopt;
  }
  return *key;
}

std::size_t QueryReader::limit() {
  constexpr std::size_t kDefault = 100;
  constexpr std::uint64_t kMost = 1000;
  const std::optional<std::string_view> word = text("limit");
  if (!word) return kDefault;
  const auto value = model::parse_decimal(*word, kMost);
  if (!value || *value == 0) {
    wrong("limit", "is not a number from 1 to 1000");
    return kDefault;
  }
  return static_cast<std::size_t>(*value);
}

void QueryReader::wrong(std::string_view name, std::string_view what) {
  if (error_) return;
  error_ = parameter_problem(name, fmt::format("parameter {} {}", excerpt(name), what));
}

}  // namespace heddle::exporter
