#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "cli/run_command.hpp"
#include "support/temporary_files.hpp"

/// Topology files that contradict themselves, and every command that reads one.
namespace heddle::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

//  host one ─ 3 leaf a 1 ─── 1 leaf b 3 ─ host three
//  host two ─ 4        2 ─── 2
const std::vector<std::string> kSound{
    "switchguid=0xa(a)",                                                        // 1
    R"(Switch 6 "S-000000000000000a" # "leaf a" enhanced port 0 lid 1 lmc 0)",  // 2
    R"([1] "S-000000000000000b"[1] # "leaf b" lid 2 4xHDR)",                    // 3
    R"([2] "S-000000000000000b"[2] # "leaf b" lid 2 4xHDR)",                    // 4
    R"([3] "H-0000000000000010"[1](11) # "host one" lid 4 4xHDR)",              // 5
    R"([4] "H-0000000000000020"[1](21) # "host two" lid 8 4xHDR)",              // 6
    "switchguid=0xb(b)",                                                        // 7
    R"(Switch 6 "S-000000000000000b" # "leaf b" enhanced port 0 lid 2 lmc 0)",  // 8
    R"([1] "S-000000000000000a"[1] # "leaf a" lid 1 4xHDR)",                    // 9
    R"([2] "S-000000000000000a"[2] # "leaf a" lid 1 4xHDR)",                    // 10
    R"([3] "H-0000000000000030"[1](31) # "host three" lid 12 4xHDR)",           // 11
    "caguid=0x10",                                                              // 12
    R"(Ca 1 "H-0000000000000010" # "host one")",                                // 13
    R"([1](11) "S-000000000000000a"[3] # lid 4 lmc 2 "leaf a" lid 1 4xHDR)",    // 14
    "caguid=0x20",                                                              // 15
    R"(Ca 1 "H-0000000000000020" # "host two")",                                // 16
    R"([1](21) "S-000000000000000a"[4] # lid 8 lmc 2 "leaf a" lid 1 4xHDR)",    // 17
    "caguid=0x30",                                                              // 18
    R"(Ca 1 "H-0000000000000030" # "host three")",                              // 19
    R"([1](31) "S-000000000000000b"[3] # lid 12 lmc 2 "leaf b" lid 2 4xHDR)",   // 20
};

using Edits = std::map<std::size_t, std::string>;

struct BadFabric {
  std::string name;
  Edits edits;  ///< lines of kSound, from 1, and what stands there instead; beyond it, added
  std::size_t line;
  std::string reason;
};

std::string text_of(const Edits& edits) {
  std::string text;
  for (std::size_t line = 1; line <= kSound.size() || edits.contains(line); ++line) {
    const auto edit = edits.find(line);
    text += (edit == edits.end() ? kSound[line - 1] : edit->second) + "\n";
  }
  return text;
}

/// The whole text gone but for these lines.
Edits instead(const std::vector<std::string>& lines) {
  Edits edits;
  for (std::size_t line = 1; line <= kSound.size(); ++line) {
    edits[line] = line <= lines.size() ? lines[line - 1] : "";
  }
  return edits;
}

