#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/prometheus.hpp"
#include "mad/umad_ports.hpp"
#include "model/result.hpp"

namespace heddle::daemon {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// Limits of the HTTP service; all but `threads` may change while it runs.
struct HttpLimits {
  /// Open at once. A further one closes the connection that has been idle for the longest; it is
  /// answered 503 only if none is idle.
  std::uint32_t connections = 1024;
  std::uint32_t streams = 64;  ///< of them, event streams
  std::uint32_t header_bytes = 16384;
  std::uint32_t body_bytes = 65536;
  std::chrono::milliseconds header_timeout{5000};  ///< from the first byte of a request to its last
  std::chrono::milliseconds idle_timeout{60000};   ///< between the requests of one connection
  std::chrono::milliseconds write_timeout{10000};  ///< without a byte taken by the client
  bool operator==(const HttpLimits&) const = default;
};

/// A Unix socket that heddled listens on. Whoever may write to it may use it.
struct SocketConfig {
  std::string path;           ///< empty: none
  std::string group;          ///< that it belongs to; heddled's own if empty
  std::uint32_t mode = 0660;  ///< of the file
  bool operator==(const SocketConfig&) const = default;
};

/// Everything that the configuration file says, with what holds where it says nothing.
struct Config {
  std::string fabric = "default";  ///< label of every metric; GUIDs are unique within it
  mad::PortChoice device;
  struct Listen {
    std::string address = "127.0.0.1";
    std::uint16_t port = 9840;  ///< 0: any free one
  } listen;
  struct Periods {
    std::chrono::milliseconds topology{60000};
    std::chrono::milliseconds counters_data{10000};
    std::chrono::milliseconds counters_errors{30000};
    std::chrono::milliseconds counters_details{300000};
  } periods;
  /// One switch in this many is read again at each topology sweep though nothing hints at a change.
  std::uint32_t tables_rotation = 60;
  struct Mad {
    std::uint32_t window = 512;
    std::uint32_t device_window = 4;
    std::chrono::milliseconds timeout{200};
    std::uint32_t attempts = 3;
    std::uint32_t background_per_second = 5000;
  } mad;
  struct Suspect {
    double keep_ratio = 0.5;
    std::chrono::milliseconds accept_after{900000};
  } suspect;
  exporter::Compatibility compat = exporter::Compatibility::kTreydock;
  std::uint32_t history_frames = 30;
  std::uint32_t events_capacity = 10000;
  HttpLimits http;
  std::uint32_t http_threads = 2;
  SocketConfig opensm{.path = "/run/heddle/opensm.sock", .group = {}};    ///< for OpenSM's plugin
  SocketConfig control{.path = "/run/heddle/control.sock", .group = {}};  ///< for drain and undrain
  struct Weights {
    std::string file;                       ///< lines GUID/PORT PERCENT; empty: none
    std::chrono::milliseconds hold{60000};  ///< without heddled, OpenSM forgets weights after it
  } weights;
  LogLevel log_level = LogLevel::kInfo;
};

/// A configuration, or everything that is wrong with the text, in order of lines.
struct ParsedConfig {
  Config config;
  std::vector<model::Error> errors;
  [[nodiscard]] bool ok() const noexcept { return errors.empty(); }
};

/// Parses the text of a configuration file; `file` names it in errors. Pure.
[[nodiscard]] ParsedConfig parse_config(std::string_view text, const std::string& file);
/// The same from a file.
[[nodiscard]] ParsedConfig read_config(const std::string& path);

/// `HOST:PORT` or `[V6]:PORT`, as --listen takes it; only loopback addresses.
[[nodiscard]] model::Result<Config::Listen> parse_listen(std::string_view text);
/// The text that parse_listen() reads back.
[[nodiscard]] std::string listen_text(const Config::Listen& listen);

/// One key as a program sees it: for the schema's test, and to tell what a reload changed.
struct ConfigKey {
  enum class Kind : std::uint8_t { kText, kNumber, kRatio, kDuration, kChoice, kGuid };
  enum class Applies : std::uint8_t { kLive, kRestart };
  std::string path;  ///< `periods.topology`
  Kind kind = Kind::kText;
  Applies applies = Applies::kRestart;
  std::string value;                 ///< as the file would say it; empty where nothing is said
  double min = 0;                    ///< kNumber and kRatio
  double max = 0;                    ///< kNumber and kRatio
  std::vector<std::string> choices;  ///< kChoice
};
/// All keys with the values that `config` has, in the order of the sample file.
[[nodiscard]] std::vector<ConfigKey> config_keys(const Config& config);

/// What differs between two configurations: paths that can be applied at once, and paths that need
/// a restart.
struct ConfigChange {
  std::vector<std::string> live;
  std::vector<std::string> restart;
};
[[nodiscard]] ConfigChange changes(const Config& before, const Config& after);

}  // namespace heddle::daemon
