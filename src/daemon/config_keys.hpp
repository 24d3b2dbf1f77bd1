#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "daemon/config.hpp"

/// The keys of the configuration file, one line each: what the parser, the schema's test and reload
/// go by. Internal to the configuration's sources.
namespace heddle::daemon::keys {

using Applies = ConfigKey::Applies;
using std::chrono::milliseconds;

template <class T>
struct Range {
  T min;
  T max;
};
struct Millis {
  milliseconds min;
  milliseconds max;
};
enum class TextRule : std::uint8_t {
  kName,
  kOptionalName,
  kLoopbackAddress,
  kOptionalPath,
  kOptionalSocket
};

template <class Enum, std::size_t N>
using Choices = std::array<std::pair<std::string_view, Enum>, N>;
inline constexpr Choices<exporter::Compatibility, 2> kCompat{
    {{"treydock", exporter::Compatibility::kTreydock},
     {"sckyzo", exporter::Compatibility::kSckyzo}}};
inline constexpr Choices<LogLevel, 4> kLevels{{{"debug", LogLevel::kDebug},
                                               {"info", LogLevel::kInfo},
                                               {"warning", LogLevel::kWarning},
                                               {"error", LogLevel::kError}}};

/// Modes of a socket: its owner, its group too, everybody.
inline constexpr Choices<std::uint32_t, 3> kModes{{{"0600", 0600}, {"0660", 0660}, {"0666", 0666}}};

/// Calls the visitor for every key; `config` is Config or const Config.
template <class AnyConfig, class Visitor>
void visit(AnyConfig& config, Visitor& v) {
  constexpr Applies kLive = Applies::kLive;
  constexpr Applies kRestart = Applies::kRestart;
  constexpr milliseconds kSecond{1000};
  constexpr milliseconds kHour{3600000};
  constexpr Millis kPeriod{kSecond, 24 * kHour};
  constexpr Millis kTimeout{milliseconds{10}, kHour};

  v.text("fabric", config.fabric, TextRule::kName, kRestart);
  v.text("device.name", config.device.device, TextRule::kOptionalName, kRestart);
  v.number("device.port", config.device.number, Range<double>{1, 254}, kRestart);
  v.guid("device.guid", config.device.guid, kRestart);
  v.text("listen.address", config.listen.address, TextRule::kLoopbackAddress, kRestart);
  v.number("listen.port", config.listen.port, Range<double>{0, 65535}, kRestart);
  v.duration("periods.topology", config.periods.topology, kPeriod, kLive);
  v.duration("periods.counters_data", config.periods.counters_data, kPeriod, kLive);
  v.duration("periods.counters_errors", config.periods.counters_errors, kPeriod, kLive);
  v.duration("periods.counters_details", config.periods.counters_details, kPeriod, kLive);
  v.number("tables.rotation", config.tables_rotation, Range<double>{1, 100000}, kLive);
  v.number("mad.window", config.mad.window, Range<double>{1, 65536}, kRestart);
  v.number("mad.device_window", config.mad.device_window, Range<double>{1, 1024}, kRestart);
  v.duration("mad.timeout", config.mad.timeout, Millis{milliseconds{10}, 60 * kSecond}, kRestart);
  v.number("mad.attempts", config.mad.attempts, Range<double>{1, 10}, kRestart);
  v.number("mad.background_per_second", config.mad.background_per_second, Range<double>{0, 1000000},
           kRestart);
  v.ratio("suspect.keep_ratio", config.suspect.keep_ratio, Range<double>{0, 1}, kRestart);
  v.duration("suspect.accept_after", config.suspect.accept_after, kPeriod, kRestart);
  v.choice("metrics.compat", config.compat, kCompat, kLive);
  v.number("history.frames", config.history_frames, Range<double>{1, 1000}, kLive);
  v.number("events.capacity", config.events_capacity, Range<double>{16, 100000}, kRestart);
  v.number("http.connections", config.http.connections, Range<double>{1, 100000}, kLive);
  v.number("http.streams", config.http.streams, Range<double>{1, 100000}, kLive);
  v.number("http.header_bytes", config.http.header_bytes, Range<double>{256, 1048576}, kLive);
  v.number("http.body_bytes", config.http.body_bytes, Range<double>{0, 67108864}, kLive);
  v.duration("http.header_timeout", config.http.header_timeout, kTimeout, kLive);
  v.duration("http.idle_timeout", config.http.idle_timeout, kTimeout, kLive);
  v.duration("http.write_timeout", config.http.write_timeout, kTimeout, kLive);
  v.number("http.threads", config.http_threads, Range<double>{1, 64}, kRestart);
  v.text("opensm.socket", config.opensm.path, TextRule::kOptionalSocket, kRestart);
  v.text("opensm.group", config.opensm.group, TextRule::kOptionalName, kRestart);
  v.choice("opensm.mode", config.opensm.mode, kModes, kRestart);
  v.text("control.socket", config.control.path, TextRule::kOptionalSocket, kRestart);
  v.text("control.group", config.control.group, TextRule::kOptionalName, kRestart);
  v.choice("control.mode", config.control.mode, kModes, kRestart);
  v.text("weights.file", config.weights.file, TextRule::kOptionalPath, kRestart);
  v.duration("weights.hold", config.weights.hold, Millis{kSecond, kHour}, kRestart);
  v.choice("log.level", config.log_level, kLevels, kLive);
}

}  // namespace heddle::daemon::keys
