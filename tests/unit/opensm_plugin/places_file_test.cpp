#include "plugins/opensm/places_file.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include "discovery/topology_text.hpp"
#include "plain_subnet.hpp"
#include "plugins/opensm/subnet_fabric.hpp"
#include "support/temporary_files.hpp"
#include "support/topologies.hpp"

namespace heddle::plugin {
namespace {

namespace fs = std::filesystem;
using model::Fabric;
using testing::HasSubstr;
using testing::StartsWith;

/// As the plugin has it.
Fabric seen(const Fabric& fabric) {
  PlainSubnet plain(fabric);
  return fabric_of(plain.subnet());
}

class PlacesFileTest : public testing::Test {
 protected:
  std::string refusal() const {
    const auto read = file.read();
    EXPECT_FALSE(read);
    return read ? std::string() : read.error().message();
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(files.path("")), fs::directory_iterator());
  }

  support::TemporaryFiles files;
  const PlacesFile file{files.path("places")};
};

TEST_F(PlacesFileTest, WithoutAFileThereIsNothing) {
  const auto read = file.read();
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, std::nullopt);
  const auto nowhere = PlacesFile(files.path("no/folder/places")).read();
  ASSERT_TRUE(nowhere);
  EXPECT_EQ(*nowhere, std::nullopt);
}

TEST_F(PlacesFileTest, WhatIsWrittenIsRead) {
  for (const Fabric& made :
       {support::ft3_k4(), support::df_a4h2p2(), support::hybrid_two_homed()}) {
    const Fabric fabric = seen(support::assign_lids(made, 1));
    ASSERT_TRUE(file.write(fabric));
    const auto read = file.read();
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_TRUE(*read);
    EXPECT_EQ(discovery::format_topology(**read), discovery::format_topology(fabric));
    EXPECT_EQ(files.read("places"), discovery::format_topology(fabric));
  }
  EXPECT_EQ(entries(), 1) << "nothing is left beside it";
}

TEST_F(PlacesFileTest, NamesThatAnybodyMayGiveDoNotSpoilIt) {
  PlainSubnet plain(support::assign_lids(support::ft2_k4()));
  const std::string names[] = {"a \"quoted\" name", "two\nlines # lid 7", "\xFF\x01 \\", "", "\""};
  for (std::size_t i = 0; i < plain.nodes.size(); ++i) {
    plain.nodes[i].description = names[i % std::size(names)].c_str();
  }
  const Fabric fabric = fabric_of(plain.subnet());
  ASSERT_TRUE(file.write(fabric));
  const auto read = file.read();
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(discovery::format_topology(**read), discovery::format_topology(fabric));
  EXPECT_EQ((*read)->links().size(), fabric.links().size());
}

TEST_F(PlacesFileTest, ItIsReadableForEverybodyWhateverTheMask) {
  const mode_t before = ::umask(077);
  EXPECT_TRUE(file.write(seen(support::ft2_k4())));
  ::umask(before);
  struct stat found {};
  ASSERT_EQ(::stat(file.path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0644U);
}

TEST_F(PlacesFileTest, WhatIsNotUnderstoodIsRefusedWithItsLine) {
  files.write("places", "vendid=0x1\nSwitch many\n");
  EXPECT_THAT(refusal(), StartsWith(file.path() + ":2: "));
  files.write("places", "");
  EXPECT_EQ(refusal(), file.path() + ":1: there is no node in it");
  const std::string text =
      discovery::format_topology(seen(support::assign_lids(support::ft2_k4())));
  files.write("places", text.substr(0, text.size() / 2));
  EXPECT_THAT(refusal(), HasSubstr(file.path() + ":"));
}

TEST_F(PlacesFileTest, WhatContradictsItselfIsRefused) {
  std::string text = discovery::format_topology(seen(support::assign_lids(support::ft2_k4())));
  const std::size_t lid = text.find("lid 2 ");
  ASSERT_NE(lid, std::string::npos);
  text.replace(lid, 6, "lid 1 ");
  files.write("places", text);
  EXPECT_THAT(refusal(), HasSubstr("LID"));
}

TEST_F(PlacesFileTest, WhatCannotBeOpenedIsRefusedAndSetAside) {
  fs::create_symlink(file.path(), file.path());  // whoever follows it never arrives
  EXPECT_THAT(refusal(), HasSubstr("symbolic links"));
  ASSERT_TRUE(file.set_aside());
  EXPECT_TRUE(fs::is_symlink(file.aside()));
  EXPECT_TRUE(file.write(seen(support::ft2_k4())));
  EXPECT_TRUE(fs::is_regular_file(file.path()));
}

TEST_F(PlacesFileTest, AFolderIsRefusedAndLeftWhereItIs) {
  fs::create_directory(file.path());
  EXPECT_THAT(refusal(), HasSubstr("is no plain file"));
  EXPECT_FALSE(file.set_aside());
  EXPECT_TRUE(fs::is_directory(file.path()));
}

TEST_F(PlacesFileTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file.path().c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is no plain file"));
}

TEST_F(PlacesFileTest, ALinkStaysAndWhatItPointsAtIsReplaced) {
  files.write("elsewhere", "old");
  fs::create_symlink("elsewhere", file.path());
  ASSERT_TRUE(file.write(seen(support::ft2_k4())));
  EXPECT_TRUE(fs::is_symlink(file.path()));
  EXPECT_NE(files.read("elsewhere"), "old");
  EXPECT_EQ(entries(), 2);
}

TEST_F(PlacesFileTest, WithoutItsFolderItIsNotWritten) {
  const PlacesFile nowhere(files.path("no/places"));
  const model::Status written = nowhere.write(seen(support::ft2_k4()));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text,
              HasSubstr("no/places: cannot be written: No such file or directory"));
}

/// As on a full disk: what does not fit is refused in the middle.
TEST_F(PlacesFileTest, WithoutRoomTheOldOneStaysWhole) {
  files.write("places", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const model::Status written = file.write(seen(support::ft2_k4()));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("cannot be written: File too large"));
  EXPECT_EQ(files.read("places"), "old");
  EXPECT_EQ(entries(), 1) << "nothing half-written is left";
}

}  // namespace
}  // namespace heddle::plugin
