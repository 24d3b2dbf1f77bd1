#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "daemon/http_server.hpp"

namespace heddle::daemon::testing_support {

/// Answers by path: /big, /slow (until released), /stream, /same (304), /throws (does); the rest is
/// greeted.
class FakeService final : public HttpService {
 public:
  std::variant<HttpAnswer, EventStream> serve(const HttpRequest& request) override {
    HttpAnswer answer;
    answer.response.content_type = "text/plain";
    const std::string& target = request.request.target;
    if (target == "/stream") return EventStream{{}, request.last_event_id.value_or(0)};
    if (target == "/big") {
      answer.shared_prefix = big_;
      answer.response.body = "tail";
    } else if (target == "/slow") {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait_for(lock, std::chrono::seconds{10}, [this] { return released_; });
      answer.response.body = "slow";
    } else if (target == "/throws") {
      throw std::runtime_error("no answer for you");
    } else if (target == "/same") {
      answer.response.status = 304;
      answer.response.headers.emplace_back("ETag", "\"7\"");
    } else {
      answer.response.body =
          fmt::format("{} {} gzip={}", request.request.method, target, request.accepts_gzip);
    }
    return answer;
  }
  void finished(std::string_view target, unsigned status,
                std::chrono::nanoseconds /*duration*/) noexcept override {
    const std::lock_guard lock(mutex_);
    ++finished_[{std::string(target), status}];
    changed_.notify_all();
  }
  EventLog& events() noexcept override { return events_; }

  bool wait_until_slow_is_asked() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds{5}, [this] { return waiting_ > 0; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  bool wait_finished(const std::string& target, unsigned status, int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds{5}, [&] {
      return finished_[{target, status}] >= count;
    });
  }

 private:
  std::shared_ptr<const std::string> big_ =
      std::make_shared<const std::string>(std::size_t{8} << 20, 'x');
  EventLog events_{1000};
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool released_ = false;
  std::map<std::pair<std::string, unsigned>, int> finished_;
};

class HttpServerTest : public testing::Test {
 protected:
  void start() {
    auto server = HttpServer::start(options_, service_);
    ASSERT_TRUE(server) << server.error().text;
    server_ = std::move(*server);
  }
  std::uint16_t port() const { return server_->port(); }
  bool wait_for_connections(std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    while (server_->open_connections() != count) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
  }
  void append(std::string text) {
    model::Event event;
    event.text = std::move(text);
    service_.events().append(std::move(event));
  }

  FakeService service_;
  HttpServer::Options options_{.listen = {"127.0.0.1", 0},
                               .limits = {.connections = 64,
                                          .streams = 4,
                                          .header_bytes = 1024,
                                          .body_bytes = 100,
                                          .header_timeout = std::chrono::milliseconds{2000},
                                          .idle_timeout = std::chrono::milliseconds{2000},
                                          .write_timeout = std::chrono::milliseconds{2000}},
                               .threads = 2,
                               .heartbeat = std::chrono::milliseconds{15000}};
  std::unique_ptr<HttpServer> server_;
};

}  // namespace heddle::daemon::testing_support
