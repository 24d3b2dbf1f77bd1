#include "cli/reader_left.hpp"

#include <poll.h>

namespace heddle::cli {

bool reader_left(int descriptor) noexcept {
  pollfd output{.fd = descriptor, .events = 0, .revents = 0};  // these come unasked
  return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

}  // namespace heddle::cli
