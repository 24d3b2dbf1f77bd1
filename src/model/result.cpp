#include "model/result.hpp"

#include <fmt/format.h>

namespace heddle::model {

const char* to_string(Errc code) noexcept {
  switch (code) {
    case Errc::kInvalidInput:
      return "invalid_input";
    case Errc::kNotFound:
      return "not_found";
    case Errc::kConflict:
      return "conflict";
    case Errc::kTimeout:
      return "timeout";
    case Errc::kBusy:
      return "busy";
    case Errc::kMute:
      return "mute";
    case Errc::kRefused:
      return "refused";
    case Errc::kCancelled:
      return "cancelled";
    case Errc::kUnavailable:
      return "unavailable";
    case Errc::kUnsupported:
      return "unsupported";
  }
  return "unknown";
}

std::string Error::message() const {
  if (!position) return text;
  return fmt::format("{}:{}: {}", position->file, position->line, text);
}

}  // namespace heddle::model
