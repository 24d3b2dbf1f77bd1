#include "daemon/config.hpp"

#include <yaml-cpp/yaml.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "daemon/config_documents.hpp"
#include "daemon/config_keys.hpp"
#include "daemon/config_text.hpp"

namespace heddle::daemon {
namespace {

using model::Errc;
using model::Error;

constexpr std::size_t kMaxFileBytes = 1U << 20;

std::uint32_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 1U : static_cast<std::uint32_t>(mark.line) + 1U;
}

/// The scalars of the file by path, with what is wrong with its shape.
class Document {
 public:
  struct Leaf {
    std::string text;
    bool scalar = false;
    std::uint32_t line = 0;
  };

  Document(std::string file, std::vector<ConfigKey> known) : file_(std::move(file)) {
    for (const ConfigKey& key : known) {
      const std::size_t dot = key.path.find('.');
      if (dot == std::string::npos) {
        top_.insert(key.path);
      } else {
        sections_[key.path.substr(0, dot)].insert(key.path.substr(dot + 1));
      }
    }
  }

  void load(std::string_view text) {
    try {
      const std::string whole(text);
      if (auto problem = document_problem(whole)) {
        error(problem->line, std::move(problem->text));
        return;
      }
      const YAML::Node root = YAML::Load(whole);
      if (!root.IsNull()) read_top(root);
    } catch (const YAML::Exception& e) {
      error(e.mark.is_null() ? 1 : line_of(e.mark), fmt::format("not YAML: {}", e.msg));
    }
  }

  [[nodiscard]] const Leaf* find(std::string_view path) const {
    const auto it = leaves_.find(path);
    return it == leaves_.end() ? nullptr : &it->second;
  }
  void error(std::uint32_t line, std::string text) {
    errors_.push_back({Errc::kInvalidInput, std::move(text), model::SourcePosition{file_, line}});
  }
  [[nodiscard]] std::vector<Error> take_errors() {
    std::ranges::stable_sort(errors_, {}, [](const Error& e) { return e.position->line; });
    return std::move(errors_);
  }

 private:
  void read_top(const YAML::Node& root) {
    if (!root.IsMap()) {
      error(line_of(root.Mark()), "the file must be a map of keys");
      return;
    }
    std::set<std::string> candidates = top_;
    for (const auto& [name, keys] : sections_) candidates.insert(name);
    std::map<std::string, std::uint32_t> seen;
    for (const auto& entry : root) {
      const auto name = key_of(entry.first, "", candidates, seen);
      if (!name) continue;
      if (const auto section = sections_.find(*name); section != sections_.end()) {
        read_section(*name, section->second, entry.second);
      } else {
        add_leaf(*name, entry.first, entry.second);
      }
    }
  }

  void read_section(const std::string& section, const std::set<std::string>& keys,
                    const YAML::Node& node) {
    if (node.IsNull()) return;
    if (!node.IsMap()) {
      error(line_of(node.Mark()),
            fmt::format("{}: must be a map of keys, such as `{}: ...`", section, *keys.begin()));
      return;
    }
    std::map<std::string, std::uint32_t> seen;
    for (const auto& entry : node) {
      const auto name = key_of(entry.first, section + ".", keys, seen);
      if (name) add_leaf(section + "." + *name, entry.first, entry.second);
    }
  }

  /// The key's name if it is one of `candidates` and here for the first time.
  std::optional<std::string> key_of(const YAML::Node& key, const std::string& prefix,
                                    const std::set<std::string>& candidates,
                                    std::map<std::string, std::uint32_t>& seen) {
    const std::uint32_t line = line_of(key.Mark());
    if (!key.IsScalar()) {
      error(line, "a key must be a word");
      return std::nullopt;
    }
    const std::string& name = key.Scalar();
    if (!candidates.contains(name)) {
      const auto nearest = text::nearest(name, candidates);
      error(line, fmt::format("{}{}: unknown key{}", prefix, model::printable(name),
                              nearest ? fmt::format("; did you mean `{}`?", *nearest) : ""));
      return std::nullopt;
    }
    const auto [it, first] = seen.emplace(name, line);
    if (!first) {
      error(line, fmt::format("{}{}: given twice, first in line {}", prefix, name, it->second));
      return std::nullopt;
    }
    return name;
  }

  void add_leaf(const std::string& path, const YAML::Node& key, const YAML::Node& value) {
    leaves_[path] = {value.IsScalar() ? value.Scalar() : std::string{}, value.IsScalar(),
                     line_of(value.IsNull() ? key.Mark() : value.Mark())};
  }

  std::string file_;
  std::set<std::string> top_;
  std::map<std::string, std::set<std::string>> sections_;
  std::map<std::string, Leaf, std::less<>> leaves_;
  std::vector<Error> errors_;
};

/// Puts the document's values into a Config; what does not fit is an error with its line.
class Reader {
 public:
  explicit Reader(Document& document) : document_(document) {}

  void text(std::string_view path, std::string& value, keys::TextRule rule,
            keys::Applies /*when*/) {
    const auto* leaf = scalar(path);
    if (leaf == nullptr) return;
    if (is_optional(rule) && leaf->text.empty()) {
      value.clear();
    } else if (const auto problem = problem_of(leaf->text, rule)) {
      refuse(path, *leaf, *problem);
    } else {
      value = leaf->text;
    }
  }

