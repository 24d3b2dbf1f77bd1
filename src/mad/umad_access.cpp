#include "mad/umad_access.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace heddle::mad {
namespace {

/// What to do, after a "; ", or nothing.
std::string_view remedy(int error) noexcept {
  if (error == EACCES) {
    // rdma-core leaves the devices to root.
    return "; /dev/infiniband/umad* must be open to this user: install 91-heddle-umad.rules, run "
           "`udevadm control --reload` and `udevadm trigger --subsystem-match=infiniband_mad`, and "
           "be in the group heddle";
  }
  if (error == EPERM) {
    // systemd looks the device's name up when the unit starts.
    return "; the unit's DeviceAllow=char-infiniband_mad must be there, and ib_umad loaded before "
           "the unit starts";
  }
  return {};
}

}  // namespace

std::string open_failure(std::string_view port, int error) {
  return fmt::format("cannot open the management device of {}: {}{}", port,
                     std::generic_category().message(error), remedy(error));
}

}  // namespace heddle::mad
