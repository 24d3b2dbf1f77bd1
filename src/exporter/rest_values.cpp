#include "exporter/rest_values.hpp"

#include <algorithm>

namespace heddle::exporter {
namespace {

/// The same port in another snapshot.
std::optional<model::PortIndex> same_port(const model::Fabric& from, model::PortIndex port,
                                          const model::Fabric& to) noexcept {
  if (&from == &to) return port;
  return to.find_port(from.key(port));
}

}  // namespace

const model::PortTotals* totals_of(const View& view, model::PortIndex port) noexcept {
  if (!view.counters) return nullptr;
  const auto there = same_port(*view.fabric, port, *view.counters->fabric);
  return there ? &view.counters->ports[there->value()] : nullptr;
}

const model::PortRates* rates_in(const model::RateFrame& frame, const model::Fabric& fabric,
                                 model::PortIndex port) noexcept {
  const auto there = same_port(fabric, port, *frame.fabric);
  return there ? &frame.ports[there->value()] : nullptr;
}

const model::PortRates* rates_of(const View& view, model::PortIndex port) noexcept {
  return view.history.empty() ? nullptr : rates_in(*view.history.back(), *view.fabric, port);
}

const model::DegradedLink* degradation_of(const View& view, model::LinkIndex link) noexcept {
  const auto found = std::ranges::lower_bound(*view.degraded, link, {}, &model::DegradedLink::link);
  return found != view.degraded->end() && found->link == link ? &*found : nullptr;
}

std::string link_id(const model::Fabric& fabric, model::Link link) {
  return model::to_string(fabric.key(link.a));
}

std::optional<model::Lid> lid_of(const model::Fabric& fabric, model::NodeIndex node) noexcept {
  for (const model::Port& port : fabric.ports_of(node)) {
    if (port.lid) return port.lid;
  }
  return std::nullopt;
}

void write_port_ref(JsonWriter& json, const model::Fabric& fabric, model::PortKey key) {
  const std::optional<model::NodeIndex> node = fabric.find_node(key.node);
  json.begin_object();
  json.field("guid", key.node);
  json.field("port", key.port);
  json.field("name", node ? std::string_view(fabric.node(*node).description) : "");
  json.end_object();
}

void write_port_ref(JsonWriter& json, const model::Fabric& fabric, model::PortIndex port) {
  write_port_ref(json, fabric, fabric.key(port));
}

void write_unresolved(JsonWriter& json, const model::Fabric& fabric,
                      const model::UnresolvedPeer& peer) {
  json.begin_object();
  json.key("at");
  write_port_ref(json, fabric, peer.port);
  json.field("peer_guid", peer.peer);
  json.field("peer_port", peer.peer_port);
  json.field("description", peer.description);
  json.end_object();
}

std::optional<std::string_view> unless_empty(std::string_view text) noexcept {
  return text.empty() ? std::nullopt : std::optional(text);
}

double seconds(std::chrono::nanoseconds duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace heddle::exporter
