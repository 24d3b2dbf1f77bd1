#include "daemon/published.hpp"

namespace heddle::daemon {

std::shared_ptr<const Published> nothing_yet(std::string version, std::string fabric_name,
                                             std::chrono::system_clock::time_point now) {
  auto view = std::make_shared<exporter::View>();
  view->version = std::move(version);
  view->fabric_name = std::move(fabric_name);
  view->started_at = now;
  view->published_at = now;
  view->fabric = std::make_shared<const model::Fabric>();
  view->summary = std::make_shared<const model::FabricSummary>();
  view->degraded = std::make_shared<const std::vector<model::DegradedLink>>();
  view->duplicates = std::make_shared<const std::vector<model::DuplicateName>>();
  view->not_ready_reason = "no sweep has been completed yet";
  auto published = std::make_shared<Published>();
  published->view = std::move(view);
  published->metrics = std::make_shared<const exporter::PreparedBody>();
  return published;
}

}  // namespace heddle::daemon
