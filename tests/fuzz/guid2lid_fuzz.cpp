#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "discovery/guid2lid_text.hpp"
#include "discovery/topology_text.hpp"

/// Any bytes give LIDs or an error with its place; LIDs come back from their own text, and a fabric
/// takes them or says why not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto fabric = heddle::discovery::parse_topology(
      "Ca 1 \"H-30\" # \"host\"\n[1](31) \"S-10\"[1] # lid 0 lmc 0 \"leaf\" lid 0 4xHDR\n\n"
      "Switch 4 \"S-10\" # \"leaf\" base port 0 lid 0 lmc 0\n[1] \"H-30\"[1](31) # \"host\" lid 0 "
      "4xHDR\n",
      "built in", "fuzz");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lids = heddle::discovery::parse_guid2lid(text, "fuzz");
  if (!lids) {
    if (lids.error().message().find("fuzz:") == std::string::npos) std::abort();
    return 0;
  }
  std::string again;
  for (const auto& [port, range] : *lids) {
    again += fmt::format("0x{:016x} 0x{:04x} 0x{:04x}\n", port.value(), range.first.value(),
                         range.last.value());
  }
  const auto back = heddle::discovery::parse_guid2lid(again, "again");
  if (!back || *back != *lids) std::abort();
  static_cast<void>(heddle::model::with_lids(*fabric, {.lmc = {}, .remembered = *lids}));
  return 0;
}
