#pragma once

#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// The fabric of a topology file, named by its path, and what contradicts itself in it. A file
/// without any node is an error: it is what a failed ibnetdiscover leaves behind, and nobody's
/// answer.
[[nodiscard]] model::Result<model::Fabric> read_fabric_as_is(const std::string& path);

/// The same, if nothing contradicts itself.
[[nodiscard]] model::Result<model::Fabric> read_fabric(const std::string& path);

/// What contradicts itself in the fabric of a file, each as an error at its place.
[[nodiscard]] std::vector<model::Error> contradictions(const model::Fabric& fabric);

/// The first contradiction, with the number of others; good if there is none.
[[nodiscard]] model::Status refuse_contradictions(const model::Fabric& fabric);

}  // namespace heddle::cli
