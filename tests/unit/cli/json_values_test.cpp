#include "cli/json_values.hpp"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <limits>

namespace heddle::cli {
namespace {

TEST(JsonValues, takes_a_duration_of_any_size) {
  EXPECT_EQ(duration_text(1e300), "1e+300 s");
  EXPECT_EQ(duration_text(-1e300), "-1e+300 s");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "nan s");
}

TEST(JsonValues, are_absent_where_missing_or_of_another_type) {
  const auto value = boost::json::parse(R"({"t":"x","n":1.5,"i":-2,"z":null,"o":{"a":1},"l":[1]})");
  const boost::json::object& object = value.as_object();
  EXPECT_EQ(text_at(object, "t"), "x");
  EXPECT_EQ(text_at(object, "n"), "");
  EXPECT_EQ(number_at(object, "n"), 1.5);
  EXPECT_EQ(number_at(object, "i"), -2.0);
  EXPECT_EQ(number_at(object, "z"), std::nullopt);
  EXPECT_EQ(number_at(object, "none"), std::nullopt);
  EXPECT_FALSE(flag_at(object, "t"));
  EXPECT_EQ(object_at(object, "o").size(), 1U);
  EXPECT_TRUE(object_at(object, "l").empty());
  EXPECT_EQ(array_at(object, "l").size(), 1U);
  EXPECT_TRUE(array_at(object, "z").empty());
}

TEST(JsonValues, show_rates_in_powers_of_1000) {
  EXPECT_EQ(rate_text(std::nullopt), "-");
  EXPECT_EQ(rate_text(0), "0 B/s");
  EXPECT_EQ(rate_text(999), "999 B/s");
  EXPECT_EQ(rate_text(999'999), "1.0 MB/s");
  EXPECT_EQ(rate_text(24.5e9), "24.5 GB/s");
}

TEST(JsonValues, show_durations_in_two_units) {
  EXPECT_EQ(duration_text(std::nullopt), "-");
  EXPECT_EQ(duration_text(0.25), "0.25 s");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
  EXPECT_EQ(duration_text(3 * 3600 + 60), "3 h 1 min");
  EXPECT_EQ(duration_text(50 * 3600), "2 d 2 h");
}

}  // namespace
}  // namespace heddle::cli
