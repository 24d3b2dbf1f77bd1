#include "plugins/opensm/repair_journal.hpp"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace heddle::plugin {
namespace {

using testing::HasSubstr;

TEST(RepairJournalTest, LinesHaveTimesAndBlocksTheirOctets) {
  const std::string path = testing::TempDir() + "repair_journal_test";
  std::filesystem::remove(path);
  {
    auto journal = RepairJournal::open(path);
    ASSERT_TRUE(journal);
    EXPECT_TRUE(journal->writes());
    const RepairJournal::Time time{std::chrono::microseconds(12'000'345)};
    journal->line("trap 7", time);
    std::array<std::uint8_t, 64> entries{};
    entries[0] = 0xFF;
    entries[63] = 10;
    journal->block("set 1", model::NodeGuid{std::uint64_t{0xABC}}, 3, entries, time);
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), "12.000345 trap 7\n12.000345 set 1 0x0000000000000abc 3 ff" +
                            std::string(124, '0') + "0a\n");
  std::filesystem::remove(path);
}

TEST(RepairJournalTest, AFileThatCannotBeWrittenIsNamed) {
  const auto journal = RepairJournal::open("/nowhere/journal");
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().text, HasSubstr("repair_log=/nowhere/journal: No such file"));
}

TEST(RepairJournalTest, OneWithoutAFileTakesEverything) {
  RepairJournal journal;
  EXPECT_FALSE(journal.writes());
  journal.line("trap 7");
  journal.block("set 0", model::NodeGuid{std::uint64_t{1}}, 0, std::array<std::uint8_t, 64>{});
  journal.flush();
}

}  // namespace
}  // namespace heddle::plugin
