#include "plugins/opensm/weight_keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::plugin {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr WeightKeeper::Clock::time_point kBegin{seconds{1000}};

CableWeight weight(std::uint64_t guid, std::uint8_t port, std::uint8_t percent) {
  return {{model::NodeGuid{guid}, model::PortNum{port}}, percent};
}

TEST(WeightKeeper, HoldsNothingAtFirst) {
  const WeightKeeper keeper;
  EXPECT_THAT(keeper.at(kBegin).cables, IsEmpty());
  EXPECT_EQ(keeper.at(kBegin).generation, 0U);
}

TEST(WeightKeeper, HoldsWhatWasHeardLastInOrder) {
  WeightKeeper keeper;
  keeper.heard({7, 60000, {{2, 1, 50, 0}, {1, 1, 0, 0}, {3, 1, 200, 0}}}, kBegin);
  EXPECT_THAT(keeper.at(kBegin).cables,
              ElementsAre(weight(1, 1, 0), weight(2, 1, 50), weight(3, 1, 100)));
  EXPECT_EQ(keeper.at(kBegin).generation, 7U);
  keeper.heard({8, 60000, {}}, kBegin);
  EXPECT_THAT(keeper.at(kBegin).cables, IsEmpty());
}

TEST(WeightKeeper, ForgetsWhatExpires) {
  WeightKeeper keeper;
  keeper.heard({1, 60000, {{1, 1, 0, 5000}, {2, 1, 0, 0}}}, kBegin);
  EXPECT_EQ(keeper.at(kBegin + milliseconds{4999}).cables.size(), 2U);
  EXPECT_THAT(keeper.at(kBegin + seconds{5}).cables, ElementsAre(weight(2, 1, 0)));
}

TEST(WeightKeeper, ForgetsAllWhenHeddledIsSilentForLongerThanItSaid) {
  WeightKeeper keeper;
  keeper.heard({1, 3000, {{2, 1, 0, 0}}}, kBegin);
  EXPECT_EQ(keeper.at(kBegin + milliseconds{2999}).cables.size(), 1U);
  EXPECT_THAT(keeper.at(kBegin + seconds{3}).cables, IsEmpty());
  keeper.heard({1, 3000, {{2, 1, 0, 0}}}, kBegin + seconds{10});
  EXPECT_EQ(keeper.at(kBegin + seconds{12}).cables.size(), 1U);
}

}  // namespace
}  // namespace heddle::plugin
