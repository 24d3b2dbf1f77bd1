#include "exporter/json_writer.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <limits>

#include "exporter/text.hpp"
#include "model/fabric.hpp"

namespace heddle::exporter::test {
namespace {

template <class T>
std::string written(const T& value) {
  JsonWriter json;
  json.value(value);
  return std::move(json).take();
}

TEST(JsonWriter, PutsCommasBetweenAndNowhereElse) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("a");
  json.end_array();
  json.begin_array("b");
  json.value(1U);
  json.begin_object();
  json.end_object();
  json.null();
  json.end_array();
  json.field("c", "x");
  json.begin_object("d");
  json.field("e", true);
  json.end_object();
  json.end_object();
  EXPECT_EQ(std::move(json).take(), R"({"a":[],"b":[1,{},null],"c":"x","d":{"e":true}})");
}

TEST(JsonWriter, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(written("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(written(std::string("\x01\n\xff\x7f", 4)), R"("\\x01\\x0a\\xff\\x7f")");
  EXPECT_EQ(written("gr\xC3\xBCn"), "\"gr\xC3\xBCn\"");
}

TEST(JsonWriter, WritesTextThatReadsBackAsItIsShown) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string bytes{static_cast<char>(first), static_cast<char>(second)};
      const boost::json::value read = boost::json::parse(written(bytes));
      ASSERT_EQ(std::string(read.as_string()), model::printable(bytes));
    }
  }
}

TEST(JsonWriter, WritesNumbersInFullAndNoOthers) {
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(written(std::uint8_t{65}), "65");
  EXPECT_EQ(written(1.5), "1.5");
  EXPECT_EQ(written(0.1F), "0.1");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<float>::quiet_NaN()), "null");
}

TEST(JsonWriter, WritesCountersAndGuidsAsText) {
  JsonWriter json;
  json.counter(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::move(json).take(), "\"18446744073709551615\"");
  EXPECT_EQ(written(model::NodeGuid{std::uint64_t{0xAB}}), "\"0x00000000000000ab\"");
  EXPECT_EQ(written(model::Lid{std::uint16_t{7}}), "7");
}

TEST(JsonWriter, WritesNothingKnownAsNull) {
  EXPECT_EQ(written(std::optional<std::uint64_t>{}), "null");
  EXPECT_EQ(written(std::optional<std::uint64_t>{3}), "3");
  EXPECT_EQ(written(std::optional<std::chrono::system_clock::time_point>{}), "null");
}

TEST(Text, WritesTimesInUtc) {
  using namespace std::chrono_literals;
  EXPECT_EQ(rfc3339(std::chrono::system_clock::time_point{951'782'400s}),
            "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(rfc3339(std::chrono::system_clock::time_point{1'790'000'000'007ms}),
            "2026-09-21T14:13:20.007Z");
}

TEST(Text, QuotesShortPrintablePiecesOfWhatWasSent) {
  EXPECT_EQ(excerpt("a\n"), "'a\\x0a'");
  EXPECT_EQ(excerpt(std::string(150, 'x')), "'" + std::string(100, 'x') + "…'");
}

}  // namespace
}  // namespace heddle::exporter::test
