#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "discovery/topology_text.hpp"

/// Any bytes give a fabric or an error; a fabric's own text is understood.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fabric = heddle::discovery::parse_topology(text, "fuzz", "fuzz");
  if (!fabric) return 0;
  const auto back = heddle::discovery::parse_topology(heddle::discovery::format_topology(*fabric),
                                                      "formatted", "fuzz");
  if (!back || back->nodes().size() != fabric->nodes().size() ||
      back->links().size() != fabric->links().size()) {
    std::abort();
  }
  return 0;
}
