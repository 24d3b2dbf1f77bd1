#include "plugins/opensm/places_thread.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "discovery/topology_text.hpp"
#include "plain_subnet.hpp"
#include "plugins/opensm/engine.hpp"
#include "plugins/opensm/subnet_fabric.hpp"
#include "support/plain_graphs.hpp"
#include "support/temporary_files.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

namespace fs = std::filesystem;
using model::Fabric;
using testing::HasSubstr;

/// Lines as OpenSM's log would get them.
class Lines {
 public:
  PlacesThread::Log log() {
    return [this](bool is_error, const std::string& line) {
      const std::lock_guard lock(mutex_);
      text_ += (is_error ? "error: " : "") + line + "\n";
    };
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

bool soon(const std::function<bool()>& is_so) {
  for (int i = 0; i < 500; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// As of another site: generated fabrics have GUIDs in common.
Fabric with_other_guids(const Fabric& fabric) {
  constexpr std::uint64_t kOther = std::uint64_t{1} << 40U;
  PlainSubnet plain(fabric);
  for (heddle_node& node : plain.nodes) node.guid += kOther;
  for (heddle_switch& sw : plain.switches) sw.guid += kOther;
  for (heddle_end_port& end : plain.end_ports) end.node_guid += kOther;
  for (heddle_cable& cable : plain.cables) {
    for (std::uint64_t& end : cable.node_guid) end += kOther;
  }
  return fabric_of(plain.subnet());
}

class PlacesThreadTest : public testing::Test {
 protected:
  std::unique_ptr<PlacesThread> started() {
    return std::make_unique<PlacesThread>(path, lines.log(), std::chrono::milliseconds(20));
  }
  /// An engine that recalls what the thread has read, and its first run, told to the thread.
  std::vector<std::vector<std::uint8_t>> routed(Engine& engine, PlacesThread& places,
                                                const Fabric& fabric, std::uint16_t top_lid = 0) {
    if (auto recalled = places.take_recalled()) engine.recall(std::move(recalled));
    PlainSubnet plain(fabric, 1, top_lid);
    const auto report = engine.route(plain.subnet());
    EXPECT_TRUE(report) << report.error().message();
    if (report) places.keep(engine.last_run(), report->not_recalled);
    return plain.next();
  }
  std::string held() const { return files.read("places"); }
  bool exists() const { return fs::exists(path); }

  support::TemporaryFiles files;
  const std::string path = files.path("places");
  Lines lines;
  const Fabric tree = support::assign_lids(support::ft2_k4());
};

/// Tables of a damaged fabric after a restart, with what was there before or without.
TEST_F(PlacesThreadTest, ARestartWhileALeafIsAwayMovesNothing) {
  Engine first({});
  const auto whole = routed(first, *started(), tree);
  ASSERT_TRUE(exists()) << "what was told is written before the end";
  const Fabric damaged = support::without_node(tree, "leaf-0000");
  const std::uint16_t top = support::graph_of(tree).top_lid().value();
  const auto before = routed(first, *started(), damaged, top);
  EXPECT_NE(before, whole);
  Engine forgetful({});
  PlainSubnet plain(damaged, 1, top);
  ASSERT_TRUE(forgetful.route(plain.subnet()));
  EXPECT_NE(plain.next(), before) << "else this would pass without the file";
  const std::string text = held();
  {
    const auto places = started();
    Engine second({});
    EXPECT_EQ(routed(second, *places, damaged, top), before);
    EXPECT_EQ(routed(second, *places, tree), whole);
  }
  EXPECT_EQ(held(), text);
  EXPECT_THAT(lines.text(), testing::Not(HasSubstr("error")));
  EXPECT_THAT(lines.text(), HasSubstr("places: 14 nodes remembered in " + path));
}

TEST_F(PlacesThreadTest, TheSameFabricIsNotWrittenAgain) {
  {
    const auto places = started();
    Engine engine({});
    routed(engine, *places, tree);
  }
  files.write("places.copy", held());
  fs::remove(path);
  fs::copy_file(files.path("places.copy"), path);
  const auto written = fs::last_write_time(path) - std::chrono::hours(1);
  fs::last_write_time(path, written);
  {
    const auto places = started();
    Engine engine({});
    routed(engine, *places, tree);
    routed(engine, *places, tree);
  }
  EXPECT_EQ(fs::last_write_time(path), written);
}

TEST_F(PlacesThreadTest, WhatIsOfNoUseIsSetAsideWithOneLineAndPlacesBeginAnew) {
  files.write("places", "nonsense\n");
  {
    const auto places = started();
    EXPECT_EQ(places->take_recalled(), nullptr);
    EXPECT_FALSE(exists());
    Engine engine({});
    routed(engine, *places, tree);
  }
  EXPECT_EQ(files.read("places.bad"), "nonsense\n");
  EXPECT_NE(held(), "");
  EXPECT_EQ(count(lines.text(), "error: ERR HD08: places: " + path + ":1: "), 1U) << lines.text();
  EXPECT_EQ(count(lines.text(), "\n"), 1U);
  EXPECT_THAT(lines.text(), HasSubstr("; it is kept as " + path + ".bad, and places begin anew"));
}

TEST_F(PlacesThreadTest, WhatCannotBeSetAsideIsNotWrittenOver) {
  files.write("places", "nonsense\n");
  fs::create_directories(files.path("places.bad/full"));
  {
    const auto places = started();
    Engine engine({});
    routed(engine, *places, tree);
  }
  EXPECT_EQ(held(), "nonsense\n");
  EXPECT_EQ(count(lines.text(), "error: "), 1U) << lines.text();
  EXPECT_THAT(lines.text(), HasSubstr("it cannot be set aside"));
}

TEST_F(PlacesThreadTest, AFileOfAnotherFabricIsSetAsideAndNotUsed) {
  const std::string moved =
      discovery::format_topology(with_other_guids(support::assign_lids(support::df_a4h2p2())));
  Engine fresh({});
  PlainSubnet plain(tree);
  ASSERT_TRUE(fresh.route(plain.subnet()));
  files.write("places", moved);
  {
    const auto places = started();
    Engine engine({});
    // A subnet without a switch says nothing of which fabric it is.
    routed(engine, *places, Fabric{});
    EXPECT_EQ(lines.text().find("error"), std::string::npos);
    EXPECT_EQ(held(), moved);
    EXPECT_EQ(routed(engine, *places, tree), plain.next());
    routed(engine, *places, tree);
  }
  EXPECT_EQ(files.read("places.bad"), moved);
  EXPECT_NE(held(), moved);
  EXPECT_EQ(count(lines.text(), "error: "), 1U) << lines.text();
  EXPECT_THAT(lines.text(), HasSubstr(path +
                                      ": of another fabric, as 0 of its 36 switches are "
                                      "here; it is kept as " +
                                      path + ".bad"));
}

TEST_F(PlacesThreadTest, HalfOfTheSwitchesAreEnough) {
  files.write("places", discovery::format_topology(tree));
  const auto without = [&](std::initializer_list<const char*> names) {
    Fabric rest = tree;
    for (const char* const name : names) rest = support::without_node(rest, name);
    return rest;
  };
  const auto refusal = [&](const Fabric& rest) {
    Engine engine({});
    engine.recall(started()->take_recalled());
    PlainSubnet plain(rest);
    const auto report = engine.route(plain.subnet());
    EXPECT_TRUE(report);
    return report ? report->not_recalled : "no report";
  };
  EXPECT_EQ(refusal(without({"leaf-0000", "leaf-0001", "leaf-0002"})), "");
  EXPECT_EQ(refusal(without({"leaf-0000", "leaf-0001", "leaf-0002", "leaf-0003"})),
            "of another fabric, as 2 of its 6 switches are here");
}

TEST_F(PlacesThreadTest, ARunWithoutTablesDecidesNothing) {
  files.write("places", discovery::format_topology(with_other_guids(support::ft3_k4())));
  Engine engine({});
  engine.recall(started()->take_recalled());
  PlainSubnet bad(tree);
  bad.end_ports.back().lid = bad.end_ports.front().lid;
  EXPECT_FALSE(engine.route(bad.subnet()));
  PlainSubnet good(tree);
  const auto report = engine.route(good.subnet());
  ASSERT_TRUE(report);
  EXPECT_THAT(report->not_recalled, HasSubstr("of another fabric"));
  const auto again = engine.route(good.subnet());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->not_recalled, "");
}

TEST_F(PlacesThreadTest, AFailureIsSaidOnceUntilItWorksAgain) {
  const std::string inside = files.path("folder/places");
  PlacesThread places(inside, lines.log(), std::chrono::milliseconds(20));
  Engine engine({});
  const auto fails = [&] { return count(lines.text(), "folder/places: cannot be written: "); };
  routed(engine, places, tree);
  EXPECT_TRUE(soon([&] { return fails() == 1; })) << lines.text();
  routed(engine, places, support::assign_lids(support::ft3_k4()));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(fails(), 1U) << lines.text();
  // No run is needed for it to be tried again.
  fs::create_directory(files.path("folder"));
  EXPECT_TRUE(soon([&] { return count(lines.text(), "is written again") == 1; })) << lines.text();
  EXPECT_TRUE(fs::exists(inside));
  fs::remove_all(files.path("folder"));
  routed(engine, places, tree);
  EXPECT_TRUE(soon([&] { return fails() == 2; })) << lines.text();
}

}  // namespace
}  // namespace heddle::plugin
