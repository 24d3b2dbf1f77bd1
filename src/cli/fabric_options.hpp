#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

/// What commands that route take of a fabric, as typed.
struct FabricOptions {
  std::string fabric;
  std::optional<std::uint8_t> lmc;
  std::optional<std::string> guid2lid;
  std::optional<std::string> roots;
  std::optional<std::string> groups;
  std::optional<std::string> slots;
  std::vector<std::string> down;  ///< GUID of a node, or GUID/PORT of a cable's end
  std::optional<std::string> weights;
  /// Tables in force, whose LIDs count where the fabric names none.
  std::optional<std::string> lfts;
};

}  // namespace heddle::cli
