#include "exporter/prepared_body.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

namespace heddle::exporter {
namespace {

std::span<const Bytef> bytes_of(std::string_view text) noexcept {
  return {reinterpret_cast<const Bytef*>(text.data()), text.size()};
}

struct EndDeflate {
  void operator()(z_stream* stream) const noexcept {
    deflateEnd(stream);
    delete stream;
  }
};

/// RFC 1952, section 2.3: magic, deflate, no flags, no time, fastest (XFL 4), system not known.
constexpr std::array<char, 10> kHeader{'\x1F', '\x8B', 8, 0, 0, 0, 0, 0, 4, '\xFF'};

/// `out` with one run of raw deflate (RFC 1951) over `text` appended, ended by `flush`.
model::Result<std::string> deflated(std::string out, std::string_view text, int flush) {
  constexpr int kRawWindow = -15;  // 32 KiB, no zlib header
  constexpr int kMemoryLevel = 8;  // with 9 its tables leave the cache: a fifth slower
  constexpr std::size_t kPiece = std::size_t{1} << 30;  // zlib counts in unsigned int

  std::unique_ptr<z_stream, EndDeflate> stream(new z_stream{});
  if (deflateInit2(stream.get(), 1, Z_DEFLATED, kRawWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return model::fail(model::Errc::kUnavailable, "zlib has no memory to compress with");
  }
  out.reserve(out.size() + text.size() / 8 + 64);
  std::array<Bytef, 65536> chunk;
  std::span<const Bytef> rest = bytes_of(text);
  bool last = false;
  while (!last) {
    const std::span<const Bytef> piece = rest.first(std::min(rest.size(), kPiece));
    rest = rest.subspan(piece.size());
    last = rest.empty();
    stream->next_in = const_cast<Bytef*>(piece.data());  // zlib only reads it
    stream->avail_in = static_cast<uInt>(piece.size());
    do {
      stream->next_out = chunk.data();
      stream->avail_out = static_cast<uInt>(chunk.size());
      deflate(stream.get(), last ? flush : Z_NO_FLUSH);
      out.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - stream->avail_out);
    } while (stream->avail_out == 0);
  }
  return out;
}

std::uint32_t crc_of(std::string_view text) noexcept {
  return static_cast<std::uint32_t>(crc32_z(0, bytes_of(text).data(), text.size()));
}

void append_le32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<char>((value >> shift) & 0xFF));
}

}  // namespace

PreparedBody::PreparedBody() : front_(kHeader.data(), kHeader.size()) {}

model::Result<PreparedBody> PreparedBody::make(std::string plain) {
  PreparedBody body;
  // A full flush ends on a byte border and lets nothing after it refer back, so that any other
  // deflate stream may follow.
  model::Result<std::string> front = deflated(std::move(body.front_), plain, Z_FULL_FLUSH);
  if (!front) return model::fail(std::move(front.error()));
  body.front_ = std::move(*front);
  body.crc_ = crc_of(plain);
  body.plain_ = std::move(plain);
  return body;
}

model::Result<std::string> PreparedBody::gzip_end(std::string_view tail) const {
  model::Result<std::string> end = deflated({}, tail, Z_FINISH);
  if (!end) return model::fail(std::move(end.error()));
  const auto tail_length = static_cast<z_off_t>(tail.size());
  append_le32(*end, static_cast<std::uint32_t>(crc32_combine(crc_, crc_of(tail), tail_length)));
  append_le32(*end, static_cast<std::uint32_t>(plain_.size() + tail.size()));  // modulo 2^32
  return end;
}

}  // namespace heddle::exporter
