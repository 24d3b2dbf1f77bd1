#include "daemon/http_server.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/guarded.hpp"
#include "daemon/http_guests.hpp"
#include "daemon/http_session.hpp"
#include "daemon/open_files.hpp"

namespace heddle::daemon {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kBeat{500};
/// When the process has no descriptors left, accepting at once again would spin.
constexpr std::chrono::milliseconds kAcceptPause{50};
/// For the forced end: closed sockets complete their operations at once.
constexpr std::chrono::milliseconds kAbortPatience{1000};

}  // namespace

class HttpServer::Impl final : public http::SessionHost {
 public:
  Impl(Options options, HttpService& service)
      : options_(std::move(options)), service_(service), limits_(options_.limits) {}

  model::Status listen() {
    error_code error;
    const tcp::endpoint wanted(asio::ip::make_address(options_.listen.address, error),
                               options_.listen.port);
    if (!error) acceptor_.open(wanted.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(wanted, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return model::fail(model::Errc::kUnavailable,
                         fmt::format("cannot listen on {} port {}: {}", options_.listen.address,
                                     options_.listen.port, error.message()));
    }
    port_ = acceptor_.local_endpoint(error).port();
    asio::co_spawn(control_, accept_loop(), TellFailure{this});
    asio::co_spawn(control_, beat_loop(), TellFailure{this});
    for (std::uint32_t i = 0; i < std::max(options_.threads, 1U); ++i) {
      threads_.emplace_back([this] { run_thread(); });
    }
    return {};
  }

  void stop(std::chrono::milliseconds patience) {
    if (threads_.empty()) return;
    stopping_.store(true);
    asio::post(control_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      beat_timer_.cancel();
      accept_timer_.cancel();
    });
    for_each_session(&http::Session::finish_answering);
    if (!wait_for_sessions(patience)) {
      for_each_session(&http::Session::abort);
      static_cast<void>(wait_for_sessions(kAbortPatience));
    }
    work_.reset();
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    // What was posted above may not have run; now nobody else touches it.
    error_code ignored;
    acceptor_.close(ignored);
  }

  HttpService& service() noexcept override { return service_; }
  http::Limits limits() const override {
    const std::lock_guard lock(mutex_);
    return limits_;
  }
  std::chrono::milliseconds heartbeat() const noexcept override { return options_.heartbeat; }
  bool stopping() const noexcept override { return stopping_.load(); }
  bool enter_stream(std::uint32_t limit) noexcept override {
    if (streams_.fetch_add(1) < limit) return true;
    streams_.fetch_sub(1);
    return false;
  }
  void leave_stream() noexcept override { streams_.fetch_sub(1); }
  void failed(std::string_view what) noexcept override {
    guarded([&] { options_.failed(what); }, [](std::string_view) {});
  }

  void set_limits(HttpLimits limits) {
    const std::lock_guard lock(mutex_);
    limits_ = limits;
  }
  std::uint16_t port() const noexcept { return port_; }
  std::chrono::steady_clock::time_point last_beat() const noexcept {
    return std::chrono::steady_clock::time_point(
        std::chrono::steady_clock::duration(last_beat_.load()));
  }
  std::size_t open_connections() const {
    const std::lock_guard lock(mutex_);
    return guests_.size();
  }

 private:
  using Guests = http::Guests<std::weak_ptr<http::Session>>;

  /// A session's entry among the guests, as long as it lives.
  class Place final : public http::Standing {
   public:
    /// With mutex_ held.
    Place(Impl& server, const std::shared_ptr<http::Session>& session)
        : server_(server), ticket_(server.guests_.enter(session)) {}
    ~Place() override {
      const std::lock_guard lock(server_.mutex_);
      server_.guests_.leave(ticket_);
      server_.none_left_.notify_all();
    }
    void idle() noexcept override {
      const std::lock_guard lock(server_.mutex_);
      server_.guests_.set_idle(ticket_);
    }
    void busy() noexcept override {
      const std::lock_guard lock(server_.mutex_);
      server_.guests_.set_busy(ticket_);
    }

   private:
    Impl& server_;
    Guests::Ticket ticket_;
  };
  /// One of the places for those that are turned away.
  class Doorstep {
   public:
    explicit Doorstep(std::atomic<std::uint32_t>& count) noexcept : count_(&count) { ++count; }
    Doorstep(Doorstep&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
    Doorstep& operator=(Doorstep&&) = delete;
    ~Doorstep() {
      if (count_ != nullptr) --*count_;
    }

   private:
    std::atomic<std::uint32_t>* count_;
  };

  /// What a handler throws must not end the thread: others are served by it.
  void run_thread() noexcept {
    pthread_setname_np(pthread_self(), "http");
    bool ended = false;
    while (!ended) {
      ended = guarded([this] { io_.run(); }, [this](std::string_view what) { failed(what); });
    }
  }

