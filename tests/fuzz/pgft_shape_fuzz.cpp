#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "simulation/generators.hpp"

/// Any text gives a shape with as many numbers in each list or an error; a shape gives a fabric or
/// an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto shape = heddle::simulation::parse_pgft_shape(text);
  if (!shape) return 0;
  if (shape->m.empty() || shape->w.size() != shape->m.size() ||
      shape->p.size() != shape->m.size()) {
    std::abort();
  }
  // Larger ones are right too, but cost a second each.
  std::uint64_t hosts = 1;
  for (const std::uint32_t children : shape->m) {
    if (hosts != 0 && children > 1000 / hosts) return 0;
    hosts *= children;
  }
  std::uint64_t tops = 1;
  for (const std::uint32_t parents : shape->w) {
    if (tops != 0 && parents > 1000 / tops) return 0;
    tops *= parents;
  }
  const auto fabric = heddle::simulation::make_pgft(*shape, {});
  if (fabric && fabric->nodes().empty()) std::abort();
  return 0;
}
