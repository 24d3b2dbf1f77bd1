#include "daemon/open_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace heddle::daemon {
namespace {

/// Standard streams, two event loops with their timers and signals, the listening socket, umad, the
/// configuration, systemd's socket: some twenty, and a few that libraries open for a moment. Each
/// HTTP thread may have a file of /proc open besides.
constexpr std::size_t kOwnFiles = 32;
/// More at the door at once are a flood, which gets no answer.
constexpr std::size_t kMostLeaving = 64;

}  // namespace

ConnectionRoom connection_room(std::size_t wanted, std::uint64_t open_files,
                               std::size_t http_threads) noexcept {
  const auto files = static_cast<std::size_t>(
      std::min<std::uint64_t>(open_files, std::numeric_limits<std::size_t>::max()));
  const std::size_t own = kOwnFiles + http_threads;
  const std::size_t left = files > own ? files - own : 0;
  ConnectionRoom room;
  room.leaving = std::clamp<std::size_t>(left / 4, 1, kMostLeaving);
  const std::size_t most = left > room.leaving ? left - room.leaving : 1;
  room.staying = std::clamp<std::size_t>(wanted, 1, most);
  return room;
}

std::uint64_t raise_open_files_limit() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::uint64_t>::max();
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return raised.rlim_cur;
  return limit.rlim_cur;
}

bool hold_standard_descriptors() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number is given, and those below are taken.
    if (open("/dev/null", O_RDWR) != descriptor) return false;
  }
  return true;
}

}  // namespace heddle::daemon