  template <class T>
  void number(std::string_view path, T& value, keys::Range<double> range, keys::Applies /*when*/) {
    const auto* leaf = scalar(path);
    if (leaf == nullptr) return;
    const auto max = static_cast<std::uint64_t>(range.max);
    const auto parsed = model::parse_decimal(leaf->text, ~std::uint64_t{0});
    if (!parsed) {
      refuse(path, *leaf, "is not a whole number");
    } else if (*parsed > max || *parsed < static_cast<std::uint64_t>(range.min)) {
      refuse(path, *leaf, fmt::format("must be {} to {}", range.min, range.max));
    } else {
      assign(value, *parsed);
    }
  }

  void ratio(std::string_view path, double& value, keys::Range<double> range,
             keys::Applies /*when*/) {
    const auto* leaf = scalar(path);
    if (leaf == nullptr) return;
    const auto parsed = text::parse_ratio(leaf->text);
    if (!parsed) {
      refuse(path, *leaf, "is not a number such as 0.5");
    } else if (*parsed < range.min || *parsed > range.max) {
      refuse(path, *leaf, fmt::format("must be {} to {}", range.min, range.max));
    } else {
      value = *parsed;
    }
  }

  void duration(std::string_view path, std::chrono::milliseconds& value, keys::Millis range,
                keys::Applies /*when*/) {
    const auto* leaf = scalar(path);
    if (leaf == nullptr) return;
    const auto parsed = text::parse_duration(leaf->text);
    if (!parsed) {
      refuse(path, *leaf, "is not a duration such as 10s, 500ms, 5m or 1h");
    } else if (*parsed < range.min || *parsed > range.max) {
      refuse(path, *leaf,
             fmt::format("must be {} to {}", text::format_duration(range.min),
                         text::format_duration(range.max)));
    } else {
      value = *parsed;
    }
  }

  template <class Enum, std::size_t N>
  void choice(std::string_view path, Enum& value, const keys::Choices<Enum, N>& choices,
              keys::Applies /*when*/) {
    const auto* leaf = scalar(path);
    if (leaf == nullptr) return;
    std::string names;
    for (const auto& [name, meaning] : choices) {
      if (name == leaf->text) {
        value = meaning;
        return;
      }
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    refuse(path, *leaf, "must be one of: " + names);
  }

  void guid(std::string_view path, std::optional<model::PortGuid>& value, keys::Applies /*when*/) {
    const auto* leaf = scalar(path);
    if (leaf == nullptr) return;
    const auto parsed = model::parse_guid(leaf->text);
    if (!parsed || *parsed == 0) {
      refuse(path, *leaf, "is not a GUID such as 0x0002c90300000010");
    } else {
      value = model::PortGuid{*parsed};
    }
  }

 private:
  static bool is_optional(keys::TextRule rule) noexcept {
    return rule != keys::TextRule::kName && rule != keys::TextRule::kLoopbackAddress;
  }
  static std::optional<std::string> problem_of(const std::string& value, keys::TextRule rule) {
    switch (rule) {
      case keys::TextRule::kLoopbackAddress:
        return text::loopback_problem(value);
      case keys::TextRule::kOptionalPath:
        return text::path_problem(value);
      case keys::TextRule::kOptionalSocket:
        return text::socket_path_problem(value);
      default:
        return text::name_problem(value);
    }
  }
  template <class T>
  static void assign(T& value, std::uint64_t parsed) {
    value = static_cast<T>(parsed);
  }
  static void assign(std::optional<model::PortNum>& value, std::uint64_t parsed) {
    value = model::PortNum{static_cast<std::uint8_t>(parsed)};
  }

  const Document::Leaf* scalar(std::string_view path) {
    const Document::Leaf* leaf = document_.find(path);
    if (leaf == nullptr || leaf->scalar) return leaf;
    document_.error(leaf->line, fmt::format("{}: needs one plain value", path));
    return nullptr;
  }
  void refuse(std::string_view path, const Document::Leaf& leaf, const std::string& why) {
    document_.error(leaf.line, fmt::format("{}: `{}` {}", path, model::printable(leaf.text), why));
  }

  Document& document_;
};

struct Bounded {
  std::string_view path;
  std::uint32_t value;
};

/// One of the two has been given, as the defaults fit each other.
void check_bound(Bounded part, Bounded whole, Document& document) {
  if (part.value <= whole.value) return;
  const Document::Leaf* leaf = document.find(part.path);
  if (leaf == nullptr) leaf = document.find(whole.path);
  document.error(
      leaf != nullptr ? leaf->line : 1,
      fmt::format("{}: {} is more than {}, {}", part.path, part.value, whole.path, whole.value));
}

void check_together(const Config& config, Document& document) {
  check_bound({"mad.device_window", config.mad.device_window}, {"mad.window", config.mad.window},
              document);
  check_bound({"http.streams", config.http.streams}, {"http.connections", config.http.connections},
              document);
}

}  // namespace

ParsedConfig parse_config(std::string_view text, const std::string& file) {
  ParsedConfig result;
  Document document(file, config_keys(Config{}));
  if (text.size() > kMaxFileBytes) {
    document.error(1, "larger than 1 MiB: not a configuration of heddled");
  } else {
    document.load(text);
    Reader reader(document);
    keys::visit(result.config, reader);
    check_together(result.config, document);
  }
  result.errors = document.take_errors();
  return result;
}

ParsedConfig read_config(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (in) {
    text.resize(kMaxFileBytes + 1);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
  }
  // A folder opens like a file and fails at the first read.
  if (in.bad() || (!in.eof() && in.fail()) || !in.is_open()) {
    const int reason = errno != 0 ? errno : EIO;
    ParsedConfig result;
    result.errors.push_back({Errc::kUnavailable,
                             fmt::format("{}: cannot be read: {}", model::printable(path),
                                         std::generic_category().message(reason)),
                             std::nullopt});
    return result;
  }
  return parse_config(text, path);
}

}  // namespace heddle::daemon
