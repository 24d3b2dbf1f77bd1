#include "plugins/abi/frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "unit/plugin_abi/samples.hpp"

namespace heddle::abi {
namespace {

using testing_support::one_of_each;

std::string frame_of(const Message& message) {
  std::string bytes;
  encode(message, bytes);
  return bytes;
}

Frame first_frame(FrameReader& reader, const std::string& bytes) {
  reader.feed(bytes);
  const std::optional<Frame> frame = reader.next();
  EXPECT_TRUE(frame);
  return frame.value_or(Frame{});
}

Decoded read(const std::string& bytes) {
  FrameReader reader;
  return decode(first_frame(reader, bytes));
}

std::string with_body(std::uint16_t kind, const std::string& body) {
  std::string bytes(kHeaderBytes, '\0');
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(body.size() >> (8 * i) & 0xFF);
  bytes[4] = static_cast<char>(kind & 0xFF);
  bytes[5] = static_cast<char>(kind >> 8);
  return bytes + body;
}

TEST(Frames, EachMessageComesBackAsItWent) {
  std::set<std::uint16_t> kinds;
  for (const Message& message : one_of_each()) {
    FrameReader reader;
    const Frame frame = first_frame(reader, frame_of(message));
    const Decoded back = decode(frame);
    ASSERT_TRUE(std::holds_alternative<Message>(back)) << frame.kind;
    EXPECT_EQ(std::get<Message>(back), message) << frame.kind;
    kinds.insert(frame.kind);
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Message>);
}

// Two versions meet: what stands on the wire must not change.
TEST(Frames, AHelloLooksAsItAlwaysDid) {
  Hello hello;
  hello.instance = 2;
  hello.process = 3;
  hello.software = "ab";
  using namespace std::string_literals;
  EXPECT_EQ(frame_of(hello),
            "\x16\0\0\0\x01\0\0\0"
            "HDDL\x01\0\x02\0\0\0\0\0\0\0\x03\0\0\0\x02\0ab"s);
}

TEST(Frames, MembersThatALaterVersionAddsArePassedOver) {
  for (const Message& message : one_of_each()) {
    FrameReader whole;
    const Frame frame = first_frame(whole, frame_of(message));
    const Decoded back = read(with_body(frame.kind, std::string(frame.body) + "and more"));
    ASSERT_TRUE(std::holds_alternative<Message>(back)) << frame.kind;
    EXPECT_EQ(std::get<Message>(back), message) << frame.kind;
  }
}

TEST(Frames, KindsAndChoicesOfALaterVersionAreUnknownAndTheNextFrameIsRead) {
  FrameReader reader;
  reader.feed(with_body(999, "whatever it is") + frame_of(SweepStep{}));
  EXPECT_EQ(std::get<Unread>(decode(*reader.next())), Unread::kUnknown);
  EXPECT_TRUE(std::holds_alternative<Message>(decode(*reader.next())));
  std::string step = frame_of(SweepStep{});
  step.back() = '\x7F';
  EXPECT_EQ(std::get<Unread>(read(step)), Unread::kUnknown);
}

TEST(Frames, ABodyThatEndsAnywhereEarlierIsMalformed) {
  for (const Message& message : one_of_each()) {
    FrameReader whole;
    const Frame frame = first_frame(whole, frame_of(message));
    for (std::size_t size = 0; size < frame.body.size(); ++size) {
      const Decoded back = read(with_body(frame.kind, std::string(frame.body.substr(0, size))));
      ASSERT_TRUE(std::holds_alternative<Unread>(back)) << frame.kind << " at " << size;
      EXPECT_EQ(std::get<Unread>(back), Unread::kMalformed) << frame.kind << " at " << size;
    }
  }
}

// Entries of a list are counted before them: a count beyond the body must take no memory.
TEST(Frames, AListLongerThanItsBodyIsMalformed) {
  std::string weights = frame_of(Weights{});
  for (std::size_t i = 1; i <= 4; ++i) weights[weights.size() - i] = '\xFF';
  EXPECT_EQ(std::get<Unread>(read(weights)), Unread::kMalformed);
}

TEST(Frames, AreFoundHoweverTheBytesCome) {
  std::string all;
  for (const Message& message : one_of_each()) encode(message, all);
  for (const std::size_t piece : {1U, 2U, 7U, 64U}) {
    FrameReader reader;
    std::size_t found = 0;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      reader.feed(std::string_view(all).substr(at, piece));
      while (const auto frame = reader.next()) {
        const Decoded back = decode(*frame);
        ASSERT_TRUE(std::holds_alternative<Message>(back));
        EXPECT_EQ(std::get<Message>(back), one_of_each()[found++]);
      }
    }
    EXPECT_EQ(found, one_of_each().size()) << piece;
  }
}

TEST(Frames, AClaimOfMoreThanAMebibyteEndsTheReading) {
  FrameReader reader;
  reader.feed(std::string("\x01\0\x10\0\x02\0\0\0", 8) + frame_of(SweepStep{}));
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.broken());
  reader.feed(frame_of(SweepStep{}));
  EXPECT_FALSE(reader.next());
}

TEST(Frames, LongTextsAreCutAndStayReadable) {
  RoutingRun run;
  run.reason = std::string(100'000, 'x');
  const Decoded back = read(frame_of(run));
  ASSERT_TRUE(std::holds_alternative<Message>(back));
  EXPECT_EQ(std::get<RoutingRun>(std::get<Message>(back)).reason, std::string(4096, 'x'));
}

}  // namespace
}  // namespace heddle::abi
