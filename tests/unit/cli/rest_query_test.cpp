#include "cli/rest_query.hpp"

#include <gmock/gmock.h>

namespace heddle::cli {
namespace {

using testing::HasSubstr;

TEST(RestQuery, encodes_parameters) {
  EXPECT_EQ(make_target("/v1/links", {}), "/v1/links");
  EXPECT_EQ(make_target("/v1/links", {{"rate", "4xEDR"}, {"after", "a/b c&d=+%"}}),
            "/v1/links?rate=4xEDR&after=a/b%20c%26d%3D%2B%25");
}

TEST(RestQuery, gives_the_object_of_a_good_answer) {
  const auto object = read_answer({200, R"({"ready":true})"}, "/v1/status");
  ASSERT_TRUE(object);
  EXPECT_TRUE(object->contains("ready"));
}

TEST(RestQuery, gives_the_detail_of_a_problem) {
  const auto object = read_answer(
      {400, R"({"type":"about:blank","title":"Bad","status":400,"detail":"no such rate"})"},
      "/v1/links?rate=x");
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().text, "GET /v1/links?rate=x: the server answers 400: no such rate");
}

TEST(RestQuery, refuses_what_is_no_object) {
  EXPECT_THAT(read_answer({200, "<html>"}, "/v1/status").error().text,
              HasSubstr("the answer is no JSON object"));
  EXPECT_THAT(read_answer({502, "<html>"}, "/v1/status").error().text,
              HasSubstr("the server answers 502"));
}

}  // namespace
}  // namespace heddle::cli
