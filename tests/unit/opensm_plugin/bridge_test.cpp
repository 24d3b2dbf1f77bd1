#include "plugins/opensm/bridge.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plain_subnet.hpp"
#include "support/plain_graphs.hpp"
#include "support/temporary_files.hpp"
#include "support/topologies.hpp"

/// The C functions: nothing is thrown, and whatever OpenSM might hand over has an answer.
namespace heddle::plugin {
namespace {

using testing::HasSubstr;

using Owned = std::unique_ptr<heddle_engine, decltype(&heddle_engine_destroy)>;

Owned created(const char* options) {
  char error[64] = "untouched";
  Owned engine(heddle_engine_create(options, error, sizeof error), heddle_engine_destroy);
  EXPECT_NE(engine, nullptr) << error;
  EXPECT_STREQ(error, "untouched");
  return engine;
}

TEST(BridgeTest, NoOptionsAreTheDefaults) {
  created(nullptr);
  created("");
  created("engine=auto threads=1");
}

TEST(BridgeTest, AWrongOptionIsNamedWithinTheRoomThatThereIs) {
  char error[16];
  std::memset(error, 'x', sizeof error);
  EXPECT_EQ(heddle_engine_create("max_lanes=99", error, 13), nullptr);
  EXPECT_STREQ(error, "max_lanes=99");
  EXPECT_EQ(error[13], 'x') << "beyond the room";
  char one = 'x';
  EXPECT_EQ(heddle_engine_create("oops", &one, 1), nullptr);
  EXPECT_EQ(one, '\0');
  EXPECT_EQ(heddle_engine_create("oops", &one, 0), nullptr);
  EXPECT_EQ(heddle_engine_create("oops", nullptr, 512), nullptr);
}

TEST(BridgeTest, NullsAreAnsweredWithNothing) {
  heddle_engine_destroy(nullptr);
  PlainSubnet plain(support::assign_lids(support::ft2_k4()));
  const heddle_subnet subnet = plain.subnet();
  heddle_outcome outcome = {"old", "old", "old"};
  EXPECT_EQ(heddle_engine_route(nullptr, &subnet, &outcome), 0);
  EXPECT_STREQ(outcome.result, "");
  EXPECT_STREQ(outcome.alarm, "");
  EXPECT_STREQ(outcome.substitute, "");
  const Owned engine = created("");
  EXPECT_EQ(heddle_engine_route(engine.get(), nullptr, &outcome), 0);
  EXPECT_EQ(heddle_engine_route(engine.get(), &subnet, nullptr), 0);
  EXPECT_TRUE(plain.untouched());
  EXPECT_EQ(heddle_engine_path_sl(nullptr, 5, 1, 2), 5);
  std::uint8_t vl_by_sl[16] = {};
  EXPECT_EQ(heddle_engine_sl2vl(nullptr, 1, 1, 2, vl_by_sl), 0);
  EXPECT_EQ(heddle_engine_sl2vl(engine.get(), 1, 1, 2, nullptr), 0);
}

void ignore(void* /*context*/, int /*is_error*/, const char* /*text*/) {}

TEST(BridgeTest, PlacesAreKeptInTheFolderOrWhereTheOptionsSay) {
  const support::TemporaryFiles files;
  const std::string own = files.path("own");
  const auto route_once = [&](const std::string& options) {
    const Owned engine = created(options.c_str());
    char error[64] = "";
    EXPECT_EQ(heddle_places_start(engine.get(), files.path("").c_str(), ignore, nullptr, error, 64),
              1)
        << error;
    PlainSubnet plain(support::assign_lids(support::ft2_k4()));
    const heddle_subnet subnet = plain.subnet();
    heddle_outcome outcome;
    EXPECT_EQ(heddle_engine_route(engine.get(), &subnet, &outcome), 1);
  };
  route_once("places=none");
  EXPECT_EQ(files.read("heddle-places"), "");
  route_once("places=" + own);
  EXPECT_NE(files.read("own"), "");
  EXPECT_EQ(files.read("heddle-places"), "");
  route_once("");
  EXPECT_EQ(files.read("heddle-places"), files.read("own"));
  EXPECT_EQ(heddle_places_start(nullptr, "/", ignore, nullptr, nullptr, 0), 0);
  const Owned engine = created("");
  EXPECT_EQ(heddle_places_start(engine.get(), nullptr, ignore, nullptr, nullptr, 0), 0);
  EXPECT_EQ(heddle_places_start(engine.get(), "/", nullptr, nullptr, nullptr, 0), 0);
}

TEST(BridgeTest, OptionsComeFromAFileWhoseErrorsHaveTheirLine) {
  const support::TemporaryFiles files;
  const std::string config = "config=" + files.write("h.conf", "# none\ntest_fail=1\n");
  const auto routes = [&](const std::string& options) {
    const Owned engine = created(options.c_str());
    PlainSubnet plain(support::assign_lids(support::ft2_k4()));
    const heddle_subnet subnet = plain.subnet();
    heddle_outcome outcome;
    return heddle_engine_route(engine.get(), &subnet, &outcome);
  };
  EXPECT_EQ(routes(config), 0);
  EXPECT_EQ(routes(config + " test_fail=0"), 1);
  const auto refusal = [](const std::string& options) {
    char error[256] = "";
    EXPECT_EQ(heddle_engine_create(options.c_str(), error, sizeof error), nullptr);
    return std::string(error);
  };
  files.write("h.conf", "threads=1\ntest_fail=2\n");
  EXPECT_EQ(refusal(config), files.path("h.conf") + ":2: test_fail=2: not a number from 0 to 1");
  EXPECT_EQ(refusal("config=" + files.path("none")),
            files.path("none") + ": cannot be opened: No such file or directory");
  EXPECT_THAT(refusal("config=/dev/zero"), HasSubstr("/dev/zero: holds more than 1048576 bytes"));
}

TEST(BridgeTest, BeforeTheFirstTablesLevelsAreAsWished) {
  const Owned engine = created("");
  std::uint8_t vl_by_sl[16] = {};
  for (const std::uint8_t wish : {std::uint8_t{0}, std::uint8_t{5}, std::uint8_t{255}}) {
    EXPECT_EQ(heddle_engine_path_sl(engine.get(), wish, 1, 2), wish);
  }
  EXPECT_EQ(heddle_engine_sl2vl(engine.get(), 1, 1, 2, vl_by_sl), 0);
}

TEST(BridgeTest, ARunSaysWhatItCameTo) {
  const Owned engine = created("");
  PlainSubnet plain(support::assign_lids(support::ft2_k4()));
  const heddle_subnet subnet = plain.subnet();
  heddle_outcome outcome;
  EXPECT_EQ(heddle_engine_route(engine.get(), &subnet, &outcome), 1);
  EXPECT_THAT(outcome.result, HasSubstr("routed with fat-tree: 8 hosts, 6 switches, 1 lane, "));
  EXPECT_STREQ(outcome.alarm, "");
  EXPECT_FALSE(plain.untouched());
  EXPECT_EQ(heddle_engine_path_sl(engine.get(), 5, 1, 2), 5) << "one lane: any level will do";
}

TEST(BridgeTest, ARefusalWithALongNameFitsItsLine) {
  const Owned engine = created("");
  PlainSubnet plain(support::assign_lids(support::ft2_k4()));
  const std::string name(5000, 'n');
  for (heddle_node& node : plain.nodes) node.description = name.c_str();
  plain.end_ports.back().lid = plain.end_ports.front().lid;
  const heddle_subnet subnet = plain.subnet();
  heddle_outcome outcome;
  std::memset(&outcome, 'x', sizeof outcome);
  EXPECT_EQ(heddle_engine_route(engine.get(), &subnet, &outcome), 0);
  EXPECT_EQ(std::strlen(outcome.result), sizeof outcome.result - 1);
  EXPECT_STREQ(outcome.alarm, "");
  EXPECT_TRUE(plain.untouched());
}

/// Both of a fabric with and without a cable have lanes; readers never see half of one.
TEST(BridgeTest, LevelsAndMappingsAreReadOnThreadsWhileTablesAreMadeAnew) {
  const model::Fabric fabric = support::assign_lids(support::df_a4h2p2());
  const model::Fabric cut = support::assign_lids(support::df_one_global_down());
  const Owned engine = created("threads=2");
  PlainSubnet whole(fabric, 8);
  PlainSubnet damaged(cut, 8);
  heddle_outcome outcome;
  heddle_subnet subnet = whole.subnet();
  ASSERT_EQ(heddle_engine_route(engine.get(), &subnet, &outcome), 1);
  const std::uint64_t sw = whole.switches.front().guid;
  const std::uint16_t top = whole.switches.front().top_lid;
  std::atomic<bool> is_done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!is_done) {
        for (std::uint16_t lid = 0; lid <= top + 1; ++lid) {
          if (heddle_engine_path_sl(engine.get(), 9, lid, 1) > 7) ++wrong;
        }
        for (std::uint8_t port = 0; port < 8; ++port) {
          std::uint8_t vl_by_sl[16];
          if (heddle_engine_sl2vl(engine.get(), sw, port, 1, vl_by_sl) != 1)
            ++wrong;
          else if (vl_by_sl[0] > 7)
            ++wrong;
        }
      }
    });
  }
  for (int run = 0; run < 30; ++run) {
    subnet = (run % 2 == 0 ? damaged : whole).subnet();
    EXPECT_EQ(heddle_engine_route(engine.get(), &subnet, &outcome), 1) << outcome.result;
  }
  is_done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace heddle::plugin
