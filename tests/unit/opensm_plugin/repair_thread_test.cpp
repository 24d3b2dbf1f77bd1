#include "plugins/opensm/repair_thread.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "plain_subnet.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

/// An OpenSM that answers nothing but knows a dead port.
struct Mute {
  std::mutex mutex;
  std::string text;
  std::atomic<int> asked = 0;
  std::atomic<int> reroutes = 0;
  heddle_requests requests{};

  Mute() {
    requests.context = this;
    requests.get_ports = [](void* context, const heddle_path*, std::uint64_t, const std::uint8_t*,
                            std::size_t, std::uint16_t) {
      ++static_cast<Mute*>(context)->asked;
      return 0;
    };
    requests.set_blocks = [](void*, const heddle_block*, std::size_t, std::uint64_t) {
      return std::size_t{0};
    };
    requests.down_ports = [](void*, const heddle_switch_port*, std::size_t count,
                             std::uint8_t* is_down) {
      for (std::size_t i = 0; i < count; ++i) is_down[i] = i == 0 ? 1 : 0;
    };
    requests.changed_switches = [](void*, std::uint64_t*, std::size_t) { return std::size_t{0}; };
    requests.is_master = [](void*) { return 1; };
    requests.reroute = [](void* context) { ++static_cast<Mute*>(context)->reroutes; };
    requests.log = [](void* context, int, const char* line) {
      Mute& own = *static_cast<Mute*>(context);
      const std::lock_guard lock(own.mutex);
      own.text += std::string(line) + "\n";
    };
  }

  bool says(std::string_view part) {
    for (int i = 0; i < 500; ++i) {
      {
        const std::lock_guard lock(mutex);
        if (text.find(part) != std::string::npos) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

struct Started {
  explicit Started(const Options& options)
      : engine(options), subnet(support::assign_lids(support::ft2_k4())) {
    subnet.manager_node = subnet.nodes.front().guid;
    subnet.manager_port = 1;
    EXPECT_TRUE(engine.route(subnet.subnet()));
  }
  std::uint16_t leaf_lid() const {
    return engine.last_run()->graph.lid(engine.last_run()->graph.terminals().back().leaf)->value();
  }
  Engine engine;
  PlainSubnet subnet;
};

TEST(RepairThreadTest, ATrapWakesItAndTheEndDoesNotWaitForAnswers) {
  const Options options{.threads = 1};
  Started started(options);
  Mute opensm;
  {
    RepairThread thread(options, started.engine, opensm.requests, {});
    thread.inbox().wake();
    thread.inbox().trap(model::Lid{started.leaf_lid()});
    EXPECT_TRUE(opensm.says("; not written: fast_repair=observe"));
  }
  EXPECT_GT(opensm.asked, 0);
}

TEST(RepairThreadTest, ItsFileSwitchesItWhileItRuns) {
  const std::string path = testing::TempDir() + "repair_thread_test_mode";
  std::ofstream(path) << "off\n";
  const Options options{.threads = 1, .fast_repair = RepairMode::kOn, .fast_repair_file = path};
  Started started(options);
  Mute opensm;
  RepairThread thread(options, started.engine, opensm.requests, {});
  EXPECT_TRUE(opensm.says("fast repair: off"));
  thread.inbox().trap(model::Lid{started.leaf_lid()});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::ofstream(path) << "observe\n";
  EXPECT_TRUE(opensm.says("fast repair: observe"));
  EXPECT_EQ(opensm.asked, 0);
  thread.inbox().trap(model::Lid{started.leaf_lid()});
  EXPECT_TRUE(opensm.says("; not written"));
  std::filesystem::remove(path);
  EXPECT_TRUE(opensm.says("fast repair: on\n")) << "without the file the option holds";
}

TEST(RepairThreadTest, WeightsThatAreOnlyObservedAreOpensmsToRoute) {
  const Options options{.threads = 1};
  Started started(options);
  Mute opensm;
  RepairThread thread(options, started.engine, opensm.requests, {});
  thread.inbox().weights();
  for (int i = 0; i < 500 && opensm.reroutes == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(opensm.reroutes, 1);
}

TEST(RepairThreadTest, TablesOfASweepInWhichTheEngineDidNotRunAreNotRepaired) {
  const Options options{.threads = 1};
  Started started(options);
  Mute opensm;
  RepairThread thread(options, started.engine, opensm.requests, {});
  EXPECT_EQ(thread.written_run(), 0U);
  thread.sweep_begins();
  EXPECT_TRUE(started.engine.route(started.subnet.subnet()));
  thread.tables_written();
  EXPECT_EQ(thread.written_run(), 2U);
  thread.inbox().trap(model::Lid{started.leaf_lid()});
  EXPECT_TRUE(opensm.says("; not written"));
  const int asked = opensm.asked;
  thread.sweep_begins();
  thread.tables_written();  // from OpenSM's cache
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  thread.inbox().trap(model::Lid{started.leaf_lid()});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(opensm.asked, asked);
}

}  // namespace
}  // namespace heddle::plugin
