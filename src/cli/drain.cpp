#include "cli/drain.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#include "model/fabric.hpp"

namespace heddle::cli {

using model::Errc;
using model::fail;
using model::Result;

namespace {

constexpr int kPatienceMilliseconds = 10'000;
constexpr std::size_t kMostOfAnswer = 65536;

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() {
    if (fd_ != -1) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

std::string reason_of(int error) { return std::generic_category().message(error); }

/// The first line of what comes, however little comes at a time.
Result<std::string> answer_from(int fd, const std::string& path) {
  std::string answer;
  std::array<char, 4096> bytes;
  while (answer.find('\n') == std::string::npos && answer.size() < kMostOfAnswer) {
    pollfd ready{fd, POLLIN, 0};
    const int count = ::poll(&ready, 1, kPatienceMilliseconds);
    if (count == 0) return fail(Errc::kTimeout, fmt::format("{}: no answer", path));
    const ssize_t got = count < 0 ? -1 : ::recv(fd, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Errc::kUnavailable, fmt::format("{}: {}", path, reason_of(errno)));
    if (got == 0) return fail(Errc::kUnavailable, fmt::format("{}: hung up", path));
    answer.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return answer.substr(0, answer.find('\n'));
}

Result<std::string> ask(const std::string& path, const std::string& line) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return fail(Errc::kInvalidInput, fmt::format("--socket '{}': no path of a socket", path));
  }
  path.copy(static_cast<char*>(address.sun_path), path.size());
  const Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int fd = descriptor.get();
  if (fd == -1 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::send(fd, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
    return fail(Errc::kUnavailable, fmt::format("{}: {}", path, reason_of(errno)));
  }
  return answer_from(fd, path);
}

}  // namespace

Result<ExitCode> drain(const DrainCommand& command, Console& console) {
  const Result<model::PortKey> end = model::parse_port_key(command.link);
  if (!end) return fail(Errc::kInvalidInput, fmt::format("LINK: {}", end.error().text));
  std::string line = fmt::format("{} {}", command.undrain ? "undrain" : "drain", to_string(*end));
  if (!command.undrain) line += fmt::format(" percent={}", command.percent);
  if (command.seconds) line += fmt::format(" seconds={}", *command.seconds);
  const Result<std::string> answer = ask(command.socket, line + '\n');
  if (!answer) return fail(answer.error());
  constexpr std::string_view kGood = "ok: ";
  if (answer->starts_with(kGood)) {
    console.out << model::printable(answer->substr(kGood.size())) << '\n';
    return ExitCode::kGood;
  }
  console.err << "heddle: " << model::printable(*answer) << '\n';
  return ExitCode::kNotGood;
}

}  // namespace heddle::cli
