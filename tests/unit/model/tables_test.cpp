#include <gtest/gtest.h>

#include "model/counters.hpp"
#include "model/event.hpp"
#include "model/fabric_tables.hpp"
#include "unit/model/small_fabrics.hpp"

namespace heddle::model {
namespace {
using namespace testing_support;

TEST(ForwardingTables, UnknownRowsAndEmptyEntriesGiveNoPort) {
  ForwardingTables tables(2, Lid{std::uint16_t{9}});
  EXPECT_FALSE(tables.known(SwitchIndex{1u}));
  tables.row(SwitchIndex{1u})[7] = 3;
  tables.mark_known(SwitchIndex{1u});
  EXPECT_TRUE(tables.known(SwitchIndex{1u}));
  EXPECT_EQ(tables.port(SwitchIndex{1u}, Lid{std::uint16_t{7}})->value(), 3);
  EXPECT_FALSE(tables.port(SwitchIndex{0u}, Lid{std::uint16_t{7}}));
  EXPECT_FALSE(tables.port(SwitchIndex{1u}, Lid{std::uint16_t{8}}));
  EXPECT_FALSE(tables.port(SwitchIndex{1u}, Lid{std::uint16_t{10}}));
}

TEST(SlToVlTables, EqualMappingsAreHeldOnceAndNodesCanBeForgotten) {
  SlToVlTables tables;
  SlToVl straight{};
  SlToVl second{};
  second[3] = 1;
  for (std::uint8_t port = 1; port <= 4; ++port) {
    tables.set(guid(1), PortNum{port}, PortNum{std::uint8_t{1}}, straight);
    tables.set(guid(2), PortNum{port}, PortNum{std::uint8_t{1}}, second);
  }
  EXPECT_EQ(tables.size(), 8u);
  EXPECT_EQ(tables.distinct(), 2u);
  EXPECT_EQ((*tables.find(guid(2), PortNum{std::uint8_t{4}}, PortNum{std::uint8_t{1}}))[3], 1);
  tables.erase(guid(1));
  EXPECT_EQ(tables.size(), 4u);
  EXPECT_EQ(tables.find(guid(1), PortNum{std::uint8_t{1}}, PortNum{std::uint8_t{1}}), nullptr);
}

TEST(SlToVlTables, ACopyIsSharedAndDoesNotChangeWithTheOriginal) {
  const PortNum one{std::uint8_t{1}};
  const PortNum high{std::uint8_t{65}};
  SlToVl other{};
  other[15] = 7;
  SlToVlTables before;
  before.set(guid(1), one, one, SlToVl{});
  before.set(guid(2), one, one, SlToVl{});
  SlToVlTables after = before;
  EXPECT_EQ(after.find(guid(2), one, one), before.find(guid(2), one, one)) << "the very same";
  after.set(guid(1), one, high, other);
  after.set(guid(1), one, one, other);
  EXPECT_EQ(*before.find(guid(1), one, one), SlToVl{});
  EXPECT_EQ(before.find(guid(1), one, high), nullptr);
  EXPECT_EQ(*after.find(guid(1), one, one), other);
  EXPECT_EQ(*after.find(guid(1), one, high), other);
  EXPECT_EQ(before.size(), 2u);
  EXPECT_EQ(after.size(), 3u);
  EXPECT_EQ(after.distinct(), 2u);
  after.erase(guid(1));
  EXPECT_EQ(after.distinct(), 1u) << "a mapping goes with its last user";
}

TEST(SlToVlTables, ALargeFabricFitsInMemory) {
  constexpr std::uint8_t kPorts = 65;
  SlToVlTables tables;
  for (std::uint8_t in = 0; in < kPorts; ++in) {
    for (std::uint8_t out = 1; out < kPorts; ++out) {
      SlToVl mapping{};
      mapping[0] = out % 4;
      tables.set(guid(1), PortNum{in}, PortNum{out}, mapping);
    }
  }
  EXPECT_EQ(tables.size(), 65u * 64u);
  EXPECT_LT(tables.bytes() * 2000, 20'000'000u) << "2,000 switches";
}

TEST(SlToVlTables, ManyDistinctMappingsOfOneNodeStayApart) {
  SlToVlTables tables;
  const auto mapping = [](std::size_t value) {
    SlToVl result{};
    for (std::size_t i = 0; i < 5; ++i) {
      result[i] = static_cast<std::uint8_t>(value >> (4 * i) & 15U);
    }
    return result;
  };
  constexpr std::size_t kPorts = 20;
  std::size_t next = 0;
  for (std::size_t round = 0; round < 200; ++round) {
    for (std::uint8_t in = 0; in < kPorts; ++in) {
      for (std::uint8_t out = 0; out < kPorts; ++out) {
        tables.set(guid(1), PortNum{in}, PortNum{out}, mapping(next++));
      }
    }
  }
  EXPECT_EQ(tables.size(), kPorts * kPorts);
  EXPECT_EQ(tables.distinct(), kPorts * kPorts);
  std::size_t expected = next - kPorts * kPorts;
  tables.for_each(guid(1), [&](PortNum, PortNum, const SlToVl& found) {
    EXPECT_EQ(found, mapping(expected++));
  });
  EXPECT_EQ(expected, next);
}

TEST(Counters, AReadingIsSaturatedAtAllOnesOfItsWidthOnly) {
  EXPECT_TRUE((CounterReading{Counter::kSymbolErrors, 16, 65535}).saturated());
  EXPECT_FALSE((CounterReading{Counter::kSymbolErrors, 64, 65535}).saturated());
  EXPECT_TRUE((CounterReading{Counter::kLocalLinkIntegrityErrors, 4, 15}).saturated());
  EXPECT_TRUE((CounterReading{Counter::kXmitData, 64, ~std::uint64_t{0}}).saturated());
}

TEST(Counters, EachHasANameAndAGroup) {
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    EXPECT_NE(to_string(static_cast<Counter>(i)), "unknown") << i;
  }
  EXPECT_EQ(group_of(Counter::kMulticastRcvPkts), CounterGroup::kData);
  EXPECT_EQ(group_of(Counter::kXmitWait), CounterGroup::kErrors);
  EXPECT_EQ(group_of(Counter::kLoopingErrors), CounterGroup::kRcvErrorDetails);
  EXPECT_EQ(group_of(Counter::kSwHoqLifetimeDiscards), CounterGroup::kXmitDiscardDetails);
}

TEST(Events, KindsReadBackFromTheirNames) {
  for (int kind = 0; kind <= static_cast<int>(EventKind::kService); ++kind) {
    EXPECT_EQ(parse_event_kind(to_string(static_cast<EventKind>(kind))),
              static_cast<EventKind>(kind));
  }
  EXPECT_FALSE(parse_event_kind("nonsense"));
}

}  // namespace
}  // namespace heddle::model
