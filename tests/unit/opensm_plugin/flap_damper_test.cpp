#include "plugins/opensm/flap_damper.hpp"

#include <gtest/gtest.h>

namespace heddle::plugin {
namespace {

using std::chrono::seconds;

constexpr model::PortKey kCable{model::NodeGuid{std::uint64_t{1}}, model::PortNum{std::uint8_t{2}}};
constexpr model::PortKey kOther{model::NodeGuid{std::uint64_t{1}}, model::PortNum{std::uint8_t{3}}};
constexpr FlapDamper::Instant kStart{seconds(1000)};

TEST(FlapDamperTest, AFewDeathsWithinAWindowAreRepairedAndNoMore) {
  FlapDamper damper({.deaths = 3, .window = seconds(60)});
  EXPECT_TRUE(damper.admit(kCable, kStart));
  EXPECT_TRUE(damper.admit(kCable, kStart + seconds(1)));
  EXPECT_TRUE(damper.admit(kCable, kStart + seconds(2)));
  EXPECT_FALSE(damper.admit(kCable, kStart + seconds(3)));
  EXPECT_TRUE(damper.admit(kOther, kStart + seconds(3))) << "others have their own count";
}

TEST(FlapDamperTest, ACableThatGoesOnFlappingIsNotTrustedAgain) {
  FlapDamper damper({.deaths = 2, .window = seconds(60)});
  EXPECT_TRUE(damper.admit(kCable, kStart));
  EXPECT_TRUE(damper.admit(kCable, kStart + seconds(20)));
  for (int i = 2; i < 40; ++i) EXPECT_FALSE(damper.admit(kCable, kStart + i * seconds(20))) << i;
}

TEST(FlapDamperTest, ACableThatWasQuietIsAsNew) {
  FlapDamper damper({.deaths = 1, .window = seconds(60)});
  EXPECT_TRUE(damper.admit(kCable, kStart));
  EXPECT_FALSE(damper.admit(kCable, kStart + seconds(59)));
  EXPECT_FALSE(damper.admit(kCable, kStart + seconds(118))) << "59 s after the last";
  EXPECT_TRUE(damper.admit(kCable, kStart + seconds(178)));
}

}  // namespace
}  // namespace heddle::plugin
