#include "mad/umad_ports.hpp"

#include <endian.h>
#include <infiniband/umad.h>

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "mad/smp.hpp"

namespace heddle::mad {
namespace {

constexpr unsigned kActive = 4;
constexpr unsigned kLinkUp = 5;

/// Releases what umad_get_ca() allocated.
class Adapter {
 public:
  explicit Adapter(const char* name) : found_(umad_get_ca(name, &ca_) == 0) {}
  ~Adapter() {
    if (found_) umad_release_ca(&ca_);
  }
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;
  [[nodiscard]] const umad_ca_t* get() const noexcept { return found_ ? &ca_ : nullptr; }

 private:
  umad_ca_t ca_{};
  bool found_;
};

/// The kernel gives 0 to ports that have none, such as those of some RoCE devices.
std::optional<model::PortGuid> guid_from_wire(std::uint64_t wire) {
  const std::uint64_t guid = be64toh(wire);
  return guid == 0 ? std::nullopt : std::optional(model::PortGuid{guid});
}

LocalPort to_local_port(const umad_ca_t& ca, const umad_port_t& port) {
  return {.device = ca.ca_name,
          .number = model::PortNum{static_cast<std::uint8_t>(port.portnum)},
          .link_layer = port.link_layer,
          .is_channel_adapter = ca.node_type == static_cast<unsigned>(NodeType::kChannelAdapter),
          .active = port.state == kActive,
          .link_up = port.phys_state == kLinkUp,
          .guid = guid_from_wire(port.port_guid)};
}

}  // namespace

model::Result<std::vector<LocalPort>> local_ports() {
  if (umad_init() < 0) {
    return model::fail(model::Errc::kUnavailable,
                       "libibumad does not start: is the ib_umad kernel module loaded?");
  }
  constexpr std::size_t kMaxAdapters = 128;
  std::array<char[UMAD_CA_NAME_LEN], kMaxAdapters> names{};
  const int count = umad_get_cas_names(names.data(), static_cast<int>(names.size()));
  if (count < 0) return model::fail(model::Errc::kUnavailable, "cannot list the RDMA devices");
  std::vector<LocalPort> ports;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Adapter adapter(names[i]);
    if (adapter.get() == nullptr) continue;
    for (const umad_port_t* port : adapter.get()->ports) {
      if (port != nullptr) ports.push_back(to_local_port(*adapter.get(), *port));
    }
  }
  return ports;
}

}  // namespace heddle::mad
