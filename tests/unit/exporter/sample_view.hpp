#pragma once

#include <memory>
#include <vector>

#include "exporter/view.hpp"

namespace heddle::exporter::test {

/// A small fabric with something of everything, at fixed times:
///
///     spine 0x10 ── 1 ───── 1 ── leaf "A" 0x20 ── 3 ── host-1 HCA-1 0x100 port 1 (LID 4)
///                ── 2 ───── 2 ──               ── 4 ── host-1 HCA-1 0x100 port 2 (LID 5)
///                ── 3 ───── 1 ── hostile 0x21  ── 5 ── a SHARP node 0x200
///                                              ── 6    (down)
///     0x21 ── 2 ── host-2 0x101;  3 ── host-2 0x102 (same name);  4 ── SHARP 0x201;
///          ── 5 ── router 0x300;  6 ── a peer that is not known; 7 ── nameless host 0x103
///
/// Link 0x10/2 - 0x20/2 runs at 2xEDR among 4xEDR. Port 0x20/3 waits and has errors, 0x21/2 was
/// last read long ago, 0x103/1 never.
[[nodiscard]] View sample_view();

/// The events of the sample, oldest first, sequence numbers 5 to 8.
[[nodiscard]] std::vector<model::Event> sample_events();

/// A view as it is before the first sweep.
[[nodiscard]] View empty_view();

/// `empty_view()` around a fabric; summary and degraded links follow from it.
[[nodiscard]] View view_of(model::Fabric fabric);

/// Switches joined in a row, each with as many hosts; GUIDs from 0x1000 and 0x100000 on.
[[nodiscard]] model::Fabric row_of_switches(std::uint32_t switches, std::uint8_t hosts_per_switch);

}  // namespace heddle::exporter::test
