#include "daemon/http_fields.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "daemon/http_host.hpp"

namespace heddle::daemon::http {
namespace {

using namespace std::string_view_literals;

TEST(HttpFields, AnItemOfAListIsAcceptedUnlessItsWeightIsZero) {
  EXPECT_TRUE(accepts("gzip", "gzip"));
  EXPECT_TRUE(accepts("deflate, GZIP ;q=0.5", "gzip"));
  EXPECT_TRUE(accepts("gzip;q=0.001", "gzip"));
  EXPECT_TRUE(accepts("text/html;level=1, text/event-stream;charset=utf-8", "text/event-stream"));
  EXPECT_FALSE(accepts("gzip;q=0", "gzip"));
  EXPECT_FALSE(accepts("gzip; x=1; Q = 0.000, br", "gzip"));
  EXPECT_FALSE(accepts("text/event-stream;q=0", "text/event-stream"));
  EXPECT_FALSE(accepts("gzip;q=0, gzip", "gzip"));
}

TEST(HttpFields, NothingElseNamesAnItem) {
  for (const std::string_view list : {""sv, ","sv, "gzipped"sv, "x-gzip"sv, "*"sv, "gzip2"sv,
                                      ";gzip"sv, "a;b=\"x, gzip\""sv, "\"gzip\""sv}) {
    EXPECT_FALSE(accepts(list, "gzip")) << list;
  }
  EXPECT_FALSE(accepts("*/*, text/*", "text/event-stream"));
  EXPECT_FALSE(accepts("application/x-text/event-stream-log", "text/event-stream"));
}

TEST(HttpFields, AnEventIdIsAWholeNumberOrNothing) {
  EXPECT_EQ(last_event_id("42"), 42U);
  EXPECT_EQ(last_event_id("18446744073709551615"), ~std::uint64_t{0});
  for (const std::string_view text : {""sv, "-1"sv, " 1"sv, "1x"sv, "18446744073709551616"sv}) {
    EXPECT_EQ(last_event_id(text), std::nullopt) << text;
  }
}

TEST(HttpHost, NeitherAZeroByteNorAZoneHidesAnotherName) {
  EXPECT_TRUE(is_local_host("127.0.0.1"));
  EXPECT_TRUE(is_local_host("[::1]:80"));
  EXPECT_FALSE(is_local_host("127.0.0.1\0.evil.example"sv));
  EXPECT_FALSE(is_local_host("[::1\0.evil.example]"sv));
  EXPECT_FALSE(is_local_host("[::1%evil.example]"));
  EXPECT_FALSE(is_local_host("[::1%lo]:80"));
}

}  // namespace
}  // namespace heddle::daemon::http
