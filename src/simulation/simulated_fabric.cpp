#include "simulation/simulated_fabric.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "model/assert.hpp"
#include "simulation/agent_status.hpp"
#include "simulation/cabling.hpp"
#include "simulation/device_settings.hpp"
#include "simulation/directed_walk.hpp"
#include "simulation/pma_agent.hpp"
#include "simulation/smp_agent.hpp"

namespace heddle::simulation {
namespace {

constexpr std::size_t kHopPointer = 6;
/// Of a directed-route SMP (14.2.1.2); entry 0 is reserved, hop i stands at i.
constexpr std::size_t kReturnPath = 192;

model::PortIndex existing_port(const model::Fabric& fabric, model::PortKey key) {
  const std::optional<model::PortIndex> port = fabric.find_port(key);
  HEDDLE_ASSERT(port.has_value());
  return *port;
}

}  // namespace

class SimulatedFabric::Impl {
 public:
  Impl(std::shared_ptr<const model::Fabric> fabric, model::PortKey attached_to)
      : fabric_(std::move(fabric)),
        attached_to_(existing_port(*fabric_, attached_to)),
        cabling_(fabric_, attached_to_) {}

  [[nodiscard]] std::optional<mad::MadBytes> answer(const mad::MadBytes& request,
                                                    std::optional<model::Lid> lid);

  void count(const mad::Header& request) {
    ++requests_[{request.attribute, request.management_class}];
  }
  [[nodiscard]] const auto& requests() const noexcept { return requests_; }
  [[nodiscard]] DeviceSettings& settings() noexcept { return settings_; }
  [[nodiscard]] Cabling& cabling() noexcept { return cabling_; }
  [[nodiscard]] const model::Fabric& fabric() const noexcept { return *fabric_; }

 private:
  [[nodiscard]] std::optional<mad::MadBytes> answer_directed(const mad::MadBytes& request);
  [[nodiscard]] std::optional<mad::MadBytes> answer_by_lid(const mad::MadBytes& request,
                                                           model::Lid lid);
  /// What the subnet management agent there says to the question.
  [[nodiscard]] mad::MadBytes manage(const Arrival& at, const mad::MadBytes& request) const;
  [[nodiscard]] mad::MadBytes measure(model::NodeIndex node, const mad::MadBytes& request) const;

