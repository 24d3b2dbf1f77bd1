#include "daemon/config_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/config_text.hpp"
#include "model/fabric.hpp"

namespace heddle::daemon {
namespace {

/// Lists the keys of a Config with their values.
class Lister {
 public:
  explicit Lister(std::vector<ConfigKey>& keys) : keys_(keys) {}

  void text(std::string_view path, const std::string& value, keys::TextRule /*rule*/,
            keys::Applies when) {
    add(path, ConfigKey::Kind::kText, when, value);
  }
  template <class T>
  void number(std::string_view path, const T& value, keys::Range<double> range,
              keys::Applies when) {
    ConfigKey& key = add(path, ConfigKey::Kind::kNumber, when, show(value));
    key.min = range.min;
    key.max = range.max;
  }
  void ratio(std::string_view path, double value, keys::Range<double> range, keys::Applies when) {
    ConfigKey& key = add(path, ConfigKey::Kind::kRatio, when, show(value));
    key.min = range.min;
    key.max = range.max;
  }
  void duration(std::string_view path, std::chrono::milliseconds value, keys::Millis /*range*/,
                keys::Applies when) {
    add(path, ConfigKey::Kind::kDuration, when, text::format_duration(value));
  }
  template <class Enum, std::size_t N>
  void choice(std::string_view path, Enum value, const keys::Choices<Enum, N>& choices,
              keys::Applies when) {
    ConfigKey& key = add(path, ConfigKey::Kind::kChoice, when, "");
    for (const auto& [name, meaning] : choices) {
      key.choices.emplace_back(name);
      if (meaning == value) key.value = name;
    }
  }
  void guid(std::string_view path, const std::optional<model::PortGuid>& value,
            keys::Applies when) {
    add(path, ConfigKey::Kind::kGuid, when, value ? show(*value) : "");
  }

 private:
  template <class T>
  static std::string show(const T& value) {
    return fmt::format("{}", value);
  }
  template <class T>
  static std::string show(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : "";
  }
  ConfigKey& add(std::string_view path, ConfigKey::Kind kind, keys::Applies when,
                 std::string value) {
    ConfigKey key;
    key.path = path;
    key.kind = kind;
    key.applies = when;
    key.value = std::move(value);
    return keys_.emplace_back(std::move(key));
  }

  std::vector<ConfigKey>& keys_;
};

}  // namespace

std::vector<ConfigKey> config_keys(const Config& config) {
  std::vector<ConfigKey> result;
  Lister lister(result);
  keys::visit(config, lister);
  return result;
}

ConfigChange changes(const Config& before, const Config& after) {
  ConfigChange result;
  const std::vector<ConfigKey> old_keys = config_keys(before);
  const std::vector<ConfigKey> new_keys = config_keys(after);
  for (std::size_t i = 0; i < old_keys.size(); ++i) {
    if (old_keys[i].value == new_keys[i].value) continue;
    auto& list = new_keys[i].applies == ConfigKey::Applies::kLive ? result.live : result.restart;
    list.push_back(new_keys[i].path);
  }
  return result;
}

model::Result<Config::Listen> parse_listen(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return model::fail(model::Errc::kInvalidInput, "--listen needs ADDRESS:PORT");
  }
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const auto port = model::parse_decimal(text.substr(colon + 1), 65535);
  if (!port) {
    return model::fail(
        model::Errc::kInvalidInput,
        fmt::format("--listen: `{}` is not a port", model::printable(text.substr(colon + 1))));
  }
  Config::Listen listen{std::string(host), static_cast<std::uint16_t>(*port)};
  if (const auto problem = text::loopback_problem(listen.address)) {
    return model::fail(
        model::Errc::kInvalidInput,
        fmt::format("--listen: `{}` {}", model::printable(listen.address), *problem));
  }
  return listen;
}

std::string listen_text(const Config::Listen& listen) {
  const bool v6 = listen.address.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", listen.address, v6 ? "]" : "", listen.port);
}

}  // namespace heddle::daemon
