#include "cli/command_line.hpp"

#include <gmock/gmock.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::cli {
namespace {

using testing::HasSubstr;

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

template <class T>
T parsed(const std::string& line) {
  return std::get<T>(std::get<Command>(parse_command_line(split(line))));
}

ParseStop stopped(const std::string& line) {
  return std::get<ParseStop>(parse_command_line(split(line)));
}

TEST(CommandLine, reads_a_fat_tree) {
  const auto command = parsed<GenerateCommand>(
      "generate fat-tree --levels 3 --radix 36 --pods 6 --oversubscription 2 --parallel-links 3 "
      "--rate 4xNDR --out fabric.topo");
  const auto& shape = std::get<simulation::FatTreeShape>(command.shape);
  EXPECT_EQ(shape.levels, 3U);
  EXPECT_EQ(shape.radix, 36U);
  EXPECT_EQ(shape.pods, 6U);
  EXPECT_EQ(shape.oversubscription, 2U);
  EXPECT_EQ(shape.parallel_links, 3U);
  EXPECT_EQ(command.rate, "4xNDR");
  EXPECT_EQ(command.out, "fabric.topo");
}

TEST(CommandLine, reads_the_shape_of_a_pgft) {
  const auto command = parsed<GenerateCommand>("generate fat-tree --shape 4,4:1,2:1,1");
  EXPECT_EQ(std::get<ShapeText>(command.shape).text, "4,4:1,2:1,1");
}

TEST(CommandLine, reads_a_dragonfly) {
  const auto command = parsed<GenerateCommand>(
      "generate dragonfly --routers-per-group 4 --hosts-per-router 3 --global-links 2 --groups 9");
  const auto& shape = std::get<simulation::DragonflyShape>(command.shape);
  EXPECT_EQ(shape.routers_per_group, 4U);
  EXPECT_EQ(shape.hosts_per_router, 3U);
  EXPECT_EQ(shape.global_links, 2U);
  EXPECT_EQ(shape.groups, 9U);
}

TEST(CommandLine, reads_a_dragonfly_plus) {
  const auto command = parsed<GenerateCommand>(
      "generate dragonfly-plus --groups 5 --leaves 4 --spines 3 --hosts-per-leaf 2 "
      "--global-links 1");
  const auto& shape = std::get<simulation::DragonflyPlusShape>(command.shape);
  EXPECT_EQ(shape.groups, 5U);
  EXPECT_EQ(shape.leaves, 4U);
  EXPECT_EQ(shape.spines, 3U);
  EXPECT_EQ(shape.hosts_per_leaf, 2U);
  EXPECT_EQ(shape.global_links, 1U);
}

TEST(CommandLine, reads_a_hybrid) {
  const auto command = parsed<GenerateCommand>(
      "generate hybrid --groups 2 --leaves 4 --spines 3 --super-spines 6 --hosts-per-leaf 5 "
      "--two-homed");
  const auto& shape = std::get<simulation::HybridShape>(command.shape);
  EXPECT_EQ(shape.super_spines, 6U);
  EXPECT_EQ(shape.hosts_per_leaf, 5U);
  EXPECT_TRUE(shape.two_homed);
}

TEST(CommandLine, reads_the_online_commands) {
  EXPECT_EQ(parsed<StatusCommand>("status").server.server, "http://127.0.0.1:9840");
  EXPECT_TRUE(parsed<StatusCommand>("status --json").server.json);
  const auto links = parsed<LinksCommand>("links --server http://h:1 --degraded --rate 4xEDR");
  EXPECT_EQ(links.server.server, "http://h:1");
  EXPECT_TRUE(links.degraded);
  EXPECT_EQ(links.rate, "4xEDR");
  const auto events = parsed<EventsCommand>("events --follow --since 7 --kind link_down");
  EXPECT_TRUE(events.follow);
  EXPECT_EQ(events.since, 7U);
  EXPECT_EQ(events.kind, "link_down");
}

TEST(CommandLine, prints_help_and_version_as_good_answers) {
  EXPECT_EQ(stopped("--version").code, ExitCode::kGood);
  EXPECT_THAT(stopped("--version").out, testing::MatchesRegex("heddle [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_THAT(stopped("topology --help").out, HasSubstr("FABRIC"));
}

/// Of the verb (`generate fat-tree`, empty for the program) and of all below it.
void expect_printable_help(const std::string& verb) {
  const std::string help = stopped(verb + " --help").out;
  EXPECT_NE(help, "") << verb;
  for (const char c : help) {
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c != '\x7f')) << verb << ": " << static_cast<int>(c);
  }
  std::istringstream lines(help);
  std::string line;
  while (std::getline(lines, line) && line != "Subcommands:") {
  }
  while (std::getline(lines, line) && !line.empty()) {
    // The description, where it is long, goes on in a line of its own.
    const std::size_t name = line.find_first_not_of(' ');
    if (name == 2) expect_printable_help(verb + " " + line.substr(2, line.find(' ', 2) - 2));
  }
}

TEST(CommandLine, the_help_of_no_verb_holds_a_control_character) { expect_printable_help(""); }

TEST(CommandLine, the_help_says_its_small_numbers_as_numbers) {
  for (const char* const verb : {"route", "whatif"}) {
    EXPECT_THAT(stopped(std::string(verb) + " --help").out, HasSubstr("--max-lanes UINT=8"))
        << verb;
  }
}

struct Wrong {
  std::string name;
  std::string line;
  std::string error;
};
class WrongCommandLine : public testing::TestWithParam<Wrong> {};

TEST_P(WrongCommandLine, is_bad_usage_with_a_hint) {
  const ParseStop stop = stopped(GetParam().line);
  EXPECT_EQ(stop.code, ExitCode::kBad);
  EXPECT_EQ(stop.out, "");
  EXPECT_THAT(stop.err, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, WrongCommandLine,
    testing::Values(
        Wrong{"nothing", "", "Try 'heddle --help'"}, Wrong{"unknown_verb", "weave", "weave"},
        Wrong{"unknown_option", "topology f --colour", "--colour"},
        Wrong{"hint_names_the_verb", "topology f --colour", "Try 'heddle topology --help'"},
        Wrong{"no_fabric", "topology", "FABRIC"},
        Wrong{"fat_tree_without_size", "generate fat-tree", "--levels and --radix, or --shape"},
        Wrong{"shape_and_size", "generate fat-tree --levels 2 --shape 4:1:1", "excludes"},
        Wrong{"dragonfly_half", "generate dragonfly --groups 2", "is required"},
        Wrong{"zero", "generate fat-tree --levels 0 --radix 4", "--levels"},
        Wrong{"lids_of_tables_and_other_lids", "whatif f --lfts t --lmc 1", "excludes"},
        Wrong{"ratio_without_number", "whatif f --oversubscription", "--oversubscription"},
        Wrong{"no_number", "generate fat-tree --levels two --radix 4", "--levels"}),
    [](const auto& instance) { return instance.param.name; });

TEST(CommandLine, reads_what_to_try_whatever_the_order_of_options_and_fabric) {
  const auto command = parsed<WhatifCommand>(
      "whatif --down 0x1 --down 0x2/3 --oversubscription 4 fabric --oversubscription 2 --traffic "
      "permutation --seed 7 --ranks r --weights w --lfts t --engine up-down --threads 2 --json");
  EXPECT_EQ(command.inputs.fabric, "fabric");
  EXPECT_EQ(command.inputs.down, (std::vector<std::string>{"0x1", "0x2/3"}));
  EXPECT_EQ(command.oversubscription, (std::vector<std::uint32_t>{4, 2}));
  EXPECT_EQ(command.traffic, "permutation");
  EXPECT_EQ(command.seed, 7U);
  EXPECT_EQ(command.ranks, "r");
  EXPECT_EQ(command.inputs.weights, "w");
  EXPECT_EQ(command.inputs.lfts, "t");
  EXPECT_EQ(command.compute.engine, routing::Engine::kUpDown);
  EXPECT_EQ(command.compute.threads, 2U);
  EXPECT_TRUE(command.json);
  EXPECT_EQ(parsed<WhatifCommand>("whatif f").traffic, "shift");
}

TEST(CommandLine, refuses_json_of_generate_where_the_fabric_itself_goes_to_standard_output) {
  const ParseStop stop = stopped("generate fat-tree --levels 2 --radix 4 --json");
  EXPECT_EQ(stop.code, ExitCode::kBad);
  EXPECT_THAT(stop.err, HasSubstr("--json requires --out"));
}

TEST(CommandLine, says_in_few_words_what_is_no_number) {
  for (const char* const text : {"0", "-1", "abc", "1.5", "4294967296", "0x2"}) {
    const ParseStop stop = stopped(std::string("generate fat-tree --radix 4 --levels ") + text);
    EXPECT_EQ(stop.code, ExitCode::kBad) << text;
    EXPECT_THAT(stop.err, HasSubstr("is not a whole number from 1 to 4294967295")) << text;
  }
}

TEST(CommandLine, refuses_a_negative_sequence_number_instead_of_wrapping_it) {
  EXPECT_THAT(stopped("events --since -1").err, HasSubstr("'-1' is not a whole number from 0"));
}

}  // namespace
}  // namespace heddle::cli
