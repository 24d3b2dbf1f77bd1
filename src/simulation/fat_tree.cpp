#include <charconv>

#include <fmt/format.h>

#include "simulation/generators.hpp"
#include "simulation/shape_checks.hpp"

namespace heddle::simulation {
namespace {

constexpr std::uint32_t kMaxLevels = 4;

/// `18,18,6`, each number at least 1; empty where it is something else.
std::vector<std::uint32_t> parse_list(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::uint32_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) return {};
    numbers.push_back(number);
    if (stop == end) return numbers;
    if (*stop != ',') return {};
    at = stop + 1;
  }
}

model::Result<PgftShape> single_switch(const FatTreeShape& shape) {
  ShapeChecks checks;
  checks.require(shape.oversubscription == 1 && shape.parallel_links == 1,
                 "one level has no uplinks: oversubscription and parallel links must be 1");
  if (model::Status bad = checks.result(); !bad) return model::fail(bad.error());
  return PgftShape{{shape.pods.value_or(shape.radix)}, {1}, {1}, shape.radix};
}

}  // namespace

model::Result<PgftShape> parse_pgft_shape(std::string_view text) {
  std::vector<std::vector<std::uint32_t>> lists;
  std::string_view rest = text;
  while (true) {
    const std::size_t colon = rest.find(':');
    lists.push_back(parse_list(rest.substr(0, colon)));
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  const bool well_formed = lists.size() == 3 && !lists[0].empty() &&
                           lists[1].size() == lists[0].size() && lists[2].size() == lists[0].size();
  if (!well_formed) {
    return model::fail(
        model::Errc::kInvalidInput,
        fmt::format("shape '{}' is not M1,M2,..:W1,W2,..:P1,P2,.. with one number a level in each",
                    model::printable(text)));
  }
  return PgftShape{lists[0], lists[1], lists[2]};
}

model::Result<PgftShape> pgft_of(const FatTreeShape& shape) {
  ShapeChecks checks;
  checks.positive("levels", shape.levels)
      .require(shape.levels <= kMaxLevels, fmt::format("more than {} levels", kMaxLevels))
      .positive("radix", shape.radix)
      .require(shape.radix % 2 == 0,
               fmt::format("radix {} is odd: half of a switch's ports go up", shape.radix))
      .switch_ports("a switch", shape.radix)
      .positive("oversubscription", shape.oversubscription)
      .positive("parallel links", shape.parallel_links)
      .positive("pods", shape.pods.value_or(1));
  if (model::Status bad = checks.result(); !bad) return model::fail(bad.error());
  if (shape.levels == 1) return single_switch(shape);

  const std::uint32_t half = shape.radix / 2;
  // 64 bits: the oversubscription is any number.
  const auto leaf_uplinks =
      static_cast<std::uint32_t>(shape.radix / (std::uint64_t{shape.oversubscription} + 1));
  const std::uint32_t to_tops = shape.levels == 2 ? leaf_uplinks : half;
  const std::uint32_t full_pods = shape.radix / shape.parallel_links;
  const std::uint32_t pods = shape.pods.value_or(full_pods);
  checks
      .require(leaf_uplinks != 0,
               fmt::format("a leaf of {} ports has no uplink at an oversubscription of {}:1",
                           shape.radix, shape.oversubscription))
      .require(to_tops % shape.parallel_links == 0 && to_tops >= shape.parallel_links,
               fmt::format("{} uplinks of each child cannot be bundles of {} parallel links",
                           to_tops, shape.parallel_links))
      .require(pods <= full_pods,
               fmt::format("a top switch of {} ports has room for {} pods at {} parallel links, "
                           "not for {}",
                           shape.radix, full_pods, shape.parallel_links, pods));
  if (model::Status bad = checks.result(); !bad) return model::fail(bad.error());

  PgftShape tree{{leaf_uplinks * shape.oversubscription}, {1}, {1}, shape.radix};
  for (std::uint32_t level = 2; level < shape.levels; ++level) {
    tree.m.push_back(half);
    tree.w.push_back(level == 2 ? leaf_uplinks : half);
    tree.p.push_back(1);
  }
  tree.m.push_back(pods);
  tree.w.push_back(to_tops / shape.parallel_links);
  tree.p.push_back(shape.parallel_links);
  return tree;
}

}  // namespace heddle::simulation
