#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/ids.hpp"

/// Management datagrams as bytes. Everything here is host byte order; `from_wire` and `to_wire`
/// convert. Layouts: InfiniBand Architecture Specification volume 1, 13.4 (MAD), 14.2 (SMP), 16.1
/// (performance management); checked by tests against libibmad's field tables.
namespace heddle::mad {

inline constexpr std::size_t kMadSize = 256;
using MadBytes = std::array<std::uint8_t, kMadSize>;

enum class ManagementClass : std::uint8_t {
  kSmpLid = 0x01,
  kPerformance = 0x04,
  kSmpDirected = 0x81
};

enum class Method : std::uint8_t {
  kGet = 0x01,
  kSet = 0x02,
  kTrap = 0x05,
  kGetResp = 0x81,
  kTrapRepress = 0x07
};

/// Where the attribute's data stands in the MAD: SMPs carry 64 bytes at 64, GMPs of class 4 192
/// bytes at 64.
inline constexpr std::size_t kDataOffset = 64;
inline constexpr std::size_t kSmpDataSize = 64;
inline constexpr std::size_t kGmpDataSize = 192;

/// Exit ports from the local port on: hop i leaves the device reached after i hops. At most 63
/// hops.
class DirectedRoute {
 public:
  static constexpr std::size_t kMaxHops = 63;
  [[nodiscard]] std::size_t hops() const noexcept { return count_; }
  [[nodiscard]] std::span<const std::uint8_t> exit_ports() const noexcept {
    return {ports_.data(), count_};
  }
  /// One hop further, out of `port`; the caller checks hops() < kMaxHops.
  [[nodiscard]] DirectedRoute then(model::PortNum port) const noexcept {
    DirectedRoute longer = *this;
    longer.ports_[longer.count_++] = port.value();
    return longer;
  }
  bool operator==(const DirectedRoute&) const noexcept = default;

 private:
  std::uint8_t count_ = 0;
  std::array<std::uint8_t, kMaxHops> ports_{};
};

/// The common header, and of a directed-route SMP what precedes the data.
struct Header {
  std::uint8_t base_version = 1;
  std::uint8_t management_class = 0;
  std::uint8_t class_version = 1;
  std::uint8_t method = 0;
  std::uint16_t status = 0;  ///< directed route: without the direction bit
  std::uint64_t transaction_id = 0;
  std::uint16_t attribute = 0;
  std::uint32_t modifier = 0;
  bool operator==(const Header&) const noexcept = default;
};

[[nodiscard]] Header header_from_wire(const MadBytes& mad) noexcept;
void header_to_wire(const Header& header, MadBytes& mad) noexcept;

/// A status other than 0 for people: `status 0x001c: invalid attribute or modifier`.
[[nodiscard]] std::string describe_status(std::uint16_t status);

/// Writes hop pointer, hop count, permissive LIDs and the initial path of an outgoing
/// directed-route SMP.
void route_to_wire(const DirectedRoute& route, MadBytes& mad) noexcept;
/// The initial path of a directed-route SMP; nothing if its hop count is more than a route can
/// have.
[[nodiscard]] std::optional<DirectedRoute> route_from_wire(const MadBytes& mad) noexcept;

[[nodiscard]] inline std::span<const std::uint8_t> data_of(const MadBytes& mad) noexcept {
  return std::span(mad).subspan(kDataOffset);
}
[[nodiscard]] inline std::span<std::uint8_t> data_of(MadBytes& mad) noexcept {
  return std::span(mad).subspan(kDataOffset);
}

}  // namespace heddle::mad
