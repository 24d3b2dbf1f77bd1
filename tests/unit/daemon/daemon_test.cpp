#include "daemon/daemon.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "unit/daemon/raw_client.hpp"
#include "unit/daemon/simulated_bench.hpp"

/// The whole service, all its threads and real time, on simulated devices.
namespace heddle::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::RawClient;

/// Simulated devices in real time: where nothing comes, some time passes.
class PacedTransport final : public mad::Transport {
 public:
  explicit PacedTransport(std::shared_ptr<const model::Fabric> fabric)
      : devices_(fabric, fabric->key(model::PortIndex{std::uint32_t{0}})), inner_(devices_, {}) {}
  model::Status send(const mad::OutgoingMad& mad) override { return inner_.send(mad); }
  model::Result<std::optional<mad::IncomingMad>> receive(milliseconds wait) override {
    auto next = inner_.receive(wait);
    if (next && !*next) std::this_thread::sleep_for(std::min(wait, milliseconds{5}));
    return next;
  }

 private:
  simulation::SimulatedFabric devices_;
  simulation::SimulatedTransport inner_;
};

/// Niceness of this process's threads by their names (proc(5): field 19 of stat, the 17th after the
/// name).
std::map<std::string, int> niceness_by_thread() {
  std::map<std::string, int> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t opened = text.find('('), closed = text.rfind(')');
    if (closed == std::string::npos) continue;
    std::istringstream rest(text.substr(closed + 1));
    std::string field;
    for (int i = 0; i < 16; ++i) rest >> field;
    rest >> found[text.substr(opened + 1, closed - opened - 1)];
  }
  return found;
}

class DaemonTest : public testing::Test {
 protected:
  DaemonTest() {
    std::string name = (std::filesystem::temp_directory_path() / "heddled-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
  }
  ~DaemonTest() override { std::filesystem::remove_all(folder_); }

  void write_config(const std::string& text) const {
    std::ofstream(folder_ / "heddled.yaml") << text;
  }
  void start() {
    Daemon::Options options;
    options.config_path = (folder_ / "heddled.yaml").string();
    const ParsedConfig parsed = read_config(options.config_path);
    ASSERT_TRUE(parsed.ok());
    options.config = parsed.config;
    options.listen = Config::Listen{"127.0.0.1", 0};
    options.version = "1.2.3";
    options.open = [fabric = fabric_]() -> model::Result<Collector::Source> {
      return Collector::Source{"sim0 port 1", std::make_unique<PacedTransport>(fabric)};
    };
    auto daemon = Daemon::start(std::move(options), testing_support::quiet_logger());
    ASSERT_TRUE(daemon) << daemon.error().text;
    daemon_ = std::move(*daemon);
  }
  std::pair<std::string, std::string> get(const std::string& target,
                                          const std::string& headers = {}) const {
    RawClient client(daemon_->port());
    client.send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", target, headers));
    return client.read_answer();
  }
  bool wait_ready() const {
    const auto end = std::chrono::steady_clock::now() + seconds{20};
    while (!get("/readyz").first.starts_with("HTTP/1.1 200")) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds{20});
    }
    return true;
  }

  std::shared_ptr<const model::Fabric> fabric_ =
      std::make_shared<const model::Fabric>(support::assign_lids(support::ft2_k4()));
  std::filesystem::path folder_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(DaemonTest, ServesWhatItSeesUntilItIsStopped) {
  write_config("fabric: rail-1\nperiods: {counters_data: 1s, topology: 1s}\n");
  start();
  ASSERT_TRUE(wait_ready()) << daemon_->status_line();
  EXPECT_TRUE(daemon_->makes_progress(seconds{10}));
  EXPECT_THAT(daemon_->status_line(), StartsWith("fabric rail-1: 14 nodes, 16 links, ready"));
  for (const char* target :
       {"/healthz", "/v1/fabric", "/v1/nodes", "/v1/links", "/v1/events", "/openapi.json"}) {
    const auto [head, body] = get(target);
    EXPECT_THAT(head, AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("json"))) << target;
    EXPECT_THAT(body, StartsWith("{")) << target;
  }
  EXPECT_THAT(get("/v1/nothing").first, StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(get("/metrics").second,
              AllOf(HasSubstr("fabric=\"rail-1\""), HasSubstr("heddle_mad_sent_total"),
                    HasSubstr("heddle_api_requests_total")));
  EXPECT_THAT(get("/metrics", "Accept-Encoding: gzip\r\n").first,
              HasSubstr("Content-Encoding: gzip"));
  const auto began = std::chrono::steady_clock::now();
  daemon_->stop(seconds{1});
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds{3});
  EXPECT_FALSE(RawClient(daemon_->port()).connected());
}

TEST_F(DaemonTest, RenderingGivesWayToScrapesAndSweeps) {
  write_config("");
  start();
  ASSERT_TRUE(wait_ready());
  const auto niceness = niceness_by_thread();
  ASSERT_TRUE(niceness.contains("publisher") && niceness.contains("http") &&
              niceness.contains("collector"));
  EXPECT_GT(niceness.at("publisher"), niceness.at("http"));
  EXPECT_EQ(niceness.at("collector"), niceness.at("http"));
}

TEST_F(DaemonTest, AReloadWithErrorsKeepsTheOldAndIsAnEventOnTheStream) {
  write_config("");
  start();
  RawClient stream(daemon_->port());
  ASSERT_TRUE(
      stream.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                  "\r\n"));
  EXPECT_THAT(stream.read_to("\r\n\r\n"), HasSubstr("text/event-stream"));
  write_config("log: {level: loud}\nnonsense: 1\n");
  EXPECT_FALSE(daemon_->reload());
  EXPECT_THAT(stream.read_to("not reloaded, 2 errors, the first: "), HasSubstr("not reloaded"));
}

TEST_F(DaemonTest, AReloadAppliesWhatItCanAndNamesWhatNeedsARestart) {
  write_config("");
  start();
  write_config("log: {level: error}\nperiods: {counters_data: 1s}\nfabric: other\n");
  EXPECT_TRUE(daemon_->reload());
  EXPECT_THAT(
      daemon_->events().all()->back().text,
      AllOf(HasSubstr("periods.counters_data, log.level"), HasSubstr("needs a restart: fabric")));
  EXPECT_TRUE(daemon_->reload());
  EXPECT_THAT(daemon_->events().all()->back().text,
              AllOf(HasSubstr("nothing to apply"), HasSubstr("needs a restart: fabric")))
      << "as long as it has not been restarted";
}

TEST_F(DaemonTest, StopsAtOnceThoughStreamsAreOpen) {
  write_config("");
  start();
  RawClient stream(daemon_->port());
  ASSERT_TRUE(
      stream.send("GET /v1/events?since=0 HTTP/1.1\r\nHost: localhost\r\n"
                  "Accept: text/event-stream\r\n\r\n"));
  stream.read_to("id: 1\n");
  const auto began = std::chrono::steady_clock::now();
  daemon_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds{3});
}

}  // namespace
}  // namespace heddle::daemon