const std::vector<BadFabric> kBad{
    {"one_way_between_switches", {{10, ""}}, 4, "one_way_cable: "},
    {"one_way_to_a_host", {{14, ""}}, 5, "one_way_cable: "},
    {"one_way_to_a_port_listed_without_cable", {{10, "[2]"}}, 4, "one_way_cable: "},
    {"port_linked_to_two_peers",
     {{4, R"([1] "S-000000000000000b"[2] # "leaf b" lid 2 4xHDR)"}},
     4,
     "port_cabled_twice: "},
    {"port_linked_twice_alike", {{4, kSound[2]}}, 4, "port_cabled_twice: "},
    {"port_linked_by_two_peers",
     {{10, R"([2] "S-000000000000000a"[1] # "leaf a" lid 1 4xHDR)"}},
     10,
     "port_cabled_twice: "},
    {"port_linked_to_itself",
     {{4, R"([2] "S-000000000000000a"[2] # "leaf a" lid 1 4xHDR)"}},
     4,
     "port_cabled_twice: "},
    {"zero_guid_of_a_switch", {{1, "switchguid=0x0(a)"}}, 2, "zero_guid: "},
    {"zero_guid_of_a_host", {{12, "caguid=0x0"}}, 13, "zero_guid: "},
    {"zero_guid_of_a_switch_port", {{1, "switchguid=0xa(0)"}}, 2, "zero_guid: "},
    {"zero_guid_of_a_host_port",
     {{5, R"([3] "H-0000000000000010"[1](0) # "host one" lid 4 4xHDR)"},
      {14, R"([1](0) "S-000000000000000a"[3] # lid 4 lmc 2 "leaf a" lid 1 4xHDR)"}},
     14,
     "zero_guid: "},
    {"zero_guid_of_a_peer",
     {{6, R"([4] "H-0000000000000000"[1](21) # "host two" lid 8 4xHDR)"}},
     6,
     "zero_guid: "},
    {"zero_guid_in_a_port_list",
     instead({"SW 1 1 0x0 4x HDR - CA 4 1 0x11 ( 'leaf' - 'host' )",
              "CA 4 1 0x11 4x HDR - SW 1 1 0x0 ( 'host' - 'leaf' )"}),
     1, "zero_guid: "},
    {"duplicate_guid_of_hosts",
     {{15, "caguid=0x10"}, {16, R"(Ca 1 "H-0000000000000010" # "host two")"}},
     16,
     "duplicate_node_guid: "},
    {"duplicate_guid_of_a_host_and_a_switch",
     {{12, "caguid=0xa"}, {13, R"(Ca 1 "H-000000000000000a" # "host one")"}},
     13,
     "duplicate_node_guid: "},
    {"duplicate_guid_of_ports",
     {{6, R"([4] "H-0000000000000020"[1](11) # "host two" lid 8 4xHDR)"},
      {17, R"([1](11) "S-000000000000000a"[4] # lid 8 lmc 2 "leaf a" lid 1 4xHDR)"}},
     17,
     "duplicate_port_guid: "},
    {"duplicate_id",
     {{2, R"(Switch 6 "leaf" # "leaf a" enhanced port 0 lid 1 lmc 0)"},
      {8, R"(Switch 6 "leaf" # "leaf b" enhanced port 0 lid 2 lmc 0)"}},
     8,
     "duplicate_node_guid: "},
    {"duplicate_lid_of_switches",
     {{8, R"(Switch 6 "S-000000000000000b" # "leaf b" enhanced port 0 lid 1 lmc 0)"},
      {3, R"([1] "S-000000000000000b"[1] # "leaf b" lid 1 4xHDR)"},
      {4, R"([2] "S-000000000000000b"[2] # "leaf b" lid 1 4xHDR)"},
      {20, R"([1](31) "S-000000000000000b"[3] # lid 12 lmc 2 "leaf b" lid 1 4xHDR)"}},
     8,
     "duplicate_lid: LID 1 belongs to "},
    {"duplicate_lid_range",
     {{6, R"([4] "H-0000000000000020"[1](21) # "host two" lid 4 4xHDR)"},
      {17, R"([1](21) "S-000000000000000a"[4] # lid 4 lmc 2 "leaf a" lid 1 4xHDR)"}},
     17,
     "duplicate_lid: LIDs 4 to 7 belong to "},
    {"overlapping_lid_ranges",
     {{6, R"([4] "H-0000000000000020"[1](21) # "host two" lid 6 4xHDR)"},
      {17, R"([1](21) "S-000000000000000a"[4] # lid 6 lmc 1 "leaf a" lid 1 4xHDR)"}},
     17,
     "duplicate_lid: LIDs 6 to 7 belong to "},
    {"lid_of_a_switch_inside_a_range",
     {{8, R"(Switch 6 "S-000000000000000b" # "leaf b" enhanced port 0 lid 5 lmc 0)"},
      {3, R"([1] "S-000000000000000b"[1] # "leaf b" lid 5 4xHDR)"},
      {4, R"([2] "S-000000000000000b"[2] # "leaf b" lid 5 4xHDR)"},
      {20, R"([1](31) "S-000000000000000b"[3] # lid 12 lmc 2 "leaf b" lid 5 4xHDR)"}},
     14,
     "duplicate_lid: LID 5 belongs to "},
    {"lid_range_not_aligned",
     {{6, R"([4] "H-0000000000000020"[1](21) # "host two" lid 9 4xHDR)"},
      {17, R"([1](21) "S-000000000000000a"[4] # lid 9 lmc 1 "leaf a" lid 1 4xHDR)"}},
     17,
     "bad_lid_range: LID 9 with LMC 1 is no multiple of 2"},
    {"lid_range_beyond_unicast",
     {{6, R"([4] "H-0000000000000020"[1](21) # "host two" lid 49148 4xHDR)"},
      {17, R"([1](21) "S-000000000000000a"[4] # lid 49148 lmc 3 "leaf a" lid 1 4xHDR)"}},
     17,
     "bad_lid_range: LID 49148 with LMC 3 is not within 1..49151"},
    {"lid_beyond_unicast",
     {{17, R"([1](21) "S-000000000000000a"[4] # lid 49152 lmc 0 "leaf a" lid 1 4xHDR)"}},
     17,
     "expected a LID, 1 to 49151, "},
    {"lid_of_a_peer_beyond_unicast",
     {{6, R"([4] "H-0000000000000020"[1](21) # "host two" lid 50000 4xHDR)"}},
     6,
     "expected the peer's LID, 1 to 49151, "},
    {"lid_of_a_switch_beyond_unicast",
     {{2, R"(Switch 6 "S-000000000000000a" # "leaf a" enhanced port 0 lid 70000 lmc 0)"}},
     2,
     "expected a LID, 1 to 49151, "},
    {"lid_beyond_unicast_in_a_port_list",
     instead({"SW 49152 1 0xa 4x HDR - CA 4 1 0x11 ( 'leaf' - 'host' )"}), 1,
     "expected a port: type, LID"},
    {"lmc_of_four_bits",
     {{17, R"([1](21) "S-000000000000000a"[4] # lid 16 lmc 8 "leaf a" lid 1 4xHDR)"}},
     17,
     "expected an LMC of 0 to 7"},
    {"cabled_port_that_the_switch_has_not",
     {{6, R"([7] "H-0000000000000020"[1](21) # "host two" lid 8 4xHDR)"},
      {17, R"([1](21) "S-000000000000000a"[7] # lid 8 lmc 2 "leaf a" lid 1 4xHDR)"}},
     6,
     "port_out_of_range: "},
    {"listed_port_that_the_host_has_not", {{21, "[2](32)"}}, 21, "port_out_of_range: "},
    {"cable_to_a_port_that_the_switch_has_not",
     {{6, ""}, {17, R"([1](21) "S-000000000000000a"[7] # lid 8 lmc 2 "leaf a" lid 1 4xHDR)"}},
     17,
     "port_out_of_range: "},
    {"switch_of_300_ports",
     {{2, R"(Switch 300 "S-000000000000000a" # "leaf a" enhanced port 0 lid 1 lmc 0)"}},
     2,
     "expected a number of ports, 1 to 254, "},
    {"switch_without_ports",
     {{2, R"(Switch 0 "S-000000000000000a" # "leaf a")"}},
     2,
     "expected a number of ports, 1 to 254, "},
    {"port_300",
     {{6, R"([300] "H-0000000000000020"[1](21) # "host two" lid 8 4xHDR)"}},
     6,
     "expected a port number in brackets, 1 to 254, "},
    {"port_300_of_a_peer",
     {{17, R"([1](21) "S-000000000000000a"[300] # lid 8 lmc 2 "leaf a" lid 1 4xHDR)"}},
     17,
     "expected a port number in brackets, 1 to 254, "},
    {"ends_of_different_lids",
     {{6, R"([4] "H-0000000000000020"[1](21) # "host two" lid 16 4xHDR)"}},
     6,
     "ends_disagree: "},
    {"ends_of_different_rates",
     {{6, R"([4] "H-0000000000000020"[1](21) # "host two" lid 8 4xEDR)"}},
     6,
     "ends_disagree: "},
};

