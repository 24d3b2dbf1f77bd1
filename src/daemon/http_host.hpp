#pragma once

#include <string_view>

namespace heddle::daemon::http {

/// Whether the value of a Host header is `localhost`, an address of 127.0.0.0/8 or `[::1]`, with or
/// without a port. A page of another site whose name was made to resolve to this machine (DNS
/// rebinding) sends that site's name.
[[nodiscard]] bool is_local_host(std::string_view host) noexcept;

}  // namespace heddle::daemon::http
