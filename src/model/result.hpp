#pragma once

// A dropped Result is a compile-time warning: tl::expected 1.0.0 is not [[nodiscard]] itself, but
// an attribute on an earlier declaration holds. This is the only file that includes the library.
namespace tl {
template <class T, class E>
class [[nodiscard]] expected;
}  // namespace tl
#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace heddle::model {

enum class Errc : std::uint8_t {
  kInvalidInput,  ///< a file, an option or a message that cannot be understood
  kNotFound,      ///< a named thing does not exist
  kConflict,      ///< two statements that cannot both hold
  kTimeout,       ///< no answer in time, after all retries
  kBusy,          ///< answered "busy, ask again" at all retries
  kMute,          ///< not asked: the device has not answered lately and its back-off has not passed
  kRefused,       ///< the other side answered with an error status
  kCancelled,     ///< given up by us
  kUnavailable,   ///< a device, file or server cannot be used now
  kUnsupported,   ///< the other side cannot do this
};

/// The name of the code as it stands in logs and metrics: `timeout`, `mute`, …
[[nodiscard]] const char* to_string(Errc code) noexcept;

/// A place in the input, for people: `file:line`. Lines count from 1.
struct SourcePosition {
  std::string file;
  std::uint32_t line = 0;
  bool operator==(const SourcePosition&) const = default;
};

/// Why something failed: a code for programs, a short text for people, the place in the input if
/// there is one.
struct Error {
  Errc code = Errc::kInvalidInput;
  std::string text;
  std::optional<SourcePosition> position;

  /// `file:line: text`, or the text alone.
  [[nodiscard]] std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// For `return fail(Errc::kNotFound, "…")` from any function that returns a Result.
[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string text) {
  return tl::unexpected<Error>(Error{code, std::move(text), std::nullopt});
}
[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string text, SourcePosition where) {
  return tl::unexpected<Error>(Error{code, std::move(text), std::move(where)});
}
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace heddle::model
