#include "cli/read_fabric.hpp"

#include "discovery/topology_text.hpp"

namespace heddle::cli {

model::Result<model::Fabric> read_fabric(const std::string& path) {
  model::Result<model::Fabric> fabric = discovery::read_topology(path, path);
  if (fabric && fabric->nodes().empty()) {
    return model::fail(model::Errc::kInvalidInput, "there is no node in it",
                       model::SourcePosition{path, 1});
  }
  return fabric;
}

}  // namespace heddle::cli
