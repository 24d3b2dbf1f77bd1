#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <exception>
#include <iostream>

#include "daemon/daemon.hpp"
#include "daemon/open_files.hpp"
#include "daemon/service_manager.hpp"
#include "mad/umad_ports.hpp"
#include "mad/umad_transport.hpp"

namespace {

namespace daemon = heddle::daemon;
namespace mad = heddle::mad;
namespace model = heddle::model;
namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr int kGood = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;
/// For answers in progress when asked to stop; the whole stop stays under 5 s.
constexpr milliseconds kStopPatience{3000};
/// A loop that has not come round for this long hangs.
constexpr milliseconds kProgressLimit{20000};
constexpr milliseconds kStatusEvery{10000};

struct CommandLine {
  std::string config_path;
  std::string listen_text;
  bool check_config = false;
};

model::Result<daemon::Collector::Source> open_umad(const mad::PortChoice& choice) {
  auto ports = mad::local_ports();
  if (!ports) return model::fail(ports.error());
  auto port = mad::choose_port(*ports, choice);
  if (!port) return model::fail(port.error());
  auto transport = mad::UmadTransport::open(*port);
  if (!transport) return model::fail(transport.error());
  return daemon::Collector::Source{fmt::format("{} port {}", port->device, port->number),
                                   std::move(*transport)};
}

/// From its construction on signals are kept until somebody waits for them, and end nothing.
struct Signals {
  asio::io_context io{1};
  asio::signal_set set{io, SIGTERM, SIGINT, SIGHUP};
};

/// Waits for signals and feeds the watchdog, on the main thread. `signals` outlive it.
class Watch {
 public:
  Watch(daemon::Daemon& service, Signals& signals) : service_(service), signals_(signals) {
    if (const auto interval = daemon::ServiceManager::watchdog_interval()) {
      period_ = std::min(kStatusEvery, std::chrono::duration_cast<milliseconds>(*interval) / 3);
    }
    next_signal();
    next_tick();
  }
  /// Until asked to stop.
  void run() { signals_.io.run(); }

 private:
  void next_signal() {
    signals_.set.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) return;
      if (number != SIGHUP) {
        signals_.io.stop();
        return;
      }
      manager_.reloading();
      service_.reload();
      manager_.ready(service_.status_line());
      next_signal();
    });
  }
  void next_tick() {
    timer_.expires_after(period_);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      if (service_.makes_progress(kProgressLimit)) manager_.watchdog();
      manager_.status(service_.status_line());
      next_tick();
    });
  }

  daemon::Daemon& service_;
  Signals& signals_;
  daemon::ServiceManager manager_;
  milliseconds period_ = kStatusEvery;
  asio::steady_timer timer_{signals_.io};
};

int serve(daemon::Daemon::Options options) {
  const daemon::Logger logger = daemon::make_stderr_logger(options.config.log_level);
  // First of all: who reads "listens on" may signal at once.
  Signals signals;
  const std::string address = options.listen.value_or(options.config.listen).address;
  auto service = daemon::Daemon::start(std::move(options), logger);
  if (!service) {
    logger->error("event=start_failed error={}", daemon::quoted(service.error().message()));
    return kFailed;
  }
  std::cout << "heddled listens on http://" << daemon::listen_text({address, (*service)->port()})
            << std::endl;

  const daemon::ServiceManager manager;
  Watch watch(**service, signals);
  manager.ready((*service)->status_line());
  watch.run();

  manager.stopping();
  logger->info("event=stopping");
  (*service)->stop(kStopPatience);
  logger->info("event=stopped");
  return kGood;
}

/// `code`, unless what was written has not arrived.
int finished(int code) {
  if (std::cout.flush()) return code;
  std::cerr << "heddled: standard output cannot be written\n";
  return kBadInput;
}

int run(const CommandLine& command_line) {
  daemon::ParsedConfig parsed;
  if (!command_line.config_path.empty()) parsed = daemon::read_config(command_line.config_path);
  for (const model::Error& error : parsed.errors) std::cerr << error.message() << '\n';
  daemon::Daemon::Options options;
  if (!command_line.listen_text.empty()) {
    const auto listen = daemon::parse_listen(command_line.listen_text);
    if (!listen) {
      std::cerr << listen.error().message() << '\n';
      return kBadInput;
    }
    options.listen = *listen;
  }
  if (!parsed.ok()) return kBadInput;
  if (command_line.check_config) {
    std::cout << "OK\n";
    return finished(kGood);
  }
  options.config = parsed.config;
  options.config_path = command_line.config_path;
  options.version = HEDDLE_VERSION;
  options.open_files = daemon::raise_open_files_limit();
  options.open = [choice = options.config.device] { return open_umad(choice); };
  return serve(std::move(options));
}

}  // namespace

int main(int argc, char** argv) {
  if (!daemon::hold_standard_descriptors()) return kFailed;
  std::signal(SIGPIPE, SIG_IGN);  // a reader of stdout that leaves is no reason to stop
  try {
    CLI::App app("heddled: watches an InfiniBand fabric and serves what it sees", "heddled");
    CommandLine command_line;
    app.add_option("--config", command_line.config_path, "Configuration file (YAML)");
    app.add_option("--listen", command_line.listen_text,
                   "ADDRESS:PORT instead of the configuration's; port 0 takes a free one");
    app.add_flag("--check-config", command_line.check_config,
                 "Say OK or all errors of the configuration, and exit");
    app.set_version_flag("--version", "heddled " HEDDLE_VERSION);
    // CLI11 takes an option without text as one that is not given.
    if (std::any_of(argv + std::min(argc, 1), argv + argc,
                    [](const char* text) { return *text == '\0'; })) {
      std::cerr << "heddled: an argument is empty\n";
      return kBadInput;
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? finished(kGood) : kBadInput;
    }
    return run(command_line);
  } catch (const std::exception& error) {
    std::cerr << "heddled: " << error.what() << '\n';
    return kFailed;
  }
}
