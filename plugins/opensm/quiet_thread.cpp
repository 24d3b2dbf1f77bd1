#include "plugins/opensm/quiet_thread.hpp"

#include <signal.h>

#include <utility>

namespace heddle::plugin {

std::thread start_quiet_thread(std::function<void()> run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // A thread begins with the signals of whoever starts it.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread thread(std::move(run));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
}

}  // namespace heddle::plugin
