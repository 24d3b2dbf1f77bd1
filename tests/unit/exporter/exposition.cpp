#include "unit/exporter/exposition.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace heddle::exporter::test {
namespace {

bool name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

std::string take_name(std::string_view& rest) {
  const auto end = std::ranges::find_if_not(rest, name_character);
  std::string name(rest.begin(), end);
  rest.remove_prefix(name.size());
  return name;
}

/// The quoted text at the front, unescaped; nothing where it is broken.
std::optional<std::string> take_quoted(std::string_view& rest) {
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  std::string out;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\') {
      rest.remove_prefix(1);
      if (rest.empty() || std::string_view("\\\"n").find(rest.front()) == std::string_view::npos) {
        return std::nullopt;
      }
    }
    out.push_back(rest.front());
    rest.remove_prefix(1);
  }
  if (rest.empty()) return std::nullopt;
  rest.remove_prefix(1);
  return out;
}

std::optional<Sample> read_sample(std::string_view line) {
  Sample sample{take_name(line), {}, {}};
  if (sample.name.empty() || !line.starts_with('{')) return std::nullopt;
  do {
    line.remove_prefix(1);  // the brace or the comma
    std::string label = take_name(line);
    if (label.empty() || !line.starts_with('=')) return std::nullopt;
    line.remove_prefix(1);
    std::optional<std::string> text = take_quoted(line);
    if (!text || !sample.labels.emplace(std::move(label), std::move(*text)).second) {
      return std::nullopt;
    }
  } while (line.starts_with(','));
  if (!line.starts_with("} ")) return std::nullopt;
  sample.value = line.substr(2);
  double number = 0;
  const char* const end = sample.value.data() + sample.value.size();
  const auto [stop, error] = std::from_chars(sample.value.data(), end, number);
  if (sample.value.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return sample;
}

}  // namespace

std::vector<Sample> Exposition::of(std::string_view name) const {
  std::vector<Sample> out;
  std::ranges::copy_if(samples, std::back_inserter(out),
                       [&](const Sample& sample) { return sample.name == name; });
  return out;
}

std::string Exposition::value(std::string_view name,
                              const std::map<std::string, std::string>& labels) const {
  for (const Sample& sample : of(name)) {
    if (std::ranges::includes(sample.labels, labels)) return sample.value;
  }
  return {};
}

Exposition read_exposition(std::string_view body) {
  Exposition out;
  std::string family;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> seen;
  if (!body.empty() && !body.ends_with('\n')) out.errors.emplace_back("the last line has no end");
  while (!body.empty()) {
    const std::string_view line = body.substr(0, body.find('\n'));
    body.remove_prefix(std::min(body.size(), line.size() + 1));
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      if (out.types.contains(family)) out.errors.push_back(family + " stands in two places");
    } else if (line.starts_with("# TYPE ")) {
      const std::size_t space = line.find(' ', 7);
      if (line.substr(7, space - 7) != family) out.errors.emplace_back(line);
      out.types[family] = line.substr(space + 1);
    } else {
      std::optional<Sample> sample = read_sample(line);
      if (!sample || sample->name != family || !out.types.contains(family)) {
        out.errors.emplace_back(line);
        continue;
      }
      if (!seen.emplace(sample->name, sample->labels).second) {
        out.errors.push_back("twice: " + std::string(line));
      }
      out.samples.push_back(std::move(*sample));
    }
  }
  return out;
}

}  // namespace heddle::exporter::test
