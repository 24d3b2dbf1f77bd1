#include "daemon/local_service.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>

#include "daemon/control_command.hpp"
#include "daemon/guarded.hpp"
#include "daemon/opensm_feed.hpp"
#include "daemon/unix_socket.hpp"
#include "daemon/weight_book.hpp"
#include "discovery/line_scanner.hpp"
#include "discovery/weights_text.hpp"
#include "model/fabric_summary.hpp"
#include "plugins/abi/frames.hpp"

namespace heddle::daemon {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using boost::system::error_code;
using model::EventKind;
using model::Severity;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
/// How often it looks whether there is something to publish, or a weight to be changed.
constexpr milliseconds kTick{200};
constexpr milliseconds kLookAtFile{2000};
constexpr milliseconds kListenAgain{10000};
constexpr milliseconds kWriteTimeout{5000};
constexpr milliseconds kControlTimeout{5000};
/// OpenSMs of this machine: one, and perhaps others of tests.
constexpr std::size_t kMaxPlugins = 8;
constexpr std::size_t kMaxControls = 16;
constexpr std::size_t kMaxControlLine = 256;
/// In a hold time the weights are told so often.
constexpr int kTellsInHold = 4;

/// A file as far as a glance tells it from another.
using FileMark = std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t>;
std::optional<FileMark> mark_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileMark{found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                  found.st_mtim.tv_nsec};
}

struct Plugin {
  Plugin(stream_protocol::socket from, OpensmFeed::Session session)
      : socket(std::move(from)), wake(socket.get_executor()), id(session) {}
  stream_protocol::socket socket;
  asio::steady_timer wake;
  OpensmFeed::Session id;
  bool told = true;  ///< of the weights as they are
};

std::string peer_text(stream_protocol::socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return "an unknown user";
  }
  return fmt::format("user {}, process {}", peer.uid, peer.pid);
}

model::Event weight_event(std::string text, model::PortKey end) {
  return model::make_event(EventKind::kWeightsChanged, Severity::kInfo, std::move(text),
                           std::chrono::system_clock::now(), end);
}

}  // namespace

class LocalService::Impl {
 public:
  Impl(Options options, Hooks hooks, LinkLedger& links)
      : options_(std::move(options)),
        hooks_(std::move(hooks)),
        feed_(links),
        opensm_{options_.opensm, "OpenSM's plugin", {}, stream_protocol::acceptor(io_), {}, {}},
        control_{options_.control, "heddle drain", {}, stream_protocol::acceptor(io_), {}, {}},
        beat_(Clock::now().time_since_epoch().count()) {
    asio::co_spawn(io_, tick_loop(), TellFailure{this});
    thread_ = std::thread([this] { run(); });
  }
  ~Impl() {
    io_.stop();
    thread_.join();
  }

  [[nodiscard]] Clock::time_point last_beat() const noexcept {
    return Clock::time_point(Clock::duration(beat_.load()));
  }

 private:
  struct Door {
    SocketConfig config;
    std::string who;
    std::optional<UnixListener> listener;
    stream_protocol::acceptor acceptor;
    Clock::time_point try_again;
    std::string problem;
  };
  struct TellFailure {
    Impl* service;
    void operator()(const std::exception_ptr& thrown) const {
      if (!thrown) return;
      guarded([&] { std::rethrow_exception(thrown); },
              [this](std::string_view what) { service->hooks_.failed(what); });
    }
  };

  void run() {
    pthread_setname_np(pthread_self(), "local");
    while (!io_.stopped()) {
      guarded([this] { io_.run(); }, [this](std::string_view what) { hooks_.failed(what); });
    }
  }

  asio::awaitable<void> tick_loop() {
    asio::steady_timer timer(io_);
    for (;;) {
      beat_.store(Clock::now().time_since_epoch().count());
      guarded([this] { tick(Clock::now()); },
              [this](std::string_view what) { hooks_.failed(what); });
      timer.expires_after(kTick);
      const auto [error] = co_await timer.async_wait(kNoThrow);
      if (error) co_return;
    }
  }

