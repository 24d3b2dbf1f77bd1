#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "discovery/lane_text.hpp"
#include "discovery/topology_text.hpp"

/// Any bytes give mappings or an error; mappings come back from their own text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heddle::discovery::Strangers;
  using heddle::model::PortNum;
  static const auto fabric = heddle::discovery::parse_topology(
      "Switch 4 \"S-10\" # \"leaf\" base port 0 lid 1 lmc 0\n", "built in", "fuzz");
  const heddle::model::NodeGuid guid{std::uint64_t{0x10}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tables = heddle::discovery::parse_sl_to_vl(text, "fuzz", *fabric, Strangers::kRefuse);
  if (!tables) return 0;
  std::string again;
  tables->for_each(guid, [&](PortNum in, PortNum out, const heddle::model::SlToVl& mapping) {
    heddle::discovery::append_sl_to_vl(again, {guid, in, out}, mapping);
  });
  const auto back = heddle::discovery::parse_sl_to_vl(again, "again", *fabric, Strangers::kRefuse);
  if (!back || back->size() != tables->size()) std::abort();
  tables->for_each(guid, [&](PortNum in, PortNum out, const heddle::model::SlToVl& mapping) {
    const auto* const found = back->find(guid, in, out);
    if (found == nullptr || *found != mapping) std::abort();
  });
  return 0;
}
