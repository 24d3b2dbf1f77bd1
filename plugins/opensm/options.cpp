#include "plugins/opensm/options.hpp"

#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "discovery/operator_lines.hpp"
#include "model/ids.hpp"

namespace heddle::plugin {

using model::Errc;
using model::fail;
using model::Result;
using model::Status;

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kFileKey = "config=";
constexpr std::array kModes{std::pair{RepairMode::kOff, std::string_view{"off"}},
                            std::pair{RepairMode::kObserve, std::string_view{"observe"}},
                            std::pair{RepairMode::kOn, std::string_view{"on"}}};

template <class Number>
Status read_number(std::string_view key, std::string_view value, std::uint64_t least,
                   std::uint64_t most, Number& into) {
  const std::optional<std::uint64_t> number = model::parse_decimal(value, most);
  if (!number || *number < least) {
    return fail(Errc::kInvalidInput,
                fmt::format("{}={}: not a number from {} to {}", key, value, least, most));
  }
  into = static_cast<Number>(*number);
  return {};
}

Status read_path(std::string_view key, std::string_view value, std::string& into) {
  // OpenSM changes its folder when it becomes a daemon.
  if (value != "none" && !value.starts_with('/')) {
    return fail(Errc::kInvalidInput,
                fmt::format("{}={}: neither an absolute path nor 'none'", key, value));
  }
  into = value == "none" ? "" : value;
  return {};
}

/// Calls `take`, which returns a Status, for each word between blanks, until one fails.
template <class Take>
Status for_each_word(std::string_view text, Take take) {
  for (std::size_t begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = text.find_first_not_of(kBlanks, begin)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    if (Status status = take(text.substr(begin, end - begin)); !status) return status;
    begin = end;
  }
  return {};
}

Status read_word(std::string_view word, Options& options) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) {
    return fail(Errc::kInvalidInput, fmt::format("'{}': not of the form key=value", word));
  }
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (key == "engine") {
    options.engine = routing::parse_engine(value);
    if (!options.engine && value != "auto") {
      return fail(Errc::kInvalidInput, fmt::format("engine={}: no engine has that name", value));
    }
    return {};
  }
  if (key == "max_lanes") return read_number(key, value, 1, 15, options.max_lanes);
  if (key == "threads") return read_number(key, value, 0, 1024, options.threads);
  if (key == "socket") {
    if (value != "none" &&
        (!value.starts_with('/') || value.size() >= sizeof sockaddr_un{}.sun_path)) {
      return fail(Errc::kInvalidInput,
                  fmt::format("socket={}: neither an absolute path of at most {} octets nor 'none'",
                              value, sizeof sockaddr_un{}.sun_path - 1));
    }
    options.socket = value == "none" ? "" : value;
    return {};
  }
  if (key == "fast_repair") {
    const std::optional<RepairMode> mode = parse_repair_mode(value);
    if (!mode) {
      return fail(Errc::kInvalidInput,
                  fmt::format("fast_repair={}: neither off nor observe nor on", value));
    }
    options.fast_repair = *mode;
    return {};
  }
  if (key == "fast_repair_file") return read_path(key, value, options.fast_repair_file);
  if (key == "repair_log") return read_path(key, value, options.repair_log);
  if (key == "places") return read_path(key, value, options.places.emplace());
  if (key == "test_fail") return read_number(key, value, 0, 1, options.test_fail);
  if (key == "test_deaf") return read_number(key, value, 0, 1, options.test_deaf);
  return fail(Errc::kInvalidInput, fmt::format("'{}': no such option", key));
}

Status read_file(std::string_view text, const std::string& file, Options& options) {
  const auto take = [&](discovery::LineScanner& in, std::uint32_t) -> Status {
    for (; !in.at_end() && !in.starts_with("#"); in.skip_blanks()) {
      const std::string_view word = in.word();
      if (word.starts_with(kFileKey)) {
        return fail(Errc::kInvalidInput, fmt::format("'{}': a file names no other", word));
      }
      if (Status good = read_word(word, options); !good) return good;
    }
    return {};
  };
  return discovery::for_each_statement(text, file, discovery::Comments::kWholeLines, take);
}

}  // namespace

std::string_view to_string(RepairMode mode) noexcept {
  for (const auto& [value, name] : kModes) {
    if (value == mode) return name;
  }
  return "unknown";
}

std::optional<RepairMode> parse_repair_mode(std::string_view name) noexcept {
  for (const auto& [value, known] : kModes) {
    if (known == name) return value;
  }
  return std::nullopt;
}

Result<Options> parse_options(std::string_view text, const ReadOptions& read) {
  std::string file;
  Options above;
  Status good = for_each_word(text, [&](std::string_view word) {
    return word.starts_with(kFileKey) ? read_path("config", word.substr(kFileKey.size()), file)
                                      : read_word(word, above);
  });
  if (!good) return fail(good.error());
  if (file.empty()) return above;
  const Result<std::string> words = read(file);
  if (!words) return fail(words.error());
  Options options;
  if (good = read_file(*words, file, options); !good) return fail(good.error());
  good = for_each_word(text, [&](std::string_view word) {
    return word.starts_with(kFileKey) ? Status() : read_word(word, options);
  });
  if (!good) return fail(good.error());
  return options;
}

}  // namespace heddle::plugin
