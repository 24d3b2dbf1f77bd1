#include "daemon/control_command.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace heddle::daemon {

using model::Errc;
using model::fail;
using model::Result;
using model::Status;

namespace {

constexpr std::uint64_t kMostSeconds = 30UL * 24 * 3600;
constexpr std::uint64_t kMostPercent = 99;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t blank = line.find(' ');
    if (blank != 0) words.push_back(line.substr(0, blank));
    if (blank == std::string_view::npos) break;
    line.remove_prefix(blank + 1);
  }
  return words;
}

Status read_option(std::string_view word, ControlCommand& command) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (key == "percent") {
    const auto percent = model::parse_decimal(value, kMostPercent);
    if (!percent) return fail(Errc::kInvalidInput, "percent is not a number from 0 to 99");
    command.percent = static_cast<std::uint8_t>(*percent);
    return {};
  }
  if (key == "seconds") {
    const auto seconds = model::parse_decimal(value, kMostSeconds);
    if (!seconds || *seconds == 0) {
      return fail(Errc::kInvalidInput,
                  fmt::format("seconds is not a number from 1 to {}", kMostSeconds));
    }
    command.time = std::chrono::seconds(static_cast<std::int64_t>(*seconds));
    return {};
  }
  return fail(Errc::kInvalidInput,
              fmt::format("'{}': no such option", model::printable(std::string(word))));
}

}  // namespace

Result<ControlCommand> parse_control(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return fail(Errc::kInvalidInput, "no command");
  ControlCommand command;
  if (words[0] == "undrain") {
    command.what = ControlCommand::What::kUndrain;
  } else if (words[0] != "drain") {
    return fail(Errc::kInvalidInput, "no such command");
  }
  if (words.size() < 2) return fail(Errc::kInvalidInput, "no link");
  const Result<model::PortKey> end = model::parse_port_key(words[1]);
  if (!end) return fail(end.error());
  command.end = *end;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (command.what == ControlCommand::What::kUndrain) {
      return fail(Errc::kInvalidInput, "undrain takes a link alone");
    }
    if (Status good = read_option(words[i], command); !good) return fail(good.error());
  }
  return command;
}

}  // namespace heddle::daemon
