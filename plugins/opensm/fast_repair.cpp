#include "plugins/opensm/fast_repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "plugins/opensm/directed_paths.hpp"

namespace heddle::plugin {

using model::Lid;
using model::NodeGuid;
using model::PortKey;
using model::SwitchIndex;
using routing::Arc;
using routing::ArcIndex;
using routing::Graph;

namespace {

/// Read after the ports of a switch: its answer says that theirs have come. Any block would do.
constexpr std::uint16_t kEchoBlock = 0;
constexpr std::size_t kNamedCables = 4;  ///< in a line of the log

std::optional<SwitchIndex> find_switch(const Graph& graph, NodeGuid guid) {
  for (std::uint32_t s = 0; s < graph.switch_count(); ++s) {
    if (graph.guid(SwitchIndex{s}) == guid) return SwitchIndex{s};
  }
  return std::nullopt;
}

PortKey end_of(const Graph& graph, ArcIndex arc) {
  return {graph.guid(graph.arc(arc).from), graph.arc(arc).exit};
}

std::string describe(const Graph& graph, ArcIndex arc) {
  return fmt::format("{} - {}", to_string(end_of(graph, arc)),
                     to_string(end_of(graph, graph.arc(arc).reverse)));
}

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

FastRepair::FastRepair(const heddle_requests& requests, RepairJournal& journal,
                       routing::Workers& workers, std::function<Instant()> now, Limits limits)
    : requests_(requests),
      journal_(journal),
      workers_(workers),
      now_(std::move(now)),
      limits_(limits),
      damper_(limits.damping) {}

void FastRepair::say(const std::string& line, bool is_error) {
  const std::string text = "fast repair: " + line;
  requests_.log(requests_.context, is_error ? 1 : 0, text.c_str());
  journal_.line("say " + line);
}

void FastRepair::follow(std::shared_ptr<const RoutingRun> run) {
  if (phase_ == Phase::kWriting) give_up("a sweep's tables come first");
  phase_ = Phase::kIdle;
  if (!foreseen_.empty()) {
    std::size_t same = 0;
    for (const auto& [place, port] : foreseen_) {
      const std::optional<SwitchIndex> sw = find_switch(run->graph, place.first);
      const std::uint16_t lid = place.second.value();
      if (sw && lid < run->tables.row_length() && run->tables.row(*sw)[lid] == port) ++same;
    }
    say(fmt::format("the sweep's tables hold {} of {} entries as foreseen; it sends {}", same,
                    foreseen_.size(), counted(run->blocks, "block", "blocks")),
        false);
    foreseen_.clear();
  }
  journal_.line(fmt::format("run {} blocks {}", run->number, run->blocks));
  if (!run->manager) {
    base_.reset();
  } else if (base_) {
    base_->follow(std::move(run), workers_);
  } else {
    base_.emplace(std::move(run), workers_);
  }
}

void FastRepair::forget() {
  if (phase_ == Phase::kWriting) give_up("tables come from elsewhere");
  phase_ = Phase::kIdle;
  base_.reset();
  foreseen_.clear();
}

void FastRepair::note_trap(Lid lid) {
  journal_.line(fmt::format("trap {}", lid));
  if (!base_) return;
  const routing::Destination* const from = base_->run().graph.find(lid);
  if (from != nullptr && !from->terminal) suspects_[base_->run().graph.guid(from->at)] = true;
}

void FastRepair::note_change(NodeGuid sw) {
  if (base_) suspects_.try_emplace(sw, false);
}

void FastRepair::note_weights(WeightSet weights) { wished_ = std::move(weights); }

void FastRepair::note_block(const BlockEvent& event) {
  if (phase_ == Phase::kAsking && event.block == kEchoBlock) {
    const auto found = awaited_.find(event.guid);
    if (found == awaited_.end()) return;
    heard_ = now_();
    if (--found->second == 0) awaited_.erase(found);
  }
  if (phase_ == Phase::kWriting) {
    // A block that holds something else is an answer to another request.
    const auto found = written_.find({event.guid, event.block});
    if (found != written_.end() && std::ranges::equal(found->second->entries, event.entries)) {
      written_.erase(found);
    }
  }
}

bool FastRepair::can_repair() const { return base_ && requests_.is_master(requests_.context) != 0; }

std::optional<FastRepair::Instant> FastRepair::step(RepairMode mode) {
  while (true) {
    switch (phase_) {
      case Phase::kIdle:
        if (mode == RepairMode::kOff || !can_repair()) suspects_.clear();
        if (!suspects_.empty()) {
          begin_asking();
        } else if (wished_) {
          weigh(mode);
        } else {
          return std::nullopt;
        }
        break;
      case Phase::kAsking:
        if (const std::optional<Instant> later = go_on_asking()) return later;
        decide(mode);
        break;
      case Phase::kWriting:
        if (!written_.empty()) {
          const Instant last = sent_ + limits_.acknowledge;
          if (now_() < last) return last;
          give_up(fmt::format("{} not acknowledged", counted(written_.size(), "block", "blocks")));
        } else if (mode != RepairMode::kOn) {
          give_up("switched off");
        } else if (next_step_ == 1 && repair_.clears_first && now_() < sent_ + limits_.lifetime) {
          return sent_ + limits_.lifetime;
        } else if (next_step_ < repair_.steps.size()) {
          write_step();
        } else {
          finish();
        }
        break;
    }
  }
}

void FastRepair::begin_asking() {
  phase_ = Phase::kAsking;
  asked_.clear();
  gathered_.clear();
  awaited_.clear();
  dead_.clear();
  first_death_.reset();
  begun_ = heard_ = now_();
}

void FastRepair::ask(const heddle_path* path, SwitchIndex sw, std::span<const ArcIndex> arcs) {
  const Graph& graph = base_->run().graph;
  const NodeGuid guid = graph.guid(sw);
  std::vector<std::uint8_t> ports;
  for (const ArcIndex arc : arcs) {
    asked_.push_back({.port = end_of(graph, arc), .arc = arc});
    ports.push_back(graph.arc(arc).exit.value());
  }
  if (requests_.get_ports(requests_.context, path, guid.value(), ports.data(), ports.size(),
                          kEchoBlock) != 0) {
    ++awaited_[guid];
  }
}

void FastRepair::ask_ports_of(SwitchIndex sw, bool says_so_itself) {
  const Graph& graph = base_->run().graph;
  std::vector<ArcIndex> arcs;
  ArcIndex index = graph.first_arc(sw);
  for (std::size_t i = 0; i < graph.arcs_of(sw).size(); ++i) {
    if (base_->present().usable(graph, index)) arcs.push_back(index);
    index = ArcIndex{index.value() + 1};
  }
  std::optional<heddle_path> path;
  if (says_so_itself) {
    path = way_of_traps(graph, base_->tables(), *base_->run().manager, sw);
  }
  // Else as OpenSM came to know of the change.
  ask(path ? &*path : nullptr, sw, arcs);
}

void FastRepair::ask_neighbours_of(SwitchIndex sw) {
  const Graph& graph = base_->run().graph;
  const ManagerPlace& manager = *base_->run().manager;
  // That switch hands our requests on, so it lives.
  if (!gathered_.insert(sw).second || sw == manager.at) return;
  routing::Availability rest = base_->present();
  for (const ArcIndex arc : dead_) rest.take_down(graph, arc);
  const DirectedPaths paths(graph, rest, manager, sw);
  for (const Arc& arc : graph.arcs_of(sw)) {
    const std::optional<heddle_path> path = paths.to(arc.to);
    if (rest.usable(graph, arc.reverse) && path) ask(&*path, arc.to, std::span(&arc.reverse, 1));
  }
}

void FastRepair::ask_suspects() {
  std::map<NodeGuid, bool> suspects;
  suspects.swap(suspects_);
  for (const auto& [guid, says_so_itself] : suspects) {
    const std::optional<SwitchIndex> sw = find_switch(base_->run().graph, guid);
    if (sw && base_->present().up(*sw)) ask_ports_of(*sw, says_so_itself);
  }
}

void FastRepair::look_for_deaths() {
  const Graph& graph = base_->run().graph;
  std::vector<heddle_switch_port> ports;
  for (const Asked& asked : asked_) {
    ports.push_back({.guid = asked.port.node.value(), .port = asked.port.port.value()});
  }
  std::vector<std::uint8_t> is_down(ports.size(), 0);
  requests_.down_ports(requests_.context, ports.data(), ports.size(), is_down.data());
  std::vector<SwitchIndex> behind;
  for (std::size_t i = 0; i < is_down.size(); ++i) {
    if (is_down[i] == 0 || asked_[i].is_dead) continue;
    asked_[i].is_dead = true;
    const Arc& arc = graph.arc(asked_[i].arc);
    const ArcIndex cable = std::min(asked_[i].arc, arc.reverse);
    if (std::ranges::find(dead_, cable) != dead_.end()) continue;
    dead_.push_back(cable);
    if (!first_death_) first_death_ = now_();
    journal_.line("dead " + describe(graph, cable));
    behind.push_back(arc.to);
  }
  for (const SwitchIndex sw : behind) ask_neighbours_of(sw);
}

std::optional<FastRepair::Instant> FastRepair::go_on_asking() {
  ask_suspects();
  look_for_deaths();
  const Instant now = now_();
  const Instant last = first_death_ ? *first_death_ + limits_.gather : begun_ + limits_.search;
  if (now >= last) return std::nullopt;
  if (!awaited_.empty()) return std::min(last, now + limits_.poll);
  const Instant settled = heard_ + limits_.settle;
  if (now < settled) return settled;
  return std::nullopt;
}

void FastRepair::decide(RepairMode mode) {
  phase_ = Phase::kIdle;
  const Graph& graph = base_->run().graph;
  const Instant now = now_();
  std::ranges::sort(dead_);
  if (dead_.empty()) {
    journal_.line("nothing dead");
    return;
  }
  bool is_admitted = false;
  for (const ArcIndex cable : dead_) {
    if (damper_.admit(end_of(graph, cable), now)) {
      is_admitted = true;
    } else {
      say(fmt::format("{} flaps, its deaths are left to the sweep until it is quiet for {} s",
                      describe(graph, cable), limits_.damping.window.count()));
    }
  }
  if (!is_admitted) return;
  subject_ = describe_dead();
  is_for_weights_ = false;
  if (!compute(base_->weights())) return;
  const std::string line =
      fmt::format("{}; found in {:.1f} ms, computed in {:.1f} ms", describe_repair(),
                  milliseconds(now - begun_), milliseconds(decided_ - now));
  if (mode != RepairMode::kOn) {
    say(line + "; not written: fast_repair=observe");
    for (const auto& step : repair_.steps) {
      for (const heddle_block& block : step) {
        journal_.block("would", NodeGuid{block.guid}, block.number, block.entries);
      }
    }
    return;
  }
  say(line);
  phase_ = Phase::kWriting;
}

void FastRepair::weigh(RepairMode mode) {
  const WeightSet wished = *std::exchange(wished_, std::nullopt);
  if (mode != RepairMode::kOn || !can_repair()) {
    requests_.reroute(requests_.context);
    return;
  }
  if (wished.cables == base_->weights().cables) return;
  dead_.clear();
  begun_ = now_();
  subject_ = counted(wished.cables.size(), "cable", "cables") + " drained or reduced";
  is_for_weights_ = true;
  if (!compute(wished)) return;
  say(fmt::format("{}; computed in {:.1f} ms", describe_repair(), milliseconds(decided_ - begun_)));
  phase_ = Phase::kWriting;
}

/// False if there is nothing to be written, as something failed.
bool FastRepair::compute(const WeightSet& weights) {
  model::Result<Repair> repair = base_->repair(dead_, weights, workers_);
  if (!repair) {
    say("not computed: " + repair.error().message(), true);
    base_.reset();
    if (is_for_weights_) requests_.reroute(requests_.context);
    return false;
  }
  repair_ = std::move(*repair);
  decided_ = now_();
  const Graph& graph = base_->run().graph;
  for (const routing::ChangedEntry& entry : repair_.entries) {
    foreseen_[{graph.guid(entry.sw), entry.lid}] = entry.after;
  }
  next_step_ = 0;
  written_.clear();
  return true;
}

std::string FastRepair::describe_repair() const {
  std::string line = fmt::format("{}: {} entries in {} of {}", subject_, repair_.entries.size(),
                                 counted(repair_.blocks, "block", "blocks"),
                                 counted(repair_.switches, "switch", "switches"));
  if (repair_.away != 0) {
    fmt::format_to(std::back_inserter(line), ", {} of LIDs that are gone left to the sweep",
                   repair_.away);
  }
  if (repair_.relaned != 0) {
    fmt::format_to(std::back_inserter(line), ", {} whose paths change their level left to it",
                   repair_.relaned);
  }
  if (repair_.lost != 0) {
    fmt::format_to(std::back_inserter(line), ", {} without a way now",
                   counted(repair_.lost, "switch and LID", "pairs of a switch and a LID"));
  }
  if (repair_.interrupted != 0) {
    fmt::format_to(std::back_inserter(line), ", {} without one while it is written",
                   counted(repair_.interrupted, "pair", "pairs"));
  }
  return line;
}

void FastRepair::write_step() {
  sent_ = now_();
  const std::vector<heddle_block>& blocks = repair_.steps[next_step_];
  for (const heddle_block& block : blocks) {
    written_[{NodeGuid{block.guid}, block.number}] = &block;
  }
  const auto time = std::chrono::system_clock::now();
  const std::size_t sent =
      requests_.set_blocks(requests_.context, blocks.data(), blocks.size(), base_->run().number);
  if (journal_.writes()) {
    for (const heddle_block& block : std::span(blocks).first(sent)) {
      journal_.block(fmt::format("set {}", next_step_), NodeGuid{block.guid}, block.number,
                     block.entries, time);
    }
  }
  ++next_step_;
  if (sent != blocks.size()) give_up("OpenSM is no master any more, or has new tables of its own");
}

void FastRepair::give_up(const std::string& reason) {
  say(fmt::format("stopped in step {} of {}: {}; the rest is left to the sweep", next_step_,
                  repair_.steps.size(), reason));
  phase_ = Phase::kIdle;
  written_.clear();
  // Nobody knows what the switches hold now.
  base_.reset();
  // No sweep follows weights by itself.
  if (is_for_weights_) requests_.reroute(requests_.context);
}

void FastRepair::finish() {
  const Instant now = now_();
  phase_ = Phase::kIdle;
  journal_.line("done");
  say(fmt::format("{}: {} in place {:.1f} ms after {} ({:.1f} ms of it writing)", subject_,
                  counted(repair_.blocks, "block", "blocks"), milliseconds(now - begun_),
                  is_for_weights_ ? "they were told" : "the trap", milliseconds(now - decided_)));
  if (is_for_weights_ && repair_.relaned != 0) requests_.reroute(requests_.context);
}

std::string FastRepair::describe_dead() const {
  const Graph& graph = base_->run().graph;
  std::string text = counted(dead_.size(), "cable", "cables") + " dead (";
  for (std::size_t i = 0; i < std::min(dead_.size(), kNamedCables); ++i) {
    if (i != 0) text += ", ";
    text += describe(graph, dead_[i]);
  }
  if (dead_.size() > kNamedCables) text += ", …";
  return text + ")";
}

}  // namespace heddle::plugin
