#include "routing/ordered_proof.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::routing {

using model::ForwardingTables;
using model::SwitchIndex;

namespace {

constexpr std::size_t kPorts = 256;
constexpr std::size_t kSwitchesAtOnce = 16;

/// What an entry's port does in the order.
enum class Step : std::uint8_t { kNowhere, kUp, kAcross, kDown, kTerminal, kSelf };
constexpr unsigned bit(Step step) noexcept { return 1U << static_cast<unsigned>(step); }
/// What the next switch's entry may do after a step.
constexpr unsigned kArrives = bit(Step::kDown) | bit(Step::kTerminal) | bit(Step::kSelf);
constexpr std::array<unsigned, 6> kFollows{
    0, bit(Step::kUp) | bit(Step::kAcross) | kArrives, kArrives, kArrives, 0, 0};

constexpr Step step_of(Direction direction) noexcept {
  switch (direction) {
    case Direction::kUp:
      return Step::kUp;
    case Direction::kAcross:
      return Step::kAcross;
    case Direction::kDown:
      return Step::kDown;
  }
  return Step::kNowhere;
}

class Prover {
 public:
  Prover(const Graph& graph, std::span<const Direction> directions,
         const Availability& availability, const ForwardingTables& tables)
      : graph_(graph),
        directions_(directions),
        availability_(availability),
        tables_(tables),
        steps_(std::make_unique_for_overwrite<Step[]>(graph.switch_count() * kPorts)),
        next_(std::make_unique_for_overwrite<std::uint32_t[]>(graph.switch_count() * kPorts)),
        prepared_(graph.switch_count(), 0) {}

  void prepare_all() {
    for (std::uint32_t s = 0; s < graph_.switch_count(); ++s) prepare(SwitchIndex{s});
  }
  /// What prove_row() and prove_around() of the switch look at.
  void prepare_around(SwitchIndex sw) {
    prepare(sw);
    for (const Arc& arc : graph_.arcs_of(sw)) prepare(arc.to);
  }

  void prove_row(SwitchIndex sw, OrderedProof& out) const {
    const bool is_source = availability_.up(sw) && has_usable_terminal(sw);
    for (const Destination& to : graph_.destinations()) prove_entry(sw, to, is_source, out);
  }

  /// One entry, and those of neighbours that lead to it.
  void prove_around(SwitchIndex sw, const Destination& to, OrderedProof& out) const {
    prove_entry(sw, to, availability_.up(sw) && has_usable_terminal(sw), out);
    for (const Arc& arc : graph_.arcs_of(sw)) {
      if (tables_.row(arc.to)[to.lid.value()] != arc.entry.value()) continue;
      prove_entry(arc.to, to, availability_.up(arc.to) && has_usable_terminal(arc.to), out);
    }
  }

 private:
  void prepare(SwitchIndex sw) {
    if (prepared_[sw.value()] != 0) return;
    prepared_[sw.value()] = 1;
    const std::span steps(&steps_[sw.value() * kPorts], kPorts);
    std::ranges::fill(steps, Step::kNowhere);
    if (!availability_.up(sw)) return;
    steps[0] = Step::kSelf;
    const auto targets = graph_.targets(sw);
    for (std::size_t p = 1; p < targets.size(); ++p) {
      const std::uint32_t index = targets[p].index;
      if (targets[p].kind == PortTarget::Kind::kTerminal &&
          availability_.usable(graph_, TerminalIndex{index})) {
        steps[p] = Step::kTerminal;
      } else if (targets[p].kind == PortTarget::Kind::kSwitch &&
                 availability_.usable(graph_, ArcIndex{index})) {
        steps[p] = step_of(directions_[index]);
        next_[sw.value() * kPorts + p] = graph_.arc(ArcIndex{index}).to.value();
      }
    }
  }

