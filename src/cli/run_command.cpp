#include "cli/run_command.hpp"

#include <ostream>
#include <variant>

#include "cli/check.hpp"
#include "cli/command_line.hpp"
#include "cli/drain.hpp"
#include "cli/events.hpp"
#include "cli/generate.hpp"
#include "cli/links.hpp"
#include "cli/route.hpp"
#include "cli/status.hpp"
#include "cli/topology.hpp"
#include "cli/whatif.hpp"
#include "model/result.hpp"

namespace heddle::cli {
namespace {

using model::Result;

struct Runner {
  Console& console;

  Result<ExitCode> operator()(const GenerateCommand& command) const {
    return generate(command, console);
  }
  Result<ExitCode> operator()(const TopologyCommand& command) const {
    return topology(command, console);
  }
  Result<ExitCode> operator()(const RouteCommand& command) const { return route(command, console); }
  Result<ExitCode> operator()(const CheckCommand& command) const { return check(command, console); }
  Result<ExitCode> operator()(const WhatifCommand& command) const {
    return whatif(command, console);
  }
  Result<ExitCode> operator()(const StatusCommand& command) const {
    return status(command, console);
  }
  Result<ExitCode> operator()(const LinksCommand& command) const { return links(command, console); }
  Result<ExitCode> operator()(const EventsCommand& command) const {
    return events(command, console);
  }
  Result<ExitCode> operator()(const DrainCommand& command) const { return drain(command, console); }
};

/// `code`, unless what was written has not arrived.
ExitCode finished(ExitCode code, Console& console) {
  if (console.out.flush()) return code;
  console.err << "heddle: standard output cannot be written\n";
  return ExitCode::kBad;
}

}  // namespace

ExitCode run_command(const std::vector<std::string>& arguments, Console& console) {
  const std::variant<Command, ParseStop> parsed = parse_command_line(arguments);
  if (const ParseStop* const stop = std::get_if<ParseStop>(&parsed)) {
    console.out << stop->out;
    console.err << stop->err;
    return finished(stop->code, console);
  }
  const Result<ExitCode> code = std::visit(Runner{console}, std::get<Command>(parsed));
  if (!code) {
    console.err << error_line(code.error());
    return ExitCode::kBad;
  }
  return finished(*code, console);
}

}  // namespace heddle::cli
