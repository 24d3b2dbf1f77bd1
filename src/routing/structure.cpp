#include "routing/structure.hpp"

namespace heddle::routing {

std::string_view to_string(Shape shape) noexcept {
  switch (shape) {
    case Shape::kEmpty:
      return "empty";
    case Shape::kSingleSwitch:
      return "single-switch";
    case Shape::kFatTree:
      return "fat-tree";
    case Shape::kDragonfly:
      return "dragonfly";
    case Shape::kDragonflyPlus:
      return "dragonfly-plus";
    case Shape::kHybrid:
      return "hybrid";
    case Shape::kIrregular:
      return "irregular";
  }
  return "irregular";
}

std::string_view to_string(Irregularity::Kind kind) noexcept {
  switch (kind) {
    case Irregularity::Kind::kMissingLink:
      return "missing-link";
    case Irregularity::Kind::kMissingSwitch:
      return "missing-switch";
    case Irregularity::Kind::kUnexpectedLink:
      return "unexpected-link";
    case Irregularity::Kind::kHostOnSpine:
      return "host-on-spine";
    case Irregularity::Kind::kSwitchWithoutHosts:
      return "switch-without-hosts";
    case Irregularity::Kind::kUnevenUplinks:
      return "uneven-uplinks";
    case Irregularity::Kind::kUnreachable:
      return "unreachable";
    case Irregularity::Kind::kSameLeaf:
      return "same-leaf";
  }
  return "unreachable";
}

}  // namespace heddle::routing
