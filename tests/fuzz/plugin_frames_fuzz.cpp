#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "plugins/abi/frames.hpp"

namespace {

/// What is a message must come back from its own bytes.
void check(const heddle::abi::Message& message) {
  std::string bytes;
  encode(message, bytes);
  heddle::abi::FrameReader reader;
  reader.feed(bytes);
  const auto frame = reader.next();
  if (!frame) std::abort();
  const auto back = decode(*frame);
  const auto* same = std::get_if<heddle::abi::Message>(&back);
  if (same == nullptr) std::abort();
  std::string again;
  encode(*same, again);
  if (again != bytes) std::abort();
}

}  // namespace

/// Any bytes, in pieces of any size: frames are found or the reader says that it is broken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  heddle::abi::FrameReader reader;
  const std::size_t piece = bytes.empty() ? 1 : 1U + static_cast<unsigned char>(bytes.back());
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (const auto frame = reader.next()) {
      const auto decoded = decode(*frame);
      if (const auto* message = std::get_if<heddle::abi::Message>(&decoded)) check(*message);
    }
  }
  return 0;
}