/// A command line; FABRIC and so on stand for files of the test.
struct Reader {
  std::string name;
  std::vector<std::string> words;
  bool reports = false;  ///< prints what it understood, and the errors beside it
};

const std::vector<std::string> kOutputs{"lfts-out",  "sl-out",    "sl2vl-out",
                                        "ports-out", "first-out", "slots-out"};

const std::vector<Reader> kReaders{
    {"topology", {"topology", "BAD"}, true},
    {"topology_json", {"topology", "BAD", "--json"}, true},
    {"route",
     {"route", "BAD", "--lfts-out", "lfts-out", "--sl-out", "sl-out", "--sl2vl-out", "sl2vl-out",
      "--ports-out", "ports-out", "--slots", "slots-out"}},
    {"route_json", {"route", "BAD", "--json", "--lfts-out", "lfts-out"}},
    {"route_previous",
     {"route", "BAD", "--previous", "LFTS", "--clear-first-out", "first-out", "--lfts-out",
      "lfts-out"}},
    {"route_slots", {"route", "SOUND", "--slots", "BAD", "--lfts-out", "lfts-out"}},
    {"check", {"check", "BAD", "LFTS"}},
    {"check_json", {"check", "BAD", "LFTS", "--json"}},
    {"whatif", {"whatif", "BAD", "--traffic", "ring"}},
    {"whatif_json", {"whatif", "BAD", "--json"}},
    {"whatif_tables", {"whatif", "BAD", "--lfts", "LFTS"}},
    {"whatif_slots", {"whatif", "SOUND", "--slots", "BAD"}},
};

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

