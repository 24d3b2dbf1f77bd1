#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/result.hpp"

namespace heddle::mad {

/// A local port of an RDMA device, as sysfs describes it.
struct LocalPort {
  std::string device{};  ///< `mlx5_0`
  model::PortNum number{};
  std::string link_layer{};  ///< `InfiniBand`, `Ethernet`, …; `IB` or empty where it is not said
  bool is_channel_adapter = true;  ///< iWARP, EFA and others are not
  bool active = false;
  bool link_up = false;
  std::optional<model::PortGuid> guid{};
};

/// What the operator asked for; empty parts mean "any".
struct PortChoice {
  std::string device{};
  std::optional<model::PortNum> number{};
  std::optional<model::PortGuid> guid{};
};

/// All local ports, through libibumad. Devices that cannot be read are left out.
[[nodiscard]] model::Result<std::vector<LocalPort>> local_ports();

/// The port to use: an InfiniBand port of a channel adapter with a GUID; never RoCE, iWARP or
/// another RDMA device. Among several that fit, the only active one, or where none is active the
/// only one with its link up; else an error that names the candidates, or, where none fits, what
/// was seen and why it does not serve. Pure.
[[nodiscard]] model::Result<LocalPort> choose_port(std::span<const LocalPort> ports,
                                                   const PortChoice& wanted);

}  // namespace heddle::mad