  void tick(Clock::time_point now) {
    if (open(opensm_, now)) asio::co_spawn(io_, accept_plugins(), TellFailure{this});
    if (open(control_, now)) asio::co_spawn(io_, accept_controls(), TellFailure{this});
    look_at_file(now);
    const auto fabric = hooks_.fabric();
    step_weights(*fabric, now);
    if (!changed_) return;
    changed_ = false;
    hooks_.publish(std::make_shared<const exporter::RoutingStatus>(status()));
  }

  exporter::RoutingStatus status() const {
    exporter::RoutingStatus status = feed_.status();
    status.listening = opensm_.listener.has_value();
    status.not_listening_reason =
        opensm_.config.path.empty() ? "opensm.socket is empty" : opensm_.problem;
    const auto wall = std::chrono::system_clock::now();
    const auto now = Clock::now();
    for (const WeightBook::Weight& weight : book_.weights()) {
      exporter::CableWeightStatus& row = status.weights.emplace_back();
      row.end = weight.end;
      row.percent = weight.percent;
      row.source = weight.by_operator ? "operator" : "file";
      if (weight.expires) {
        row.expires = wall + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                 *weight.expires - now);
      }
    }
    return status;
  }

  /// True if it has just begun to listen.
  bool open(Door& door, Clock::time_point now) {
    if (door.config.path.empty() || door.listener || now < door.try_again) return false;
    door.try_again = now + kListenAgain;
    changed_ = true;
    auto listener = UnixListener::open(door.config);
    if (!listener) {
      if (door.problem != listener.error().text) {
        door.problem = listener.error().text;
        tell(Severity::kWarning,
             fmt::format("no socket for {}, it is tried again: {}", door.who, door.problem));
      }
      return false;
    }
    // Each of the two closes its own descriptor.
    const int fd = ::fcntl(listener->fd(), F_DUPFD_CLOEXEC, 0);
    error_code error(fd == -1 ? errno : 0, boost::system::generic_category());
    if (fd != -1) door.acceptor.assign(stream_protocol(), fd, error);
    if (error) {
      if (fd != -1) ::close(fd);
      door.problem = error.message();
      return false;
    }
    door.problem.clear();
    door.listener.emplace(std::move(*listener));
    return true;
  }

  // ---- plugins ----

  asio::awaitable<void> accept_plugins() {
    for (;;) {
      auto [error, socket] = co_await opensm_.acceptor.async_accept(kNoThrow);
      if (error) {
        co_await pause();
        continue;
      }
      if (plugins_.size() >= kMaxPlugins) continue;  // and closes
      auto plugin = std::make_shared<Plugin>(std::move(socket), ++last_session_);
      plugins_.insert(plugin);
      asio::co_spawn(io_, read_plugin(plugin), TellFailure{this});
      asio::co_spawn(io_, write_plugin(plugin), TellFailure{this});
    }
  }

  asio::awaitable<void> pause() {
    asio::steady_timer timer(io_, kTick);
    co_await timer.async_wait(kNoThrow);
  }

  asio::awaitable<void> read_plugin(std::shared_ptr<Plugin> plugin) {
    abi::FrameReader reader;
    std::array<char, 16384> bytes;
    std::string why;
    while (why.empty()) {
      const auto [error, size] =
          co_await plugin->socket.async_read_some(asio::buffer(bytes), kNoThrow);
      if (error) {
        why = error == asio::error::eof ? "it closed the connection" : error.message();
        break;
      }
      reader.feed({bytes.data(), size});
      while (const auto frame = reader.next()) take(plugin->id, *frame);
      if (reader.broken()) why = "what it says is not of heddle's language";
    }
    end(plugin, why);
  }

  void take(OpensmFeed::Session session, const abi::Frame& frame) {
    changed_ = true;
    const abi::Decoded decoded = abi::decode(frame);
    const auto* message = std::get_if<abi::Message>(&decoded);
    if (message == nullptr) {
      feed_.passed_over();
      return;
    }
    pass_on(feed_.take(session, *message, *hooks_.fabric(), std::chrono::system_clock::now()));
  }

  void pass_on(OpensmFeed::Told told) {
    if (told.sweep) hooks_.sweep();
    if (!told.events.empty()) hooks_.tell(std::move(told.events));
  }

  void end(const std::shared_ptr<Plugin>& plugin, std::string_view why) {
    if (plugins_.erase(plugin) == 0) return;
    error_code ignored;
    plugin->socket.close(ignored);
    plugin->wake.cancel();
    changed_ = true;
    pass_on(feed_.left(plugin->id, why, std::chrono::system_clock::now()));
  }

  asio::awaitable<void> write_plugin(std::shared_ptr<Plugin> plugin) {
    using asio::experimental::awaitable_operators::operator||;
    abi::Hello hello;
    hello.instance = static_cast<std::uint64_t>(
        std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds{1});
    hello.process = static_cast<std::uint32_t>(::getpid());
    hello.software = options_.software;
    std::string frames;
    abi::encode(hello, frames);
    while (plugin->socket.is_open()) {
      plugin->told = true;
      abi::encode(weights_message(), frames);
      asio::steady_timer deadline(io_, kWriteTimeout);
      const auto done =
          co_await (asio::async_write(plugin->socket, asio::buffer(frames), kNoThrow) ||
                    deadline.async_wait(kNoThrow));
      if (done.index() == 1) {
        end(plugin, "it takes no weights");
      } else if (std::get<0>(std::get<0>(done))) {
        co_return;  // whoever reads sees it too
      }
      frames.clear();
      if (!plugin->told) continue;
      plugin->wake.expires_after(options_.weights.hold / kTellsInHold);
      co_await plugin->wake.async_wait(kNoThrow);
    }
  }

  [[nodiscard]] abi::Weights weights_message() const {
    abi::Weights message;
    message.generation = book_.generation();
    message.hold_milliseconds = static_cast<std::uint32_t>(options_.weights.hold.count());
    const auto now = Clock::now();
    for (const WeightBook::Weight& weight : book_.weights()) {
      abi::Weights::Entry& entry = message.entries.emplace_back();
      entry.node_guid = weight.end.node.value();
      entry.port = weight.end.port.value();
      entry.percent = weight.percent;
      if (!weight.expires) continue;
      const auto left = std::chrono::ceil<milliseconds>(*weight.expires - now).count();
      entry.expires_milliseconds = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(left, 1, std::numeric_limits<std::uint32_t>::max()));
    }
    return message;
  }

  void send_weights() {
    changed_ = true;
    for (const auto& plugin : plugins_) {
      plugin->told = false;
      plugin->wake.cancel();
    }
  }

  // ---- weights ----

  void look_at_file(Clock::time_point now) {
    const std::string& path = options_.weights.file;
    if (path.empty() || now < look_at_file_) return;
    look_at_file_ = now + kLookAtFile;
    const auto mark = mark_of(path);
    const auto fabric = hooks_.fabric();
    // Ends of cables are looked up, so that another fabric is a reason to read it anew.
    if (looked_ && mark == file_mark_ && fabric == file_fabric_) return;
    looked_ = true;
    file_mark_ = mark;
    file_fabric_ = fabric;
    const auto text = discovery::read_text(path);
    const auto weights = text ? discovery::parse_weights(*text, path)
                              : model::Result<discovery::WeightsByPort>(model::fail(text.error()));
    if (!weights) {
      const std::string problem = weights.error().message();
      if (problem != file_problem_) {
        tell(Severity::kWarning, fmt::format("the weights stay as they are: {}", problem));
      }
      file_problem_ = problem;
      return;
    }
    file_problem_.clear();
    book_.set_file(*fabric, *weights);
  }

  void step_weights(const model::Fabric& fabric, Clock::time_point now) {
    if (!book_.step(fabric, now)) return;
    tell_weight_changes(fabric);
    send_weights();
  }

  [[nodiscard]] std::map<model::PortKey, std::uint8_t> weights_now() const {
    std::map<model::PortKey, std::uint8_t> now;
    for (const WeightBook::Weight& weight : book_.weights()) now[weight.end] = weight.percent;
    return now;
  }

  void tell_weight_changes(const model::Fabric& fabric) {
    std::map<model::PortKey, std::uint8_t> now = weights_now();
    std::vector<model::Event> events;
    const auto cable = [&fabric](model::PortKey end) {
      const auto port = fabric.find_port(end);
      return port ? model::describe_end(fabric, *port) : to_string(end);
    };
    for (const auto& [end, percent] : now) {
      const auto before = told_weights_.find(end);
      if (before != told_weights_.end() && before->second == percent) continue;
      events.push_back(
          weight_event(fmt::format("routes may use {} % of {}", percent, cable(end)), end));
    }
    for (const auto& [end, percent] : told_weights_) {
      if (now.contains(end)) continue;
      events.push_back(
          weight_event(fmt::format("routes may use all of {} again", cable(end)), end));
    }
    told_weights_ = std::move(now);
    if (!events.empty()) hooks_.tell(std::move(events));
  }

  // ---- drain and undrain ----

  asio::awaitable<void> accept_controls() {
    for (;;) {
      auto [error, socket] = co_await control_.acceptor.async_accept(kNoThrow);
      if (error) {
        co_await pause();
        continue;
      }
      if (controls_ >= kMaxControls) continue;
      asio::co_spawn(io_, serve_control(std::move(socket)), TellFailure{this});
    }
  }

  asio::awaitable<void> serve_control(stream_protocol::socket socket) {
    using asio::experimental::awaitable_operators::operator||;
    const Guest guest(controls_);
    std::string text;
    asio::steady_timer deadline(io_, kControlTimeout);
    const auto got =
        co_await (asio::async_read_until(socket, asio::dynamic_buffer(text, kMaxControlLine), '\n',
                                         kNoThrow) ||
                  deadline.async_wait(kNoThrow));
    if (got.index() == 1 || std::get<0>(std::get<0>(got))) co_return;
    std::string answer = obey(std::string_view(text).substr(0, text.find('\n')), socket);
    answer += '\n';
    deadline.expires_after(kControlTimeout);
    co_await (asio::async_write(socket, asio::buffer(answer), kNoThrow) ||
              deadline.async_wait(kNoThrow));
  }

  std::string obey(std::string_view line, stream_protocol::socket& socket) {
    const auto command = parse_control(line);
    if (!command) return "error: " + command.error().text;
    const auto fabric = hooks_.fabric();
    const auto now = Clock::now();
    // What is due anyway is told as such.
    step_weights(*fabric, now);
    const auto done = command->what == ControlCommand::What::kDrain
                          ? book_.set(*fabric, command->end, command->percent, command->time, now)
                          : book_.clear(*fabric, command->end);
    const std::string who = peer_text(socket);
    if (!done) return "error: " + done.error().text;
    hooks_.tell({weight_event(fmt::format("{}, by {}", *done, who), command->end)});
    if (book_.step(*fabric, now)) {
      told_weights_ = weights_now();
      send_weights();
    }
    return "ok: " + *done + (plugins_.empty() ? "; no OpenSM is connected that could do it" : "");
  }

  void tell(Severity severity, std::string text) {
    hooks_.tell({model::make_event(EventKind::kService, severity, std::move(text),
                                   std::chrono::system_clock::now())});
  }

  struct Guest {
    explicit Guest(std::size_t& counter) : count(counter) { ++count; }
    ~Guest() { --count; }
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;
    std::size_t& count;
  };

  const Options options_;
  const Hooks hooks_;
  std::size_t controls_ = 0;  ///< before what ends those that count themselves out
  asio::io_context io_{1};
  OpensmFeed feed_;
  WeightBook book_;
  Door opensm_;
  Door control_;
  std::set<std::shared_ptr<Plugin>> plugins_;
  OpensmFeed::Session last_session_ = 0;
  bool changed_ = true;  ///< since the last publication

  Clock::time_point look_at_file_{};
  bool looked_ = false;
  std::optional<FileMark> file_mark_;
  std::shared_ptr<const model::Fabric> file_fabric_;
  std::string file_problem_;
  std::map<model::PortKey, std::uint8_t> told_weights_;

  std::atomic<Clock::rep> beat_;
  std::thread thread_;
};

LocalService::LocalService(Options options, Hooks hooks, LinkLedger& links)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(hooks), links)) {}

LocalService::~LocalService() = default;

std::chrono::steady_clock::time_point LocalService::last_beat() const noexcept {
  return impl_->last_beat();
}

}  // namespace heddle::daemon
