#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/abi/messages.hpp"

namespace heddle::abi {

/// A frame: length of the body (32 bits), kind (16 bits), 0 (16 bits), body; all little-endian. The
/// body is the message's members in their order: numbers, texts and lists with their length before
/// them. A later version may add kinds, and members at the end of a body.
inline constexpr std::size_t kHeaderBytes = 8;
inline constexpr std::size_t kMaxBodyBytes = 1U << 20;

/// Appends the message as a frame. A text or list that does not fit is cut.
void encode(const Message& message, std::string& out);

struct Frame {
  std::uint16_t kind = 0;
  std::string_view body;
};

enum class Unread : std::uint8_t {
  kUnknown,   ///< of a later version: a kind, or a value of an enumeration
  kMalformed  ///< the body ends too early, or a length in it leads beyond its end
};
/// A message, or why it is none.
using Decoded = std::variant<Message, Unread>;
[[nodiscard]] Decoded decode(const Frame& frame);

/// Cuts what a socket gives into frames.
class FrameReader {
 public:
  /// Appends bytes. Frames that next() gave end here.
  void feed(std::string_view bytes);
  /// The next whole frame; nothing if there is none yet.
  [[nodiscard]] std::optional<Frame> next();
  /// Whether a frame claimed a body of more than kMaxBodyBytes: nothing can be read any more.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

 private:
  std::string bytes_;
  std::size_t used_ = 0;
  bool broken_ = false;
};

}  // namespace heddle::abi
