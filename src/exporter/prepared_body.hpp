#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "model/result.hpp"

namespace heddle::exporter {

/// A large text kept ready to serve, plain and compressed, to which each response appends a small
/// tail of its own. The gzip form of both is one member: the body is deflated once and shared by
/// all responses, the tail is joined to it.
class PreparedBody {
 public:
  PreparedBody();
  /// Compresses at level 1. Fails only where zlib has no memory.
  [[nodiscard]] static model::Result<PreparedBody> make(std::string plain);

  [[nodiscard]] const std::string& plain() const noexcept { return plain_; }
  /// The beginning of a gzip file, with plain() in it.
  [[nodiscard]] const std::string& gzip_front() const noexcept { return front_; }
  /// What makes gzip_front() a whole gzip file, of plain() and `tail`.
  [[nodiscard]] model::Result<std::string> gzip_end(std::string_view tail) const;
  /// The text's memory, for the next one.
  [[nodiscard]] std::string take_plain() && { return std::move(plain_); }

 private:
  std::string plain_;
  /// gzip header, and raw deflate blocks ended by a full flush, without the last-block mark.
  std::string front_;
  std::uint32_t crc_ = 0;
};

}  // namespace heddle::exporter