  std::shared_ptr<const model::Fabric> fabric_;
  model::PortIndex attached_to_;
  Cabling cabling_;
  DeviceSettings settings_;
  std::map<std::pair<std::uint16_t, std::uint8_t>, std::uint64_t> requests_;
};

namespace {

/// What every agent refuses before it looks at the attribute.
std::uint16_t first_look(const mad::Header& request) {
  if (request.base_version != 1 || request.class_version != 1) return kStatusBadVersion;
  if (request.method == static_cast<std::uint8_t>(mad::Method::kSet)) return kStatusUnsupported;
  return kStatusGood;
}

void turn_round(mad::Header header, std::uint16_t status, mad::MadBytes& mad) {
  header.method = static_cast<std::uint8_t>(mad::Method::kGetResp);
  header.status = status;
  header_to_wire(header, mad);
}

}  // namespace

mad::MadBytes SimulatedFabric::Impl::manage(const Arrival& at, const mad::MadBytes& request) const {
  const mad::Header header = mad::header_from_wire(request);
  mad::MadBytes reply = request;
  std::uint16_t status = first_look(header);
  if (status == kStatusGood) {
    std::ranges::fill(mad::smp_data(reply), std::uint8_t{0});
    status = SmpAgent(*fabric_, cabling_, settings_)
                 .get(at, header.attribute, header.modifier, mad::smp_data(reply));
  }
  turn_round(header, status, reply);
  return reply;
}

mad::MadBytes SimulatedFabric::Impl::measure(model::NodeIndex node,
                                             const mad::MadBytes& request) const {
  const mad::Header header = mad::header_from_wire(request);
  mad::MadBytes reply = request;
  std::uint16_t status = first_look(header);
  if (status == kStatusGood) {
    status = PmaAgent(*fabric_, settings_).get(node, header.attribute, mad::gmp_data(reply));
  }
  turn_round(header, status, reply);
  return reply;
}

std::optional<mad::MadBytes> SimulatedFabric::Impl::answer_directed(const mad::MadBytes& request) {
  const std::optional<mad::DirectedRoute> route = mad::route_from_wire(request);
  if (!route) return std::nullopt;
  const std::optional<DirectedWalk> end =
      walk(*route, *fabric_, cabling_, attached_to_, settings_.mute);
  if (!end || settings_.mute.contains(fabric_->node(end->arrival.node).guid)) return std::nullopt;
  mad::MadBytes reply = manage(end->arrival, request);
  reply[kHopPointer] = 0;
  std::ranges::copy(end->entered_by, reply.begin() + kReturnPath + 1);
  return reply;
}

std::optional<mad::MadBytes> SimulatedFabric::Impl::answer_by_lid(const mad::MadBytes& request,
                                                                  model::Lid lid) {
  const std::optional<model::PortIndex> port = fabric_->find_lid(lid);
  if (!port || !cabling_.reachable(*port)) return std::nullopt;
  const Arrival at{fabric_->port(*port).node, fabric_->port(*port).number};
  const model::NodeGuid guid = fabric_->node(at.node).guid;
  if (settings_.mute.contains(guid)) return std::nullopt;
  const std::uint8_t management_class = mad::header_from_wire(request).management_class;
  if (management_class == static_cast<std::uint8_t>(mad::ManagementClass::kSmpLid)) {
    return manage(at, request);
  }
  if (management_class == static_cast<std::uint8_t>(mad::ManagementClass::kPerformance) &&
      !settings_.performance_mute.contains(guid)) {
    return measure(at.node, request);
  }
  return std::nullopt;
}

std::optional<mad::MadBytes> SimulatedFabric::Impl::answer(const mad::MadBytes& request,
                                                           std::optional<model::Lid> lid) {
  const mad::Header header = mad::header_from_wire(request);
  const bool is_request = header.method == static_cast<std::uint8_t>(mad::Method::kGet) ||
                          header.method == static_cast<std::uint8_t>(mad::Method::kSet);
  if (!is_request) return std::nullopt;
  count(header);
  if (header.management_class == static_cast<std::uint8_t>(mad::ManagementClass::kSmpDirected)) {
    return answer_directed(request);
  }
  return lid ? answer_by_lid(request, *lid) : std::nullopt;
}

SimulatedFabric::SimulatedFabric(std::shared_ptr<const model::Fabric> fabric,
                                 model::PortKey attached_to)
    : impl_(std::make_unique<Impl>(std::move(fabric), attached_to)) {}
SimulatedFabric::~SimulatedFabric() = default;
SimulatedFabric::SimulatedFabric(SimulatedFabric&&) noexcept = default;
SimulatedFabric& SimulatedFabric::operator=(SimulatedFabric&&) noexcept = default;

std::optional<mad::MadBytes> SimulatedFabric::answer(const mad::MadBytes& request,
                                                     std::optional<model::Lid> lid) {
  return impl_->answer(request, lid);
}

void SimulatedFabric::cut(model::PortKey port) {
  impl_->cabling().cut(existing_port(impl_->fabric(), port));
}

void SimulatedFabric::restore(model::PortKey port) {
  impl_->cabling().restore(existing_port(impl_->fabric(), port));
}

void SimulatedFabric::swap_cables(model::PortKey a, model::PortKey b) {
  const model::Fabric& fabric = impl_->fabric();
  impl_->cabling().swap(existing_port(fabric, a), existing_port(fabric, b));
}

void SimulatedFabric::mute(model::NodeGuid node) { impl_->settings().mute.insert(node); }

void SimulatedFabric::unmute(model::NodeGuid node) { impl_->settings().mute.erase(node); }

void SimulatedFabric::mute_performance(model::NodeGuid node) {
  impl_->settings().performance_mute.insert(node);
}

void SimulatedFabric::unmute_performance(model::NodeGuid node) {
  impl_->settings().performance_mute.erase(node);
}

void SimulatedFabric::set_capabilities(model::NodeGuid node, mad::ClassPortInfo caps) {
  impl_->settings().capabilities[node] = caps;
}

void SimulatedFabric::set_description(model::NodeGuid node, std::string description) {
  impl_->settings().descriptions[node] = std::move(description);
}

void SimulatedFabric::set_forwarding(model::ForwardingTables tables) {
  HEDDLE_ASSERT(tables.switch_count() == impl_->fabric().switches().size());
  impl_->settings().forwarding = std::move(tables);
}

void SimulatedFabric::set_sl_to_vl(model::NodeGuid node, model::PortNum in, model::PortNum out,
                                   const model::SlToVl& table) {
  impl_->settings().sl_to_vl.set(node, in, out, table);
}

void SimulatedFabric::set_partitions(model::PortKey port, std::vector<model::PKey> keys) {
  HEDDLE_ASSERT(keys.size() <= kPartitionCapacity);
  impl_->settings().partitions[port] = std::move(keys);
}

void SimulatedFabric::set_subnet_manager(const model::SubnetManager& manager) {
  impl_->settings().subnet_managers[{manager.node, manager.port}] = manager;
}

void SimulatedFabric::set_wait_tick(model::NodeGuid node, std::uint8_t tick) {
  impl_->settings().wait_ticks[node] = tick;
}

mad::DeviceCounters& SimulatedFabric::counters(model::PortKey port) {
  return impl_->settings().counters[port];
}

std::uint64_t SimulatedFabric::requests(std::uint16_t attribute) const noexcept {
  std::uint64_t sum = 0;
  const auto& all = impl_->requests();
  for (auto at = all.lower_bound({attribute, std::uint8_t{0}});
       at != all.end() && at->first.first == attribute; ++at) {
    sum += at->second;
  }
  return sum;
}

std::uint64_t SimulatedFabric::requests(mad::ManagementClass management_class,
                                        std::uint16_t attribute) const noexcept {
  const auto& all = impl_->requests();
  const auto found = all.find({attribute, static_cast<std::uint8_t>(management_class)});
  return found == all.end() ? 0 : found->second;
}

}  // namespace heddle::simulation
