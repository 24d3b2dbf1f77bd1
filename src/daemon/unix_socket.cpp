#include "daemon/unix_socket.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>

namespace heddle::daemon {
namespace {

constexpr int kBacklog = 16;

std::string reason_of(int error) { return std::generic_category().message(error); }

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  return address;
}

const sockaddr* plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

int new_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

/// A socket file that nobody listens on.
bool is_left_behind(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  const int fd = new_socket();
  if (fd == -1) return false;
  const sockaddr_un address = address_of(path);
  const bool refused = ::connect(fd, plain(address), sizeof address) != 0 && errno == ECONNREFUSED;
  ::close(fd);
  return refused;
}

std::optional<gid_t> group_id(const std::string& name) {
  group entry{};
  group* found = nullptr;
  std::array<char, 16384> buffer;
  if (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0) {
    return std::nullopt;
  }
  return found == nullptr ? std::nullopt : std::optional(found->gr_gid);
}

/// What goes wrong; nothing if it is bound.
std::optional<std::string> bind_to(int fd, const SocketConfig& socket) {
  const sockaddr_un address = address_of(socket.path);
  int bound = ::bind(fd, plain(address), sizeof address);
  if (bound != 0 && errno == EADDRINUSE) {
    if (!is_left_behind(socket.path)) return "another program listens there, or it is no socket";
    if (::unlink(socket.path.c_str()) != 0) return reason_of(errno);
    bound = ::bind(fd, plain(address), sizeof address);
  }
  return bound == 0 ? std::nullopt : std::optional(reason_of(errno));
}

std::optional<std::string> give_rights(const SocketConfig& socket) {
  if (!socket.group.empty()) {
    const std::optional<gid_t> group = group_id(socket.group);
    if (!group) return fmt::format("there is no group {}", socket.group);
    if (::chown(socket.path.c_str(), static_cast<uid_t>(-1), *group) != 0) {
      return fmt::format("group {}: {}", socket.group, reason_of(errno));
    }
  }
  if (::chmod(socket.path.c_str(), static_cast<mode_t>(socket.mode)) != 0) return reason_of(errno);
  return std::nullopt;
}

}  // namespace

model::Result<UnixListener> UnixListener::open(const SocketConfig& socket) {
  const auto refuse = [&socket](std::string_view why) {
    return model::fail(model::Errc::kUnavailable, fmt::format("{}: {}", socket.path, why));
  };
  const int fd = new_socket();
  if (fd == -1) return refuse(reason_of(errno));
  if (const auto problem = bind_to(fd, socket)) {
    ::close(fd);
    return refuse(*problem);
  }
  UnixListener listener(socket.path, fd);
  if (const auto problem = give_rights(socket)) return refuse(*problem);
  if (::listen(fd, kBacklog) != 0) return refuse(reason_of(errno));
  return listener;
}

UnixListener::~UnixListener() {
  if (fd_ == -1) return;
  ::close(fd_);
  ::unlink(path_.c_str());
}

}  // namespace heddle::daemon
