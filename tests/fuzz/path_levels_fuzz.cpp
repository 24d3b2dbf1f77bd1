#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "discovery/lane_text.hpp"
#include "discovery/topology_text.hpp"

/// Any bytes give levels or an error; levels come back from their own text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heddle::discovery::Strangers;
  static const auto fabric = heddle::discovery::parse_topology(
      "Switch 4 \"S-10\" # \"leaf\" base port 0 lid 1 lmc 0\n"
      "Switch 4 \"S-20\" # \"leaf\" base port 0 lid 2 lmc 0\n",
      "built in", "fuzz");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lenient =
      heddle::discovery::parse_path_levels(text, "fuzz", *fabric, Strangers::kSkip);
  const auto levels =
      heddle::discovery::parse_path_levels(text, "fuzz", *fabric, Strangers::kRefuse);
  if (!levels) return 0;
  std::string again;
  for (const auto& level : *levels) heddle::discovery::append_path_level(again, level);
  const auto back =
      heddle::discovery::parse_path_levels(again, "again", *fabric, Strangers::kRefuse);
  if (!lenient || *lenient != *levels || !back || *back != *levels) std::abort();
  return 0;
}
