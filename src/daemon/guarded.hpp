#pragma once

#include <exception>
#include <string_view>
#include <utility>

namespace heddle::daemon {

/// Calls `work`, and with what it throws `tell`, as text: for the edge of a thread, where an
/// exception would end the process. What `tell` throws for want of memory is dropped; then there is
/// nobody left to tell. True if `work` threw nothing.
template <class Work, class Tell>
bool guarded(Work&& work, Tell&& tell) noexcept {
  const auto told = [&tell](std::string_view what) noexcept {
    try {
      tell(what);
    } catch (...) {  // NOLINT(bugprone-empty-catch): see above
    }
  };
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::exception& thrown) {
    told(thrown.what());
  } catch (...) {
    told("an exception of an unknown kind");
  }
  return false;
}

}  // namespace heddle::daemon
