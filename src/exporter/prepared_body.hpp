#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace heddle::exporter {

/// A large text kept ready to serve, plain and compressed, to which each response appends a small
/// tail of its own. The gzip form of both is one member: the body is deflated once, the tail joined
/// to it.
class PreparedBody {
 public:
  PreparedBody() = default;
  /// Compresses at level 1. Fails only where zlib has no memory.
  [[nodiscard]] static model::Result<PreparedBody> make(std::string plain);

  [[nodiscard]] const std::string& plain() const noexcept { return plain_; }
  [[nodiscard]] std::size_t compressed_size() const noexcept { return deflated_.size(); }
  /// plain() and `tail` as a complete gzip file.
  [[nodiscard]] model::Result<std::string> gzip_with(std::string_view tail) const;

 private:
  std::string plain_;
  std::string deflated_;  ///< raw deflate blocks ended by a full flush, without the last-block mark
  std::uint32_t crc_ = 0;
};

}  // namespace heddle::exporter
