#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "discovery/forwarding_text.hpp"
#include "discovery/topology_text.hpp"

/// Any bytes give tables or an error; tables come back from their own text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto fabric = heddle::discovery::parse_topology(
      "Switch 4 \"S-10\" # \"leaf\" base port 0 lid 1 lmc 0\n"
      "Switch 4 \"S-20\" # \"leaf\" base port 0 lid 2 lmc 0\n",
      "built in", "fuzz");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tables = heddle::discovery::parse_forwarding(text, "fuzz", *fabric);
  if (!tables) return 0;
  const auto back = heddle::discovery::parse_forwarding(
      heddle::discovery::format_forwarding(*fabric, *tables), "formatted", *fabric);
  const bool any_known = tables->known(heddle::model::SwitchIndex{0U}) ||
                         tables->known(heddle::model::SwitchIndex{1U});
  if (!back || (any_known && *back != *tables)) std::abort();
  return 0;
}
