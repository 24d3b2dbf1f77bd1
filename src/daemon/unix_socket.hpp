#pragma once

#include <string>
#include <utility>

#include "daemon/config.hpp"
#include "model/result.hpp"

namespace heddle::daemon {

/// A Unix stream socket that is bound to a path and listens; the path goes with it.
class UnixListener {
 public:
  /// Group and mode are set before anybody can connect. A socket that a program left behind is
  /// replaced; one that a program listens on is not, nor is anything that is no socket.
  /// kUnavailable, with path and reason.
  [[nodiscard]] static model::Result<UnixListener> open(const SocketConfig& socket);

  UnixListener(UnixListener&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  UnixListener& operator=(UnixListener&&) = delete;
  ~UnixListener();

  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  UnixListener(std::string path, int fd) noexcept : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;
};

}  // namespace heddle::daemon
