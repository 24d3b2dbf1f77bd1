#include "routing/counterparts.hpp"

#include <algorithm>

namespace heddle::routing {

using model::SwitchIndex;

namespace {

/// By SwitchIndex of `from`: the switch of the same GUID. Both are in order of GUID.
std::vector<std::optional<SwitchIndex>> same_switches(const Graph& from, const Graph& to) {
  std::vector<std::optional<SwitchIndex>> out(from.switch_count());
  std::uint32_t t = 0;
  for (std::uint32_t f = 0; f < from.switch_count(); ++f) {
    while (t < to.switch_count() && to.guid(SwitchIndex{t}) < from.guid(SwitchIndex{f})) ++t;
    if (t < to.switch_count() && to.guid(SwitchIndex{t}) == from.guid(SwitchIndex{f})) {
      out[f] = SwitchIndex{t};
    }
  }
  return out;
}

}  // namespace

std::vector<std::optional<TerminalIndex>> counterparts(const Graph& from, const Graph& to) {
  const auto same = same_switches(from, to);
  std::vector<std::optional<TerminalIndex>> out(from.terminals().size());
  for (std::uint32_t t = 0; t < from.terminals().size(); ++t) {
    const Terminal& terminal = from.terminal(TerminalIndex{t});
    const std::optional<SwitchIndex> leaf = same[terminal.leaf.value()];
    if (!leaf) continue;
    const PortTarget target = to.target(*leaf, terminal.leaf_port);
    if (target.kind == PortTarget::Kind::kTerminal) out[t] = TerminalIndex{target.index};
  }
  return out;
}

Availability carry_over(const Graph& from, const Availability& availability, const Graph& to) {
  Availability out(to);
  const auto same = same_switches(from, to);
  for (std::uint32_t s = 0; s < from.switch_count(); ++s) {
    if (same[s] && !availability.up(SwitchIndex{s})) out.take_down(*same[s]);
  }
  for (std::uint32_t a = 0; a < from.arcs().size(); ++a) {
    const Arc& arc = from.arc(ArcIndex{a});
    const std::optional<SwitchIndex> sw = same[arc.from.value()];
    const PortTarget target = sw ? to.target(*sw, arc.exit) : PortTarget{};
    if (target.kind != PortTarget::Kind::kSwitch) continue;
    const ArcIndex twin{target.index};
    if (to.guid(to.arc(twin).to) != from.guid(arc.to)) continue;
    if (!availability.usable(from, ArcIndex{a}) && availability.up(arc.from) &&
        availability.up(arc.to)) {
      out.take_down(to, twin);
    }
    out.set_capacity(to, twin, availability.capacity(ArcIndex{a}));
  }
  const std::vector<std::optional<TerminalIndex>> twins = counterparts(from, to);
  for (std::uint32_t t = 0; t < twins.size(); ++t) {
    const TerminalIndex terminal{t};
    if (twins[t] && availability.up(from.terminal(terminal).leaf) &&
        !availability.usable(from, terminal)) {
      out.take_down(*twins[t]);
    }
  }
  return out;
}

}  // namespace heddle::routing
