#include "cli/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::cli {
namespace {

/// While it lives, what ends a program at its user's wish waits: the temporary file is then either
/// in its place or gone. O_TMPFILE would do without a name, but overlay file systems lack it.
class EndingHeld {
 public:
  EndingHeld() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int number : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&ending, number);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~EndingHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndingHeld(const EndingHeld&) = delete;
  EndingHeld& operator=(const EndingHeld&) = delete;

 private:
  sigset_t before_{};
};

[[nodiscard]] bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// mkstemp makes files for their owner alone; the result is to have the usual rights.
[[nodiscard]] bool give_usual_rights(int descriptor) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return ::fchmod(descriptor, 0666U & ~mask) == 0;
}

/// A device or a pipe takes bytes; renaming over it would put a file in its place.
[[nodiscard]] int write_to_device(const std::string& path, std::string_view content) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = write_all(descriptor, content) ? 0 : errno;
  ::close(descriptor);
  return error;
}

/// Where links lead to, if there is something: they stay, and what they point at is replaced.
[[nodiscard]] std::string without_links(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string out(resolved);
  std::free(resolved);
  return out;
}

}  // namespace

model::Status write_file(const std::string& name, std::string_view content) {
  const auto failed = [&name](int code) {
    return model::fail(model::Errc::kUnavailable,
                       fmt::format("{}: cannot be written: {}", name, std::strerror(code)));
  };
  struct stat found {};
  const bool exists = ::stat(name.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) return failed(EISDIR);
  if (exists && !S_ISREG(found.st_mode)) {
    const int error = write_to_device(name, content);
    return error == 0 ? model::Status() : failed(error);
  }
  const std::string path = without_links(name);
  const EndingHeld held;
  std::string temporary = path + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return failed(errno);
  const bool written =
      write_all(descriptor, content) && give_usual_rights(descriptor) && ::fsync(descriptor) == 0;
  const int write_error = errno;
  const bool closed = ::close(descriptor) == 0;
  const int close_error = errno;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const int error = !written ? write_error : !closed ? close_error : errno;
  ::unlink(temporary.c_str());
  return failed(error);
}

}  // namespace heddle::cli
