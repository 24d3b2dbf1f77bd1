#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "model/fabric.hpp"

/// What tests count on a fabric, by slow and obvious means.
namespace heddle::simulation {

[[nodiscard]] std::size_t host_count(const model::Fabric& fabric);
[[nodiscard]] std::size_t switch_count(const model::Fabric& fabric);
/// Connected components over nodes and cables.
[[nodiscard]] std::size_t component_count(const model::Fabric& fabric);
[[nodiscard]] std::size_t cabled_ports(const model::Fabric& fabric, model::NodeIndex node);
/// `02` of `router-02-05`: what stands between the last two dashes.
[[nodiscard]] std::string group_name(const model::Node& node);
/// Cables between switches of different groups, by pair of group names, the lesser first.
[[nodiscard]] std::map<std::pair<std::string, std::string>, std::size_t> cables_between_groups(
    const model::Fabric& fabric);
/// Nodes, ports, cables and anomalies are equal one by one.
[[nodiscard]] bool same(const model::Fabric& a, const model::Fabric& b);

}  // namespace heddle::simulation
