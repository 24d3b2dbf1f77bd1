#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "plugins/opensm/bridge.h"

namespace heddle::plugin {

/// A subnet as the shim hands it over, with memory for its tables, made of a Fabric. What the shim
/// might say otherwise is changed in the public arrays before subnet() is called.
class PlainSubnet {
 public:
  static constexpr std::uint8_t kNoPath = 0xFF;

  struct Tables {
    std::vector<std::uint8_t> present;            ///< by LID, empty at first
    std::vector<std::uint8_t> next;               ///< by LID
    std::vector<std::vector<std::uint8_t>> hops;  ///< by LID, then port; empty where never asked
    std::uint8_t ports = 0;                       ///< port 0 included
    bool has_memory = true;                       ///< for hop rows
  };

  /// `lanes` as OpenSM would say; `top_lid` 0 for the highest one of the fabric.
  explicit PlainSubnet(const model::Fabric& fabric, std::uint8_t lanes = 1,
                       std::uint16_t top_lid = 0);

  /// Valid as long as this object, and until an array changes its size.
  [[nodiscard]] heddle_subnet subnet();

  [[nodiscard]] Tables& tables(std::uint64_t guid);
  /// The `next` of all switches, in the order of `switches`.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> next() const;
  /// Nobody has written anything: all 0xFF, no hop row.
  [[nodiscard]] bool untouched() const;
  /// What the next sweep begins with: the switches hold what was to be written.
  void adopt();

  std::vector<heddle_node> nodes;
  std::vector<heddle_end_port> end_ports;
  std::vector<heddle_cable> cables;
  std::vector<heddle_switch> switches;
  std::uint8_t lanes;
  std::uint64_t manager_node = 0;  ///< where OpenSM sits
  std::uint8_t manager_port = 0;

 private:
  std::vector<std::unique_ptr<std::string>> descriptions_;
  std::vector<std::unique_ptr<Tables>> tables_;  ///< in the order of switches
};

}  // namespace heddle::plugin