  void prove_entry(SwitchIndex sw, const Destination& to, bool is_source, OrderedProof& out) const {
    const std::uint8_t port = tables_.row(sw)[to.lid.value()];
    const Step step = steps_[sw.value() * kPorts + port];
    bool right = false;
    if (step == Step::kUp || step == Step::kAcross || step == Step::kDown) {
      const std::uint32_t peer = next_[sw.value() * kPorts + port];
      const std::uint8_t following = tables_.row(SwitchIndex{peer})[to.lid.value()];
      const Step then = steps_[peer * kPorts + following];
      // Where a host is away, the way to its leaf may stay: whatever is sent there ends there.
      right = (kFollows[static_cast<std::size_t>(step)] & bit(then)) != 0 ||
              (following == ForwardingTables::kNoPort && !availability_.usable(graph_, to));
    } else if (step == Step::kTerminal) {
      right = to.terminal && graph_.target(sw, model::PortNum{port}).index == to.terminal->value();
    } else if (step == Step::kSelf) {
      right = to.at == sw && !to.terminal;
    } else if (port == ForwardingTables::kNoPort) {
      right = true;
      if (is_source && availability_.usable(graph_, to)) out.undelivered.push_back({sw, to.lid});
    }
    if (right) return;
    ++out.wrong_entries;
    if (!out.first_wrong) out.first_wrong = {sw, to.lid};
  }

  [[nodiscard]] bool has_usable_terminal(SwitchIndex sw) const {
    const std::uint32_t first = graph_.first_terminal(sw).value();
    for (std::uint32_t i = 0; i < graph_.terminals_of(sw).size(); ++i) {
      if (availability_.usable(graph_, TerminalIndex{first + i})) return true;
    }
    return false;
  }

  const Graph& graph_;
  std::span<const Direction> directions_;
  const Availability& availability_;
  const ForwardingTables& tables_;
  // A change touches few of the switches: only what is prepared is ever written.
  std::unique_ptr<Step[]> steps_;          ///< by switch * kPorts + port
  std::unique_ptr<std::uint32_t[]> next_;  ///< likewise: the switch behind a cable
  std::vector<std::uint8_t> prepared_;     ///< by switch
};

}  // namespace

OrderedProof prove_ordered(const Graph& graph, std::span<const Direction> directions,
                           const Availability& availability, const ForwardingTables& tables,
                           Workers& workers) {
  Prover prover(graph, directions, availability, tables);
  prover.prepare_all();
  const std::size_t switches = graph.switch_count();
  std::vector<OrderedProof> parts((switches + kSwitchesAtOnce - 1) / kSwitchesAtOnce);
  workers.run_ranges(switches, kSwitchesAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      prover.prove_row(SwitchIndex{static_cast<std::uint32_t>(s)}, parts[begin / kSwitchesAtOnce]);
    }
  });
  OrderedProof proof;
  for (OrderedProof& part : parts) {
    proof.wrong_entries += part.wrong_entries;
    if (!proof.first_wrong) proof.first_wrong = part.first_wrong;
    proof.undelivered.insert(proof.undelivered.end(), part.undelivered.begin(),
                             part.undelivered.end());
  }
  return proof;
}

OrderedProof prove_written(const Graph& graph, std::span<const Direction> directions,
                           const Availability& before, const Availability& now,
                           const ForwardingTables& tables, std::span<const ChangedEntry> written) {
  Prover prover(graph, directions, now, tables);
  OrderedProof proof;
  for (const SwitchIndex sw : now.changed_since(graph, before)) {
    prover.prepare_around(sw);
    prover.prove_row(sw, proof);
  }
  std::optional<SwitchIndex> prepared;
  for (const ChangedEntry& entry : written) {
    const Destination* const to = graph.find(entry.lid);
    if (to == nullptr) continue;
    if (prepared != entry.sw) prover.prepare_around(entry.sw);
    prepared = entry.sw;
    prover.prove_around(entry.sw, *to, proof);
  }
  std::ranges::sort(proof.undelivered);
  proof.undelivered.erase(std::unique(proof.undelivered.begin(), proof.undelivered.end()),
                          proof.undelivered.end());
  return proof;
}

}  // namespace heddle::routing
