#include "cli/read_fabric.hpp"

#include <fmt/format.h>

#include "discovery/topology_text.hpp"

namespace heddle::cli {

model::Result<model::Fabric> read_fabric_as_is(const std::string& path) {
  model::Result<model::Fabric> fabric = discovery::read_topology(path, path);
  if (fabric && fabric->nodes().empty()) {
    return model::fail(model::Errc::kInvalidInput, "there is no node in it",
                       model::SourcePosition{path, 1});
  }
  return fabric;
}

model::Result<model::Fabric> read_fabric(const std::string& path) {
  model::Result<model::Fabric> fabric = read_fabric_as_is(path);
  if (!fabric) return fabric;
  if (model::Status sound = refuse_contradictions(*fabric); !sound) {
    return model::fail(std::move(sound).error());
  }
  return fabric;
}

std::vector<model::Error> contradictions(const model::Fabric& fabric) {
  std::vector<model::Error> errors;
  for (const model::Anomaly& anomaly : fabric.anomalies()) errors.push_back(to_error(anomaly));
  return errors;
}

model::Status refuse_contradictions(const model::Fabric& fabric) {
  std::vector<model::Error> errors = contradictions(fabric);
  if (errors.empty()) return {};
  if (errors.size() > 1) {
    errors.front().text +=
        fmt::format("; and {} more, which heddle topology lists", errors.size() - 1);
  }
  return model::fail(std::move(errors.front()));
}

}  // namespace heddle::cli
