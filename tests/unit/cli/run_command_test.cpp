#include "cli/run_command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "discovery/topology_text.hpp"
#include "support/paths.hpp"

namespace heddle::cli {
namespace {

using testing::HasSubstr;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{out, err, Colour::kOff};
  const ExitCode code = run_command(arguments, console);
  return {code, out.str(), err.str()};
}

std::string data(const std::string& name) {
  return support::checkout_path("tests/data/topologies") / name;
}

TEST(RunCommand, generates_what_the_parser_reads) {
  const Outcome outcome =
      run({"generate", "fat-tree", "--levels", "2", "--radix", "8", "--rate", "2xHDR"});
  ASSERT_EQ(outcome.code, ExitCode::kGood) << outcome.err;
  const auto fabric = discovery::parse_topology(outcome.out, "generated", "test");
  ASSERT_TRUE(fabric) << fabric.error().message();
  EXPECT_EQ(fabric->switches().size(), 12U);
  EXPECT_EQ(to_string(fabric->port(fabric->links()[0].a).rate), "2xHDR");
}

TEST(RunCommand, refuses_an_unknown_rate_and_a_shape_that_cannot_be) {
  const Outcome rate =
      run({"generate", "fat-tree", "--levels", "2", "--radix", "8", "--rate", "9x"});
  EXPECT_EQ(rate.code, ExitCode::kBad);
  EXPECT_EQ(rate.out, "");
  EXPECT_THAT(rate.err, HasSubstr("heddle: --rate: '9x'"));
  EXPECT_EQ(run({"generate", "fat-tree", "--shape", "1,2"}).code, ExitCode::kBad);
}

TEST(RunCommand, refuses_an_empty_argument_instead_of_passing_it_over) {
  const std::string file = data("netlist.topo");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"topology", file, "--roots", ""},
        {"topology", ""},
        {"route", file, "--lfts-out", ""},
        {"events", "--kind", ""}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, ExitCode::kBad) << arguments.front();
    EXPECT_THAT(outcome.err, HasSubstr("an argument is empty")) << arguments.front();
  }
}

TEST(RunCommand, says_that_its_output_cannot_be_written_be_it_help_or_an_answer) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--version"},
                                                    {"route", "--help"},
                                                    {"topology", data("netlist.topo")}}) {
    std::ostream full(nullptr);
    std::ostringstream err;
    Console console{full, err, Colour::kOff};
    EXPECT_EQ(run_command(arguments, console), ExitCode::kBad) << arguments.front();
    EXPECT_EQ(err.str(), "heddle: standard output cannot be written\n") << arguments.front();
  }
}

TEST(RunCommand, escapes_control_characters_of_the_command_line_in_its_errors) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"a\x1b[2J"},
        {"status", "--server", "http://a\x1b[2J"},
        {"generate", "fat-tree", "--levels", "2", "--radix", "8", "--rate", "4\x1b[2J"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, ExitCode::kBad);
    EXPECT_THAT(outcome.err, HasSubstr("\\x1b[2J"));
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("\x1b")));
  }
}

TEST(RunCommand, refuses_a_file_that_holds_no_node_with_its_name) {
  const Outcome outcome = run({"topology", "/dev/null", "--json"});
  EXPECT_EQ(outcome.code, ExitCode::kBad);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "/dev/null:1: there is no node in it\n");
}

TEST(RunCommand, says_that_a_folder_is_no_topology_file) {
  const Outcome outcome = run({"topology", data("")});
  EXPECT_EQ(outcome.code, ExitCode::kBad);
  EXPECT_THAT(outcome.err, HasSubstr("is a directory"));
}

TEST(RunCommand, says_in_json_what_generate_has_written) {
  const std::string file = testing::TempDir() + fmt::format("heddle-generated-{}", ::getpid());
  const Outcome outcome =
      run({"generate", "fat-tree", "--levels", "2", "--radix", "4", "--out", file, "--json"});
  EXPECT_TRUE(std::filesystem::remove(file));
  ASSERT_EQ(outcome.code, ExitCode::kGood) << outcome.err;
  const boost::json::value answer = boost::json::parse(outcome.out);
  EXPECT_EQ(answer.at("file"), boost::json::value(file));
  EXPECT_EQ(answer.at("links"), boost::json::value(16));
  EXPECT_EQ(answer.at("nodes"), boost::json::parse(R"({"switch":6,"host_adapter":8,"router":0,
      "aggregation_node":0,"unknown":0})"));
}

TEST(RunCommand, reports_a_broken_file_with_file_and_line) {
  const Outcome outcome = run({"topology", data("broken.topo")});
  EXPECT_EQ(outcome.code, ExitCode::kBad);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::StartsWith(data("broken.topo") + ":3: expected "));
}

TEST(RunCommand, calls_irregularities_a_good_answer) {
  EXPECT_EQ(run({"topology", data("slow_cable.topo")}).code, ExitCode::kGood);
}

TEST(RunCommand, prints_one_json_object_and_nothing_else) {
  const Outcome outcome = run({"topology", data("slow_cable.topo"), "--json"});
  ASSERT_EQ(outcome.code, ExitCode::kGood);
  EXPECT_EQ(outcome.err, "");
  boost::json::error_code error;
  EXPECT_TRUE(boost::json::parse(outcome.out, error).is_object());
}

TEST(RunCommand, reports_a_server_address_that_makes_no_sense) {
  const Outcome outcome = run({"status", "--server", "localhost"});
  EXPECT_EQ(outcome.code, ExitCode::kBad);
  EXPECT_THAT(outcome.err, HasSubstr("--server: 'localhost'"));
}

}  // namespace
}  // namespace heddle::cli
