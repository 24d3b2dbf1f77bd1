#include <algorithm>

#include <fmt/format.h>

#include "mad/umad_ports.hpp"

namespace heddle::mad {
namespace {

using model::Errc;

std::string name_of(const LocalPort& port) {
  return fmt::format("{}/{}", port.device, port.number);
}

/// Why heddle cannot work through the port; empty if it can.
std::string unfit(const LocalPort& port) {
  if (!port.is_channel_adapter) return "not an InfiniBand channel adapter";
  // Kernels that do not say know InfiniBand only; libibumad calls that "IB".
  if (port.link_layer != "InfiniBand" && port.link_layer != "IB" && !port.link_layer.empty()) {
    return fmt::format("link layer is {}, not InfiniBand", port.link_layer);
  }
  if (!port.guid) return "has no GUID";
  return {};
}

std::string describe(const LocalPort& port) {
  const std::string reason = unfit(port);
  if (!reason.empty()) return fmt::format("{} ({})", name_of(port), reason);
  return fmt::format("{} (guid {}, {})", name_of(port), *port.guid,
                     port.active    ? "active"
                     : port.link_up ? "link up, not active"
                                    : "link down");
}

std::string describe_all(std::span<const LocalPort> ports) {
  std::string text;
  for (const LocalPort& port : ports) {
    if (!text.empty()) text += "; ";
    text += describe(port);
  }
  return text;
}

std::string describe(const PortChoice& wanted) {
  std::string text;
  if (!wanted.device.empty()) text += fmt::format(" device {}", wanted.device);
  if (wanted.number) text += fmt::format(" port {}", *wanted.number);
  if (wanted.guid) text += fmt::format(" guid {}", *wanted.guid);
  return text;
}

bool matches(const LocalPort& port, const PortChoice& wanted) {
  return (wanted.device.empty() || port.device == wanted.device) &&
         (!wanted.number || port.number == *wanted.number) &&
         (!wanted.guid || port.guid == *wanted.guid);
}

/// The only one for which `predicate` holds.
const LocalPort* only(std::span<const LocalPort> ports, bool LocalPort::*predicate) {
  if (std::ranges::count(ports, true, predicate) != 1) return nullptr;
  return &*std::ranges::find(ports, true, predicate);
}

}  // namespace

model::Result<LocalPort> choose_port(std::span<const LocalPort> ports, const PortChoice& wanted) {
  if (ports.empty()) return model::fail(Errc::kNotFound, "this machine has no RDMA device");
  std::vector<LocalPort> named;
  std::ranges::copy_if(ports, std::back_inserter(named),
                       [&](const LocalPort& port) { return matches(port, wanted); });
  if (named.empty()) {
    return model::fail(Errc::kNotFound, fmt::format("no local port fits{}; there are: {}",
                                                    describe(wanted), describe_all(ports)));
  }
  std::vector<LocalPort> fit;
  std::ranges::copy_if(named, std::back_inserter(fit),
                       [](const LocalPort& port) { return unfit(port).empty(); });
  if (fit.empty()) {
    return model::fail(Errc::kNotFound,
                       fmt::format("no InfiniBand port to use: {}", describe_all(named)));
  }
  if (fit.size() == 1) return fit.front();
  if (const LocalPort* const active = only(fit, &LocalPort::active)) return *active;
  if (std::ranges::none_of(fit, &LocalPort::active)) {
    if (const LocalPort* const up = only(fit, &LocalPort::link_up)) return *up;
  }
  return model::fail(
      Errc::kConflict,
      fmt::format("several InfiniBand ports could be used, name one: {}", describe_all(fit)));
}

}  // namespace heddle::mad
