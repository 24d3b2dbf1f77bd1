#pragma once

#include <string>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// The fabric of a topology file, named by its path. A file without any node is an error: it is
/// what a failed ibnetdiscover leaves behind, and nobody's answer.
[[nodiscard]] model::Result<model::Fabric> read_fabric(const std::string& path);

}  // namespace heddle::cli
