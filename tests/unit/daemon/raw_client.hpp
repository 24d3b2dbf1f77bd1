#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::daemon::testing_support {

/// A client that sends what a test wants and nothing else. All waits are bounded.
class RawClient {
 public:
  using Millis = std::chrono::milliseconds;
  static constexpr Millis kPatience{5000};

  /// `receive_bytes`: size of the kernel's receive buffer, 0 for its default.
  explicit RawClient(std::uint16_t port, int receive_bytes = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes != 0) {
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const void* any = &address;
    connected_ = ::connect(fd_, static_cast<const sockaddr*>(any), sizeof(address)) == 0;
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const noexcept { return connected_; }

  /// False once the server has closed the connection.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Says that nothing more will be sent.
  void finish() const { ::shutdown(fd_, SHUT_WR); }

  /// What has come in when `marker` is part of it, or the server has closed, or patience is over;
  /// up to the end of the marker.
  std::string read_to(std::string_view marker, Millis patience = kPatience) {
    std::size_t at = buffer_.find(marker);
    while (at == std::string::npos && fill(patience)) at = buffer_.find(marker);
    const std::size_t end = at == std::string::npos ? buffer_.size() : at + marker.size();
    return take(end);
  }

  /// Everything until the server closes.
  std::string read_all(Millis patience = kPatience) {
    while (fill(patience)) {
    }
    return take(buffer_.size());
  }

  /// One answer with a Content-Length: head and body.
  std::pair<std::string, std::string> read_answer() {
    std::string head = read_to("\r\n\r\n");
    const std::string_view name = "Content-Length: ";
    const std::size_t at = head.find(name);
    const std::size_t length =
        at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + name.size(), nullptr, 10);
    while (buffer_.size() < length && fill(kPatience)) {
    }
    return {std::move(head), take(length)};
  }

  /// Whether the server closes within the time, with nothing more sent.
  [[nodiscard]] bool closed_within(Millis patience) {
    const std::size_t before = buffer_.size();
    while (fill(patience)) {
    }
    return closed_ && buffer_.size() == before;
  }
  [[nodiscard]] bool closed() const noexcept { return closed_; }

 private:
  bool fill(Millis patience) {
    pollfd waiting{fd_, POLLIN, 0};
    if (closed_ || ::poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
    std::array<char, 65536> bytes{};
    const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    closed_ = got <= 0;
    if (!closed_) buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    return !closed_;
  }
  std::string take(std::size_t count) {
    std::string rest = buffer_.substr(count);
    buffer_.resize(count);
    return std::exchange(buffer_, std::move(rest));
  }

  int fd_;
  bool connected_ = false;
  bool closed_ = false;
  std::string buffer_;
};

}  // namespace heddle::daemon::testing_support
