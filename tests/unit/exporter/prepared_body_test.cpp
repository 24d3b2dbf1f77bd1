#include "exporter/prepared_body.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <random>

namespace heddle::exporter::test {
namespace {

/// Unpacked as gunzip would: header, checksum and length are checked, nothing may follow. Nothing
/// on any fault.
std::optional<std::string> gunzipped(const std::string& packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;  // 16: gzip and nothing else
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::string out;
  std::array<char, 65536> chunk;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(out) : std::nullopt;
}

std::string random_text(std::size_t size, std::uint64_t seed, unsigned letters) {
  std::mt19937_64 random(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random() % letters);
  return out;
}

std::string gzip_with(const PreparedBody& prepared, const std::string& tail) {
  const model::Result<std::string> end = prepared.gzip_end(tail);
  return end ? prepared.gzip_front() + *end : std::string();
}

std::string joined(const std::string& body, const std::string& tail) {
  const model::Result<PreparedBody> prepared = PreparedBody::make(body);
  EXPECT_TRUE(prepared.has_value());
  EXPECT_EQ(prepared->plain(), body);
  return gunzipped(gzip_with(*prepared, tail)).value_or("not a gzip file");
}

TEST(PreparedBody, JoinsBodyAndTailIntoOneGzipFile) {
  EXPECT_EQ(joined("body\n", "tail\n"), "body\ntail\n");
  EXPECT_EQ(joined("body\n", ""), "body\n");
  EXPECT_EQ(joined("", "tail\n"), "tail\n");
  EXPECT_EQ(joined("", ""), "");
}

TEST(PreparedBody, JoinsAnySizes) {
  for (const std::size_t body : {1U, 65535U, 65536U, 300'000U}) {
    for (const std::size_t tail : {0U, 1U, 200'000U}) {
      for (const unsigned letters : {2U, 256U}) {
        const std::string a = random_text(body, body, letters);
        const std::string b = random_text(tail, tail + 1, letters);
        EXPECT_TRUE(joined(a, b) == a + b) << body << " + " << tail << ", " << letters;
      }
    }
  }
}

TEST(PreparedBody, TakesManyTails) {
  const model::Result<PreparedBody> prepared = PreparedBody::make(std::string(100'000, 'x'));
  for (int i = 0; i < 50; ++i) {
    const std::string tail = "request " + std::to_string(i);
    EXPECT_EQ(gunzipped(gzip_with(*prepared, tail)), std::string(100'000, 'x') + tail);
  }
}

TEST(PreparedBody, IsSmallForRepetitiveText) {
  const model::Result<PreparedBody> prepared = PreparedBody::make(std::string(1'000'000, 'x'));
  EXPECT_LT(prepared->gzip_front().size(), 20'000U);
  EXPECT_LT(prepared->gzip_end("tail")->size(), 64U);
}

TEST(PreparedBody, IsAValidGzipFileBeforeAnythingWasPrepared) {
  EXPECT_EQ(gunzipped(gzip_with(PreparedBody{}, "tail")), "tail");
}

}  // namespace
}  // namespace heddle::exporter::test
