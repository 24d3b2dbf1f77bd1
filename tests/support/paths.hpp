#pragma once

#include <filesystem>
#include <string_view>

namespace heddle::support {

/// A file or folder of the checkout, by its path in it ("tests/data/topologies/netlist.topo").
/// The one place that knows where the checkout is: objects of all other files are the same in every
/// checkout, so one compiler cache serves them all.
[[nodiscard]] std::filesystem::path checkout_path(std::string_view inside);

}  // namespace heddle::support
