#include "cli/structure_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/table.hpp"

namespace heddle::cli {

using routing::Shape;
using routing::Structure;
using Align = Column::Align;
using Rows = std::vector<std::vector<Cell>>;

namespace {

std::vector<std::size_t> switches_per_level(const Structure& structure) {
  std::vector<std::size_t> counts(structure.levels, 0);
  for (const auto& level : structure.level) {
    if (level) ++counts[*level];
  }
  return counts;
}

std::vector<std::size_t> pod_sizes(const Structure& structure) {
  std::vector<std::size_t> sizes(structure.pods, 0);
  for (const auto& pod : structure.pod) {
    if (pod) ++sizes[*pod];
  }
  return sizes;
}

/// `2:1`, `1.5:1`; as many cables up as down is `1:1`.
std::string ratio_text(std::uint32_t permille) {
  std::string text = fmt::format("{}.{:03}", permille / 1000, permille % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + ":1";
}

std::string level_text(const Structure& structure, std::size_t level, std::size_t count) {
  const bool one = count == 1;
  std::string text;
  if (structure.shape == Shape::kDragonfly) {
    text = one ? "router" : "routers";
  } else if (structure.shape == Shape::kIrregular) {
    const std::string_view noun = one ? "switch" : "switches";
    text = level == 0 ? fmt::format("{} with hosts", noun)
                      : fmt::format("{} at distance {} from hosts", noun, level);
  } else if (level == 0) {
    text = one ? "leaf" : "leaves";
  } else if (!structure.roots.empty() && level + 1 == structure.levels) {
    text = fmt::format("{} at level {}", one ? "root" : "roots", level);
  } else {
    text = fmt::format("{} at level {}", one ? "switch" : "switches", level);
  }
  if (level < structure.oversubscription_permille.size() &&
      structure.oversubscription_permille[level] != 0) {
    text += fmt::format(", {} down to up", ratio_text(structure.oversubscription_permille[level]));
  }
  return text;
}

std::string pods_text(const Structure& structure) {
  const std::vector<std::size_t> sizes = pod_sizes(structure);
  const auto [least, most] = std::ranges::minmax_element(sizes);
  const std::string_view noun = structure.shape == Shape::kFatTree ? "pod" : "group";
  const std::string size =
      *least == *most ? fmt::format("{}", *most) : fmt::format("{} to {}", *least, *most);
  return fmt::format("{}{} of {} switch{}", noun, sizes.size() == 1 ? "" : "s", size,
                     *most == 1 ? "" : "es");
}

std::size_t rails_of(const Structure& structure) {
  return std::set(structure.rail.begin(), structure.rail.end()).size();
}

}  // namespace

std::string render_structure(const Structure& structure, Colour colour) {
  Rows rows;
  const auto add = [&rows](std::size_t count, std::string text) {
    rows.push_back({{fmt::format("{}", count)}, {std::move(text)}});
  };
  const std::vector<std::size_t> counts = switches_per_level(structure);
  for (std::size_t level = 0; level < counts.size(); ++level) {
    add(counts[level], level_text(structure, level, counts[level]));
  }
  // With two levels each leaf is a pod by itself, which says nothing new.
  const bool plain = structure.shape == Shape::kSingleSwitch ||
                     (structure.shape == Shape::kFatTree && structure.levels < 3);
  if (structure.pods != 0 && !plain) add(structure.pods, pods_text(structure));
  if (!structure.rail.empty()) add(rails_of(structure), "rails");
  const auto placed = static_cast<std::size_t>(
      std::ranges::count_if(structure.level, [](const auto& level) { return level.has_value(); }));
  if (const std::size_t rest = structure.level.size() - placed; rest != 0) {
    add(rest, rest == 1 ? "switch that no leaf can be reached from"
                        : "switches that no leaf can be reached from");
  }
  std::string out =
      "\n" + tinted(fmt::format("Shape: {}", to_string(structure.shape)), Tint::kHeading, colour) +
      "\n" + render_table({{"", Align::kRight}, {""}}, rows, "  ", colour);
  if (structure.irregularities.empty()) return out;
  out += "\n" + tinted("What does not fit the shape", Tint::kHeading, colour) + "\n";
  for (const routing::Irregularity& irregularity : structure.irregularities) {
    out += fmt::format("  {}: {}\n", tinted(to_string(irregularity.kind), Tint::kBad, colour),
                       irregularity.text);
  }
  return out;
}

void write_structure(exporter::JsonWriter& json, const model::Fabric& fabric,
                     const Structure& structure) {
  json.begin_object();
  json.field("shape", to_string(structure.shape));
  json.begin_array("switches_by_level");
  for (const std::size_t count : switches_per_level(structure)) json.value(count);
  json.end_array();
  json.begin_array("oversubscription_permille");
  for (const std::uint32_t ratio : structure.oversubscription_permille) json.value(ratio);
  json.end_array();
  json.field("pods", structure.pods);
  json.field("rails", rails_of(structure));
  json.field("components", structure.components);
  json.begin_array("roots");
  for (const model::SwitchIndex root : structure.roots) {
    json.value(fabric.node(fabric.node_of(root)).guid);
  }
  json.end_array();
  json.begin_array("switches");
  for (std::uint32_t s = 0; s < structure.level.size(); ++s) {
    const model::Node& node = fabric.node(fabric.node_of(model::SwitchIndex{s}));
    json.begin_object();
    json.field("guid", node.guid);
    json.field("name", node.description);
    json.field("level", structure.level[s]);
    json.field("pod", structure.pod[s]);
    json.end_object();
  }
  json.end_array();
  json.begin_array("irregularities");
  for (const routing::Irregularity& irregularity : structure.irregularities) {
    json.begin_object();
    json.field("kind", to_string(irregularity.kind));
    json.field("text", irregularity.text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace heddle::cli