  /// For the end of a coroutine: what it threw is told.
  struct TellFailure {
    Impl* server;
    void operator()(const std::exception_ptr& thrown) const {
      if (!thrown) return;
      guarded([&] { std::rethrow_exception(thrown); },
              [this](std::string_view what) { server->failed(what); });
    }
  };

  asio::awaitable<void> accept_loop() {
    while (!stopping_.load()) {
      try {
        co_await accept_one();
      } catch (const std::exception& thrown) {
        failed(thrown.what());
      }
    }
  }

  asio::awaitable<void> accept_one() {
    const auto strand = asio::make_strand(io_);
    auto [error, socket] = co_await acceptor_.async_accept(strand, kNoThrow);
    if (!error) {
      admit(std::move(socket));
    } else if (!stopping_.load()) {
      // Something else took the descriptors that were counted on.
      if (error == asio::error::no_descriptors) {
        const std::lock_guard lock(mutex_);
        static_cast<void>(evict_longest_idle());
      }
      accept_timer_.expires_after(kAcceptPause);
      co_await accept_timer_.async_wait(kNoThrow);
    }
  }

  asio::awaitable<void> beat_loop() {
    while (!stopping_.load()) {
      last_beat_.store(std::chrono::steady_clock::now().time_since_epoch().count());
      beat_timer_.expires_after(kBeat);
      co_await beat_timer_.async_wait(kNoThrow);
    }
  }

  void admit(tcp::socket socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto session = std::make_shared<http::Session>(std::move(socket), *this);
    std::unique_ptr<Place> place;
    bool at_the_door = false;
    {
      const std::lock_guard lock(mutex_);
      const ConnectionRoom room =
          connection_room(limits_.connections, options_.open_files, options_.threads);
      while (guests_.staying() >= room.staying && leaving() < room.leaving) {
        if (!evict_longest_idle()) break;
      }
      if (guests_.staying() < room.staying) {
        place = std::make_unique<Place>(*this, session);
      }
      at_the_door = leaving() < room.leaving;
    }
    if (place) {
      asio::co_spawn(session->executor(), serve(session, std::move(place)), TellFailure{this});
    } else if (at_the_door) {
      asio::co_spawn(session->executor(), turn_away(session, Doorstep(turned_away_)),
                     TellFailure{this});
    } else {
      service_.finished({}, 503, {});
    }
  }

  /// Connections that are about to be closed. With mutex_ held.
  std::size_t leaving() const noexcept { return guests_.leaving() + turned_away_.load(); }

  /// False if nobody is idle. With mutex_ held.
  bool evict_longest_idle() {
    const auto guest = guests_.evict();
    if (!guest) return false;
    if (const auto session = guest->lock()) {
      asio::post(session->executor(), [session] { session->finish_soon(); });
    }
    return true;
  }

  asio::awaitable<void> serve(std::shared_ptr<http::Session> session,
                              std::unique_ptr<Place> place) {
    co_await session->run(session, *place);
  }

  asio::awaitable<void> turn_away(std::shared_ptr<http::Session> session, Doorstep /*place*/) {
    co_await session->turn_away(session);
  }

  void for_each_session(void (http::Session::*method)()) {
    const std::lock_guard lock(mutex_);
    guests_.for_each([method](const std::weak_ptr<http::Session>& weak) {
      const auto session = weak.lock();
      if (!session) return;
      asio::post(session->executor(), [session, method] { ((*session).*method)(); });
    });
  }

  bool wait_for_sessions(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return none_left_.wait_for(lock, patience, [this] { return guests_.size() == 0; });
  }

  const Options options_;
  HttpService& service_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint32_t> streams_{0};
  std::atomic<std::uint32_t> turned_away_{0};
  std::atomic<std::chrono::steady_clock::rep> last_beat_{0};
  std::uint16_t port_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable none_left_;
  HttpLimits limits_;  ///< guarded by mutex_
  Guests guests_;      ///< guarded by mutex_

  // Last, so that the coroutines that it destroys still find the rest.
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  asio::strand<asio::io_context::executor_type> control_{io_.get_executor()};
  tcp::acceptor acceptor_{control_};
  asio::steady_timer beat_timer_{control_};
  asio::steady_timer accept_timer_{control_};
  std::vector<std::thread> threads_;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() { impl_->stop({}); }

model::Result<std::unique_ptr<HttpServer>> HttpServer::start(Options options,
                                                             HttpService& service) {
  auto impl = std::make_unique<Impl>(std::move(options), service);
  if (auto listening = impl->listen(); !listening) return model::fail(listening.error());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const noexcept { return impl_->port(); }
void HttpServer::set_limits(HttpLimits limits) { impl_->set_limits(limits); }
std::chrono::steady_clock::time_point HttpServer::last_beat() const noexcept {
  return impl_->last_beat();
}
std::size_t HttpServer::open_connections() const { return impl_->open_connections(); }
void HttpServer::stop(std::chrono::milliseconds patience) { impl_->stop(patience); }

}  // namespace heddle::daemon
