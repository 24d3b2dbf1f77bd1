#pragma once

#include <cstdint>

namespace heddle::routing {

/// What a cable's direction is in an order of the switches. A packet goes up any number of times,
/// across at most once, then down: channels of one kind wait for later ones of their own kind or of
/// the next, so never in a circle.
enum class Direction : std::uint8_t {
  kUp,
  kAcross,  ///< between groups of a dragonfly+, spine to spine
  kDown,
};

}  // namespace heddle::routing
