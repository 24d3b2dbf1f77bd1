#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/fabric_options.hpp"
#include "routing/routes.hpp"
#include "simulation/generators.hpp"

/// What the command line asks for, after parsing; one struct a subcommand.
namespace heddle::cli {

/// `--shape` of a fat tree, as typed.
struct ShapeText {
  std::string text;
};

struct GenerateCommand {
  std::variant<simulation::FatTreeShape, ShapeText, simulation::DragonflyShape,
               simulation::DragonflyPlusShape, simulation::HybridShape>
      shape;
  std::string rate = "4xHDR";
  std::optional<std::string> out;  ///< standard output if empty
  bool json = false;               ///< say what was written; only with `out`
};

struct TopologyCommand {
  std::string fabric;
  std::optional<std::string> roots;   ///< file
  std::optional<std::string> groups;  ///< file
  bool json = false;
};

/// Tables of before, files each.
struct PreviousTables {
  std::optional<std::string> lfts;   ///< none to compare with if empty
  std::optional<std::string> sl;     ///< all 0 if empty
  std::optional<std::string> sl2vl;  ///< that of now if empty
};

/// How tables are computed.
struct EngineOptions {
  std::optional<routing::Engine> engine;  ///< by what the fabric is if empty
  std::uint8_t max_lanes = 8;
  std::optional<std::uint32_t> threads;  ///< as many as there are cores if empty
};

struct CheckCommand {
  std::string fabric;
  std::string tables;
  std::optional<std::string> sl;
  std::optional<std::string> sl2vl;
  PreviousTables previous;
  bool switch_lids = false;
  std::uint32_t permutations = 200;  ///< no score if 0
  bool json = false;
};

struct RouteCommand {
  FabricOptions inputs;
  EngineOptions compute;
  PreviousTables previous;                     ///< what is in the switches now
  bool accept_risk = false;                    ///< RiskOfDeadlock::kAccept
  std::optional<std::string> clear_first_out;  ///< the tables of before without what must go first
  std::optional<std::string> lfts_out;
  std::optional<std::string> sl_out;
  std::optional<std::string> sl2vl_out;
  std::optional<std::string> ports_out;  ///< what adaptive routing may choose from
  bool json = false;
};

struct WhatifCommand {
  FabricOptions inputs;
  EngineOptions compute;
  std::vector<std::uint32_t> oversubscription;  ///< N of N:1 at the leaves, each to be tried
  std::string traffic = "shift";                ///< a pattern or a file of flows
  std::optional<std::string> ranks;             ///< file of a pattern's ranks, all hosts if empty
  std::uint64_t seed = 1;                       ///< of a permutation
  bool json = false;
};

struct ServerOptions {
  std::string server = "http://127.0.0.1:9840";
  bool json = false;
  std::chrono::milliseconds timeout{10'000};
};

struct StatusCommand {
  ServerOptions server;
};

struct LinksCommand {
  ServerOptions server;
  std::optional<std::string> node;
  std::optional<std::string> kind;
  std::optional<std::string> rate;
  bool degraded = false;
};

struct EventsCommand {
  ServerOptions server;
  bool follow = false;
  std::optional<std::uint64_t> since;
  std::optional<std::string> kind;
  std::optional<std::string> node;
};

/// `drain` and `undrain`, over heddled's socket on this machine.
struct DrainCommand {
  bool undrain = false;
  std::string link;  ///< GUID/PORT of either end
  std::uint8_t percent = 0;
  std::optional<std::uint32_t> seconds;  ///< until undrained if empty
  std::string socket = "/run/heddle/control.sock";
};

using Command =
    std::variant<GenerateCommand, TopologyCommand, RouteCommand, CheckCommand, WhatifCommand,
                 StatusCommand, LinksCommand, EventsCommand, DrainCommand>;

/// What scripts go by (design: 0 good, 1 the answer is "not good", 2 bad usage or input).
enum class ExitCode : int { kGood = 0, kNotGood = 1, kBad = 2 };

}  // namespace heddle::cli
