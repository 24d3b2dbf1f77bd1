#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// Values of header fields, as any client may send them. Pure.
namespace heddle::daemon::http {

/// Whether a list such as `gzip;q=0.5, br` (RFC 9110, section 12.5) names `item` without giving it
/// weight 0; its first naming counts. `item` is a coding or a media type, in lower case and without
/// parameters. Ranges such as `*` name nothing.
[[nodiscard]] bool accepts(std::string_view list, std::string_view item) noexcept;

/// The sequence number in a Last-Event-ID; nothing where it is not one that the event log gives.
[[nodiscard]] std::optional<std::uint64_t> last_event_id(std::string_view value) noexcept;

}  // namespace heddle::daemon::http
