#include "mad/mad.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "mad/wire.hpp"

namespace heddle::mad {
namespace {

// Common header (volume 1, 13.4.3).
constexpr std::size_t kBaseVersion = 0;
constexpr std::size_t kClass = 1;
constexpr std::size_t kClassVersion = 2;
constexpr std::size_t kMethod = 3;
constexpr std::size_t kStatus = 4;
constexpr std::size_t kTransactionId = 8;
constexpr std::size_t kAttribute = 16;
constexpr std::size_t kModifier = 20;

// What a directed-route SMP has in place of the class specific part (14.2.1.2). Hop pointer and
// count share the word of the status.
constexpr std::size_t kHopPointer = 6;
constexpr std::size_t kHopCount = 7;
constexpr std::size_t kSourceLid = 32;
constexpr std::size_t kDestinationLid = 34;
/// Entry 0 of the path is reserved; hop i stands at i.
constexpr std::size_t kInitialPath = 128;
constexpr std::uint16_t kPermissiveLid = 0xFFFF;
/// Set in the status of an answer on its way back.
constexpr std::uint16_t kDirectionBit = 0x8000;

bool is_directed(std::uint8_t management_class) {
  return management_class == static_cast<std::uint8_t>(ManagementClass::kSmpDirected);
}

}  // namespace

Header header_from_wire(const MadBytes& mad) noexcept {
  Header header;
  header.base_version = mad[kBaseVersion];
  header.management_class = mad[kClass];
  header.class_version = mad[kClassVersion];
  header.method = mad[kMethod];
  header.status = wire::load<std::uint16_t>(mad, kStatus);
  if (is_directed(header.management_class)) {
    header.status = static_cast<std::uint16_t>(header.status & ~kDirectionBit);
  }
  header.transaction_id = wire::load<std::uint64_t>(mad, kTransactionId);
  header.attribute = wire::load<std::uint16_t>(mad, kAttribute);
  header.modifier = wire::load<std::uint32_t>(mad, kModifier);
  return header;
}

void header_to_wire(const Header& header, MadBytes& mad) noexcept {
  mad[kBaseVersion] = header.base_version;
  mad[kClass] = header.management_class;
  mad[kClassVersion] = header.class_version;
  mad[kMethod] = header.method;
  std::uint16_t status = header.status;
  if (is_directed(header.management_class) &&
      header.method == static_cast<std::uint8_t>(Method::kGetResp)) {
    status = static_cast<std::uint16_t>(status | kDirectionBit);
  }
  wire::store(mad, kStatus, status);
  wire::store(mad, kTransactionId, header.transaction_id);
  wire::store(mad, kAttribute, header.attribute);
  wire::store(mad, kModifier, header.modifier);
}

std::string describe_status(std::uint16_t status) {
  // Bits 2-4 say what is wrong with the request; the upper byte is the class's own (13.4.7).
  constexpr std::array<std::string_view, 8> kReasons{"",
                                                     "bad base or class version",
                                                     "method not supported",
                                                     "attribute not supported with this method",
                                                     "reserved code 4",
                                                     "reserved code 5",
                                                     "reserved code 6",
                                                     "invalid attribute or modifier"};
  std::string text = fmt::format("status 0x{:04x}", status);
  const std::string_view reason = kReasons[status >> 2 & 7U];
  if (!reason.empty()) text += fmt::format(": {}", reason);
  if ((status & 1U) != 0) text += ": busy";
  if ((status & 2U) != 0) text += ": redirection required";
  return text;
}

void route_to_wire(const DirectedRoute& route, MadBytes& mad) noexcept {
  mad[kHopPointer] = 0;
  mad[kHopCount] = static_cast<std::uint8_t>(route.hops());
  wire::store(mad, kSourceLid, kPermissiveLid);
  wire::store(mad, kDestinationLid, kPermissiveLid);
  const auto path = std::span(mad).subspan(kInitialPath, DirectedRoute::kMaxHops + 1);
  std::ranges::fill(path, std::uint8_t{0});
  std::ranges::copy(route.exit_ports(), path.begin() + 1);
}

std::optional<DirectedRoute> route_from_wire(const MadBytes& mad) noexcept {
  const std::size_t hops = mad[kHopCount];
  if (hops > DirectedRoute::kMaxHops) return std::nullopt;
  DirectedRoute route;
  for (const std::uint8_t port : std::span(mad).subspan(kInitialPath + 1, hops)) {
    route = route.then(model::PortNum{port});
  }
  return route;
}

}  // namespace heddle::mad
