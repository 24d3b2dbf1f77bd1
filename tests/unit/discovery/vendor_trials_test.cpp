#include "discovery/vendor_trials.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace heddle::discovery {
namespace {

using model::Errc;
using model::Error;

constexpr std::uint16_t kType = 7;

TEST(VendorTrials, OneDeviceOfATypeIsAskedBeforeTheOthers) {
  VendorTrials<int> trials;
  EXPECT_EQ(trials.want(kType, 1), std::vector{1});
  EXPECT_TRUE(trials.want(kType, 2).empty());
  EXPECT_TRUE(trials.want(kType, 3).empty());
  EXPECT_EQ(trials.answered(kType, nullptr), (std::vector{2, 3}));
}

TEST(VendorTrials, ARefusalSettlesItForTheType) {
  VendorTrials<int> trials;
  const Error refused{Errc::kUnsupported, "", std::nullopt};
  EXPECT_EQ(trials.want(kType, 1), std::vector{1});
  EXPECT_TRUE(trials.want(kType, 2).empty());
  EXPECT_TRUE(trials.answered(kType, &refused).empty());
  EXPECT_TRUE(trials.want(kType, 3).empty());
}

TEST(VendorTrials, DevicesThatAreBusySayNothingAboutTheirType) {
  VendorTrials<int> trials;
  const Error busy{Errc::kBusy, "", std::nullopt};
  for (unsigned i = 0; i < 2 * VendorTrials<int>::kTrials; ++i) {
    EXPECT_EQ(trials.want(kType, 1), std::vector{1});
    EXPECT_TRUE(trials.answered(kType, &busy).empty());
  }
  EXPECT_EQ(trials.want(kType, 2), std::vector{2});
  EXPECT_TRUE(trials.want(kType, 3).empty());
  EXPECT_EQ(trials.answered(kType, nullptr), std::vector{3});
}

TEST(VendorTrials, SilenceIsBelievedAfterAFewTrials) {
  VendorTrials<int> trials;
  const Error silent{Errc::kTimeout, "", std::nullopt};
  for (unsigned i = 0; i < VendorTrials<int>::kTrials; ++i) {
    EXPECT_EQ(trials.want(kType, 1), std::vector{1});
    EXPECT_TRUE(trials.answered(kType, &silent).empty());
  }
  EXPECT_TRUE(trials.want(kType, 1).empty());
}

}  // namespace
}  // namespace heddle::discovery
