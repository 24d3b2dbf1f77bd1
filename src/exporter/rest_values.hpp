#pragma once

#include <optional>
#include <string>

#include "exporter/json_writer.hpp"
#include "exporter/view.hpp"

/// Parts of answers that several paths share, and the look-ups behind them.
namespace heddle::exporter {

/// Totals of a port of `view.fabric`, null where there are none. The counters may have been
/// published for an earlier snapshot.
[[nodiscard]] const model::PortTotals* totals_of(const View& view, model::PortIndex port) noexcept;
/// The newest rates of a port of `view.fabric`, null where there are none.
[[nodiscard]] const model::PortRates* rates_of(const View& view, model::PortIndex port) noexcept;
/// Rates of a port in one frame, null if the frame does not hold it.
[[nodiscard]] const model::PortRates* rates_in(const model::RateFrame& frame,
                                               const model::Fabric& fabric,
                                               model::PortIndex port) noexcept;

/// Evidence that the link is slower than it could be, null if there is none.
[[nodiscard]] const model::DegradedLink* degradation_of(const View& view,
                                                        model::LinkIndex link) noexcept;

/// Id of a link in the interface: its `a` end.
[[nodiscard]] std::string link_id(const model::Fabric& fabric, model::Link link);

/// Of a switch's port 0, else of the first port that has one.
[[nodiscard]] std::optional<model::Lid> lid_of(const model::Fabric& fabric,
                                               model::NodeIndex node) noexcept;

/// Schema PortRef. The name is empty where the fabric does not hold the node.
void write_port_ref(JsonWriter& json, const model::Fabric& fabric, model::PortKey key);
void write_port_ref(JsonWriter& json, const model::Fabric& fabric, model::PortIndex port);
/// Schema UnresolvedPeer.
void write_unresolved(JsonWriter& json, const model::Fabric& fabric,
                      const model::UnresolvedPeer& peer);

/// A text that is empty where there is nothing to say.
[[nodiscard]] std::optional<std::string_view> unless_empty(std::string_view text) noexcept;
/// Seconds with fractions.
[[nodiscard]] double seconds(std::chrono::nanoseconds duration) noexcept;

}  // namespace heddle::exporter