class BadFabricTest : public testing::Test, protected support::TemporaryFiles {
 protected:
  BadFabricTest() { write("SOUND", text_of({})); }
  /// Words that are no options and not the verb are files of the test where there may be such.
  [[nodiscard]] Outcome run(const Reader& reader) const {
    std::vector<std::string> words;
    for (const std::string& word : reader.words) {
      const bool file = word == "BAD" || word == "SOUND" || word == "LFTS" ||
                        std::ranges::find(kOutputs, word) != kOutputs.end();
      words.push_back(file ? path(word) : word);
    }
    std::ostringstream out;
    std::ostringstream err;
    Console console{out, err, Colour::kOff};
    const ExitCode code = run_command(words, console);
    return {code, out.str(), err.str()};
  }
  void make_tables() const {
    const Outcome routed = run({"", {"route", "SOUND", "--lfts-out", "lfts-out"}});
    ASSERT_EQ(routed.code, ExitCode::kGood) << routed.err;
    std::filesystem::rename(path("lfts-out"), path("LFTS"));
  }

 private:
};

TEST_F(BadFabricTest, TheFabricThatTheBadOnesAreMadeOfIsReadByEveryCommand) {
  make_tables();
  write("BAD", text_of({}));
  for (const Reader& reader : kReaders) {
    const Outcome outcome = run(reader);
    EXPECT_EQ(outcome.code, ExitCode::kGood) << reader.name << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << reader.name;
  }
  for (const std::string& output : kOutputs) {
    EXPECT_TRUE(std::filesystem::exists(path(output))) << output;
  }
}

TEST_F(BadFabricTest, TheReportComesFirstAndEveryContradictionIsAnErrorBesideIt) {
  write("BAD", text_of({{1, "switchguid=0x0(a)"},
                        {8, R"(Switch 6 "S-000000000000000b" # "leaf b" base port 0 lid 2 lmc 2)"},
                        {21, "[2](32)"}}));
  const Outcome outcome = run({"", {"topology", "BAD"}});
  EXPECT_EQ(outcome.code, ExitCode::kBad);
  EXPECT_THAT(outcome.out, HasSubstr("Contradictions: 4\n"));
  EXPECT_THAT(outcome.err, StartsWith(path("BAD") + ":14: duplicate_lid: LIDs 4 to 5 "));
  EXPECT_THAT(outcome.err, HasSubstr("\n" + path("BAD") + ":21: port_out_of_range: "));
  EXPECT_THAT(outcome.err, HasSubstr("\n" + path("BAD") + ":2: zero_guid: "));
  EXPECT_THAT(outcome.err, HasSubstr("\n" + path("BAD") + ":8: bad_lid_range: "));
  EXPECT_THAT(run({"", {"route", "BAD"}}).err,
              testing::EndsWith("; and 3 more, which heddle topology lists\n"));
}

class EveryReader : public BadFabricTest,
                    public testing::WithParamInterface<std::tuple<BadFabric, Reader>> {};

TEST_P(EveryReader, RefusesWithTheLineAndWritesNothing) {
  const auto& [bad, reader] = GetParam();
  make_tables();
  write("BAD", text_of(bad.edits));
  const Outcome outcome = run(reader);
  EXPECT_EQ(outcome.code, ExitCode::kBad);
  const std::string error = path("BAD") + ":" + std::to_string(bad.line) + ": " + bad.reason;
  if (reader.reports) {
    EXPECT_THAT(outcome.err, HasSubstr(error));
  } else {
    EXPECT_THAT(outcome.err, StartsWith(error));
    EXPECT_EQ(outcome.out, "");
  }
  for (const std::string& output : kOutputs) {
    EXPECT_FALSE(std::filesystem::exists(path(output))) << output;
  }
  EXPECT_EQ(read("BAD"), text_of(bad.edits)) << "remembered places are no output then either";
}

INSTANTIATE_TEST_SUITE_P(BadFabric, EveryReader,
                         testing::Combine(testing::ValuesIn(kBad), testing::ValuesIn(kReaders)),
                         [](const auto& instance) {
                           return std::get<1>(instance.param).name + "_of_" +
                                  std::get<0>(instance.param).name;
                         });

}  // namespace
}  // namespace heddle::cli
