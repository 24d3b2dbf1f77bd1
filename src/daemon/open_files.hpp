#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::daemon {

/// How many connections there may be at once.
struct ConnectionRoom {
  std::size_t staying = 1;  ///< served
  std::size_t leaving = 1;  ///< beside them: being turned away, or closed to make room
  bool operator==(const ConnectionRoom&) const = default;
};

/// What `open_files`, the process's limit of descriptors, leaves of the `wanted` connections when
/// the daemon with `http_threads` threads has what it needs itself; at least one of each.
[[nodiscard]] ConnectionRoom connection_room(std::size_t wanted, std::uint64_t open_files,
                                             std::size_t http_threads) noexcept;

/// Raises the soft limit of open files to the hard one, as far as the system lets it, and returns
/// the limit that holds now.
std::uint64_t raise_open_files_limit() noexcept;

/// Opens /dev/null in the place of standard input, output and error where they are closed: the next
/// file or socket would take their numbers, and get the log. Before anything else is opened; false
/// if that fails.
[[nodiscard]] bool hold_standard_descriptors() noexcept;

}  // namespace heddle::daemon
