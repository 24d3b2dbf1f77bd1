#pragma once

#include <memory>

#include "daemon/snapshot_cell.hpp"
#include "exporter/prepared_body.hpp"
#include "exporter/view.hpp"
#include "mad/engine.hpp"

namespace heddle::daemon {

/// What the publisher makes and the HTTP service serves, frozen at one moment.
struct Published {
  std::shared_ptr<const exporter::View> view;             ///< never null
  std::shared_ptr<const exporter::PreparedBody> metrics;  ///< never null; may be of an older view
  mad::MadStats mad;
  std::size_t backing_off = 0;  ///< mute devices that are asked nothing for a while
};
using PublishedCell = SnapshotCell<Published>;

/// What is served before anything is known: an empty fabric, not ready.
[[nodiscard]] std::shared_ptr<const Published> nothing_yet(
    std::string version, std::string fabric_name, std::chrono::system_clock::time_point now);

}  // namespace heddle::daemon
