#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "model/fabric.hpp"
#include "model/ids.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

/// CLI11's own checks let `-1` wrap around and print their bounds with 300 digits.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) {
            const auto value = model::parse_decimal(text, most);
            return value && *value >= least
                       ? std::string()
                       : fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
          },
          "", "whole_number"};
}

/// The tree of subcommands, and what the chosen one has filled in. Options are bound to members, so
/// an object of this class stays where it is.
class CommandLine {
 public:
  CommandLine() : app_("A companion to OpenSM for InfiniBand fabrics.", "heddle") {
    app_.set_version_flag("--version", std::string("heddle ") + HEDDLE_VERSION);
    add_generate();
    add_topology();
    add_route();
    add_check();
    add_whatif();
    add_status();
    add_links();
    add_events();
    add_drain();
    add_undrain();
  }
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  std::variant<Command, ParseStop> parse(std::vector<std::string> arguments) {
    // CLI11 takes an option without text as one that is not given.
    if (std::ranges::count(arguments, std::string()) != 0) return stop_with("an argument is empty");
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      return ParseStop{chosen_app().help(), {}, ExitCode::kGood};
    } catch (const CLI::CallForVersion&) {
      return ParseStop{app_.version() + "\n", {}, ExitCode::kGood};
    } catch (const CLI::ParseError& error) {
      return stop_with(error.what());
    }
    // Not left to CLI11, which would ask for a subcommand where one is misspelt.
    if (!command_) return stop_with("a subcommand is required");
    return *std::move(command_);
  }

 private:
  /// The innermost subcommand that was named.
  [[nodiscard]] CLI::App& chosen_app() {
    CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *app;
  }
  [[nodiscard]] std::string chosen_name() {
    std::string name;
    for (const CLI::App* app = &chosen_app(); app != nullptr; app = app->get_parent()) {
      name = app->get_name() + (name.empty() ? "" : " ") + name;
    }
    return name;
  }

  [[nodiscard]] ParseStop stop_with(std::string_view what) {
    return {{},
            fmt::format("heddle: {}\nTry '{} --help'.\n", model::printable(what), chosen_name()),
            ExitCode::kBad};
  }

  void add_generate() {
    CLI::App* const generate =
        app_.add_subcommand("generate", "Make a fabric by rule, as a topology text");
    add_fat_tree(*generate->add_subcommand("fat-tree", "Fat tree of a radix, or any PGFT"));
    add_dragonfly(*generate->add_subcommand("dragonfly", "Dragonfly, one-dimensional groups"));
    add_dragonfly_plus(*generate->add_subcommand("dragonfly-plus", "Leaf-spine groups"));
    add_hybrid(*generate->add_subcommand("hybrid", "Fat-tree groups joined by super-spines"));
  }

  void add_output(CLI::App& app) {
    app.add_option("--rate", generate_.rate, "Rate of all links, such as 2xHDR, 4xNDR")
        ->capture_default_str();
    CLI::Option* const out =
        app.add_option("--out", generate_.out, "File to write instead of standard output");
    app.add_flag("--json", generate_.json, "One JSON object that says what was written; with --out")
        ->needs(out);
  }

  static CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint32_t& value,
                                 const std::string& text) {
    return app.add_option(name, value, text)->check(whole_number(1, kMax32));
  }

  void add_fat_tree(CLI::App& app) {
    CLI::Option* const levels = add_number(app, "--levels", fat_tree_.levels, "Levels of switches");
    CLI::Option* const radix = add_number(app, "--radix", fat_tree_.radix, "Ports of a switch");
    std::vector<CLI::Option*> rest{
        app.add_option("--pods", fat_tree_.pods, "Highest-level children; all if not given")
            ->check(whole_number(1, kMax32)),
        add_number(app, "--oversubscription", fat_tree_.oversubscription,
                   "Hosts to uplinks of a leaf, N:1")
            ->capture_default_str(),
        add_number(app, "--parallel-links", fat_tree_.parallel_links,
                   "Cables between a top switch and each child")
            ->capture_default_str()};
    CLI::Option* const shape =
        app.add_option("--shape", shape_, "PGFT: M1,M2,..:W1,W2,..:P1,P2,..");
    for (CLI::Option* const option : rest) shape->excludes(option);
    shape->excludes(levels)->excludes(radix);
    add_output(app);
    app.callback([this, levels, radix] {
      if (shape_) {
        generate_.shape = ShapeText{*shape_};
      } else if (levels->empty() || radix->empty()) {
        throw CLI::RequiredError("--levels and --radix, or --shape,");
      } else {
        generate_.shape = fat_tree_;
      }
      command_ = generate_;
    });
  }

  void add_dragonfly(CLI::App& app) {
    add_number(app, "--routers-per-group", dragonfly_.routers_per_group, "Switches of a group")
        ->required();
    add_number(app, "--hosts-per-router", dragonfly_.hosts_per_router, "Hosts of a switch")
        ->required();
    add_number(app, "--global-links", dragonfly_.global_links, "Global cables of a switch")
        ->required();
    add_number(app, "--groups", dragonfly_.groups, "Groups")->required();
    finish_generate(app, dragonfly_);
  }

  void add_dragonfly_plus(CLI::App& app) {
    add_number(app, "--groups", dragonfly_plus_.groups, "Groups")->required();
    add_number(app, "--leaves", dragonfly_plus_.leaves, "Leaves of a group")->required();
    add_number(app, "--spines", dragonfly_plus_.spines, "Spines of a group")->required();
    add_number(app, "--hosts-per-leaf", dragonfly_plus_.hosts_per_leaf, "Hosts of a leaf")
        ->required();
    add_number(app, "--global-links", dragonfly_plus_.global_links, "Global cables of a spine")
        ->required();
    finish_generate(app, dragonfly_plus_);
  }

  void add_hybrid(CLI::App& app) {
    add_number(app, "--groups", hybrid_.groups, "Groups")->required();
    add_number(app, "--leaves", hybrid_.leaves, "Leaves of a group")->required();
    add_number(app, "--spines", hybrid_.spines, "Spines of a group")->required();
    add_number(app, "--super-spines", hybrid_.super_spines, "Switches that join the groups")
        ->required();
    add_number(app, "--hosts-per-leaf", hybrid_.hosts_per_leaf, "Hosts of a leaf")->required();
    app.add_flag("--two-homed", hybrid_.two_homed, "Each host on two leaves");
    finish_generate(app, hybrid_);
  }

  template <class Shape>
  void finish_generate(CLI::App& app, const Shape& shape) {
    add_output(app);
    app.callback([this, &shape] {
      generate_.shape = shape;
      command_ = generate_;
    });
  }

  void add_topology() {
    CLI::App* const app =
        app_.add_subcommand("topology", "Say what a topology file holds and what is odd in it");
    app->add_option("FABRIC", topology_.fabric, "Output of ibnetdiscover, or an ibsim netlist")
        ->required();
    app->add_option("--roots", topology_.roots,
                    "File of the highest switches, a GUID a line, instead of finding them");
    app->add_option("--groups", topology_.groups,
                    "File of groups, lines 'GROUP GUID', instead of finding them");
    app->add_flag("--json", topology_.json, "One JSON object");
    app->callback([this] { command_ = topology_; });
  }

  enum class SlotsUse : bool { kRead, kReadAndWrite };
  /// What commands that route take of a fabric.
  static void add_fabric_inputs(CLI::App& app, FabricOptions& inputs, SlotsUse slots) {
    app.add_option("FABRIC", inputs.fabric, "Output of ibnetdiscover, or an ibsim netlist")
        ->required();
    app.add_option("--lmc", inputs.lmc, "LMC of end ports that are no switches: 2^N LIDs each")
        ->check(whole_number(0, 7));
    app.add_option("--guid2lid", inputs.guid2lid,
                   "OpenSM's file of LIDs, for ports to which FABRIC gives none");
    app.add_option("--roots", inputs.roots, "File of the highest switches, a GUID a line");
    app.add_option("--groups", inputs.groups, "File of groups, lines 'GROUP GUID'");
    app.add_option("--slots", inputs.slots,
                   std::string("File that remembers the whole fabric, so that what is away keeps "
                               "its place") +
                       (slots == SlotsUse::kRead ? "" : "; it is written anew with what is new"));
    app.add_option("--down", inputs.down,
                   "Take a switch or host (GUID) or a cable (GUID/PORT) as down")
        ->take_all()
        ->allow_extra_args(false);
    app.add_option(
        "--weights", inputs.weights,
        "File of capacities, lines 'GUID/PORT PERCENT'; 0 drains a cable. Cables that run "
        "below the rate of their siblings are worth that share unless named here");
  }

  /// How tables are computed.
  static void add_engine(CLI::App& app, EngineOptions& options) {
    app.add_option_function<std::string>(
        "--engine",
        [&options](const std::string& name) {
          if (name == "auto") return;
          options.engine = routing::parse_engine(name);
          if (!options.engine)
            throw CLI::ValidationError("--engine", fmt::format("'{}' is no engine", name));
        },
        "auto, fat-tree, dragonfly, dragonfly-plus, hybrid, up-down or layered");
    // CLI11 would capture a number of 8 bits as a character.
    app.add_option("--max-lanes", options.max_lanes, "Virtual lanes that may be used")
        ->check(whole_number(1, 15))
        ->default_str(fmt::format("{}", options.max_lanes));
    app.add_option("--threads", options.threads, "Threads; all cores if not given")
        ->check(whole_number(1, 256));
  }

  /// `what` becomes of them. What else is about them needs the option that comes back.
  static CLI::Option* add_previous(CLI::App& app, PreviousTables& previous,
                                   const std::string& what) {
    CLI::Option* const lfts = app.add_option("--previous", previous.lfts, what);
    app.add_option("--previous-sl", previous.sl,
                   "Service levels of open connections; 0 if not given")
        ->needs(lfts);
    app.add_option("--previous-sl2vl", previous.sl2vl,
                   "Virtual lanes of before; those of now if not given")
        ->needs(lfts);
    return lfts;
  }

  void add_route() {
    CLI::App* const app = app_.add_subcommand(
        "route", "Compute forwarding tables that are proved to deliver and not to deadlock");
    add_fabric_inputs(*app, route_.inputs, SlotsUse::kReadAndWrite);
    add_engine(*app, route_.compute);
    CLI::Option* const previous = add_previous(
        *app, route_.previous,
        "Tables that are in the switches, as dump_fts prints them: count what changes, and make "
        "the change safe for connections that are open");
    app->add_flag("--accept-risk", route_.accept_risk,
                  "Also write entries on which open connections could deadlock")
        ->needs(previous);
    app->add_option("--clear-first-out", route_.clear_first_out,
                    "File for the tables to be written first, if a mixture of old and new loops")
        ->needs(previous);
    app->add_option("--lfts-out", route_.lfts_out, "File for the tables, as dump_fts prints them");
    app->add_option("--sl-out", route_.sl_out, "File for service levels other than 0");
    app->add_option("--sl2vl-out", route_.sl2vl_out, "File for mappings other than VL = SL");
    app->add_option("--ports-out", route_.ports_out,
                    "File for the ports that adaptive routing may choose from, by switch and LID");
    app->add_flag("--json", route_.json, "One JSON object");
    app->callback([this] { command_ = route_; });
  }

  void add_check() {
    CLI::App* const app = app_.add_subcommand(
        "check", "Prove and score forwarding tables: delivery, loops, deadlocks, load");
    app->add_option("FABRIC", check_.fabric, "Output of ibnetdiscover, or an ibsim netlist")
        ->required();
    app->add_option("LFTS", check_.tables, "Output of dump_fts; LIDs too if FABRIC has none")
        ->required();
    app->add_option("--sl", check_.sl, "Service levels: lines 'slid dlid sl'; 0 if not named");
    app->add_option("--sl2vl", check_.sl2vl,
                    "Virtual lanes: lines 'switch_guid in out vl0 .. vl15'; VL = SL if not named");
    add_previous(*app, check_.previous, "Tables of before: prove the change from them as well");
    app->add_flag("--switch-lids", check_.switch_lids, "LIDs of switches are destinations too");
    app->add_option("--permutations", check_.permutations,
                    "Shifts, random permutations and bisections to score, of each; 0 for no score")
        ->check(whole_number(0, 1'000'000))
        ->capture_default_str();
    app->add_flag("--json", check_.json, "One JSON object");
    app->callback([this] { command_ = check_; });
  }

  void add_whatif() {
    CLI::App* const app = app_.add_subcommand(
        "whatif", "Say what faults, drains or another oversubscription do to some traffic");
    add_fabric_inputs(*app, whatif_.inputs, SlotsUse::kRead);
    add_engine(*app, whatif_.compute);
    app->add_option("--lfts", whatif_.inputs.lfts,
                    "Tables that are in force, as dump_fts prints them, to start from; without it "
                    "from those that heddle computes")
        ->excludes("--lmc");
    app->add_option("--oversubscription", whatif_.oversubscription,
                    "Try a fat tree with the same hosts and N:1 at its leaves; several compare")
        ->check(whole_number(1, 1000))
        ->take_all()
        ->allow_extra_args(false);
    app->add_option("--traffic", whatif_.traffic,
                    "ring, all-to-all, shift, permutation, or a file with lines 'SOURCE "
                    "DESTINATION [JOB]': GUIDs, GUID/PORT, names or host names")
        ->capture_default_str();
    app->add_option(
        "--ranks", whatif_.ranks,
        "File of the hosts of a pattern in order, one a line; all by GUID if not given");
    app->add_option("--seed", whatif_.seed, "Chance of a permutation")
        ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        ->capture_default_str();
    app->add_flag("--json", whatif_.json, "One JSON object, with the rate of every flow");
    app->callback([this] { command_ = whatif_; });
  }

  static void add_server(CLI::App& app, ServerOptions& options) {
    app.add_option("--server", options.server, "Where heddled serves")->capture_default_str();
    app.add_flag("--json", options.json, "One JSON object");
  }

  void add_status() {
    CLI::App* const app = app_.add_subcommand("status", "State of heddled and its fabric");
    add_server(*app, status_.server);
    app->callback([this] { command_ = status_; });
  }

  void add_links() {
    CLI::App* const app = app_.add_subcommand("links", "Links with rate, load and errors");
    add_server(*app, links_.server);
    app->add_option("--node", links_.node, "Only links of this node GUID");
    app->add_option("--kind", links_.kind, "Only between these kinds, such as switch-host");
    app->add_option("--rate", links_.rate, "Only links of this rate, such as 4xEDR");
    app->add_flag("--degraded", links_.degraded, "Only links slower than they could be");
    app->callback([this] { command_ = links_; });
  }

  void add_events() {
    CLI::App* const app = app_.add_subcommand("events", "What happened in the fabric");
    add_server(*app, events_.server);
    app->add_flag("--follow", events_.follow, "Go on with what happens, one event a line");
    app->add_option("--since", events_.since, "Only events after this sequence number")
        ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
    app->add_option("--kind", events_.kind, "Only this kind, such as link_down");
    app->add_option("--node", events_.node, "Only events at a port of this node GUID");
    app->callback([this] { command_ = events_; });
  }

  static void add_link(CLI::App& app, DrainCommand& command) {
    app.add_option("LINK", command.link, "GUID/PORT of either end of a cable between switches")
        ->required();
    app.add_option("--socket", command.socket, "Where heddled takes commands")
        ->capture_default_str();
  }

  void add_drain() {
    CLI::App* const app =
        app_.add_subcommand("drain", "Have routes in OpenSM spare a cable, without cutting any");
    add_link(*app, drain_);
    // CLI11 would capture a number of 8 bits as a character.
    app->add_option("--percent", drain_.percent, "Of its capacity, what routes may use")
        ->check(whole_number(0, 99))
        ->default_str("0");
    app->add_option("--seconds", drain_.seconds, "For so long; until undrained if not given")
        ->check(whole_number(1, 2'592'000));
    app->callback([this] { command_ = drain_; });
  }

  void add_undrain() {
    CLI::App* const app = app_.add_subcommand("undrain", "Give a drained cable back to routes");
    add_link(*app, undrain_);
    undrain_.undrain = true;
    app->callback([this] { command_ = undrain_; });
  }

  CLI::App app_;
  std::optional<Command> command_;
  GenerateCommand generate_;
  simulation::FatTreeShape fat_tree_;
  std::optional<std::string> shape_;
  simulation::DragonflyShape dragonfly_;
  simulation::DragonflyPlusShape dragonfly_plus_;
  simulation::HybridShape hybrid_;
  TopologyCommand topology_;
  RouteCommand route_;
  CheckCommand check_;
  WhatifCommand whatif_;
  StatusCommand status_;
  LinksCommand links_;
  EventsCommand events_;
  DrainCommand drain_;
  DrainCommand undrain_;
};

}  // namespace

std::variant<Command, ParseStop> parse_command_line(const std::vector<std::string>& arguments) {
  return CommandLine().parse(arguments);
}

}  // namespace heddle::cli
