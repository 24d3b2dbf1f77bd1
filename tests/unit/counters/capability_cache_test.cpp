#include "counters/capability_cache.hpp"

#include <gtest/gtest.h>

namespace heddle::counters {
namespace {

using model::NodeGuid;
using Support = CapabilityCache::Support;

constexpr NodeGuid kNode{std::uint64_t{7}};
constexpr auto kDetails = OptionalAttribute::kRcvErrorDetails;

CapabilityCache with_node() {
  CapabilityCache cache;
  cache.set(kNode, mad::ClassPortInfo{});
  return cache;
}

TEST(CapabilityCache, KnowsWhatWasSetUntilItIsErased) {
  CapabilityCache cache;
  EXPECT_EQ(cache.find(kNode), nullptr);
  mad::ClassPortInfo caps;
  caps.capability_mask = 0x1200;
  cache.set(kNode, caps);
  ASSERT_NE(cache.find(kNode), nullptr);
  EXPECT_EQ(*cache.find(kNode), caps);
  EXPECT_EQ(cache.size(), 1U);
  cache.refused(kNode, kDetails);
  cache.erase(kNode);
  EXPECT_EQ(cache.find(kNode), nullptr);
  EXPECT_EQ(cache.support(kNode, kDetails), Support::kUntried);
}

TEST(CapabilityCache, ARefusalCountsAtOnceAndForItsAttributeOnly) {
  CapabilityCache cache = with_node();
  cache.refused(kNode, kDetails);
  EXPECT_EQ(cache.support(kNode, kDetails), Support::kNo);
  EXPECT_EQ(cache.support(kNode, OptionalAttribute::kSamplesControl), Support::kUntried);
}

TEST(CapabilityCache, SilenceCountsTheSecondTime) {
  CapabilityCache cache = with_node();
  cache.unanswered(kNode, kDetails);
  EXPECT_EQ(cache.support(kNode, kDetails), Support::kUntried);
  cache.unanswered(kNode, kDetails);
  EXPECT_EQ(cache.support(kNode, kDetails), Support::kNo);
}

TEST(CapabilityCache, AnAnswerSettlesIt) {
  CapabilityCache cache = with_node();
  cache.unanswered(kNode, kDetails);
  cache.answered(kNode, kDetails);
  EXPECT_EQ(cache.support(kNode, kDetails), Support::kYes);
}

TEST(CapabilityCache, OnlyWhatClassPortInfoDoesNotAnnounceIsOptional) {
  EXPECT_EQ(optional_attribute(mad::pma::kPortCounters), std::nullopt);
  EXPECT_EQ(optional_attribute(mad::pma::kPortCountersExtended), std::nullopt);
  EXPECT_EQ(optional_attribute(mad::pma::kPortRcvErrorDetails), kDetails);
  EXPECT_EQ(optional_attribute(mad::pma::kPortSamplesControl), OptionalAttribute::kSamplesControl);
}

}  // namespace
}  // namespace heddle::counters
