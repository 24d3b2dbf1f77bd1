#include "discovery/fabric_sweep.hpp"

#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "discovery/sweep_run.hpp"
#include "discovery/vendor_trials.hpp"
#include "discovery/walk_assembly.hpp"
#include "discovery/walk_record.hpp"

namespace heddle::discovery {
namespace {

using model::PortKey;
using model::PortNum;

/// Questions about who is at the other end of a cable that wait for an answer at the same time.
/// Fewer than MadEngine's window, so that silent neighbours leave room for the rest; those that
/// wait their turn are dropped if the cable becomes known from its other end.
constexpr std::size_t kProbeWindow = 192;

/// The 24-bit OUI of Mellanox, now NVIDIA: whose devices know FDR10.
constexpr std::uint32_t kMellanox = 0x0002c9;

/// One question of the walk. Small, so that a completion needs no memory of its own.
struct Ask {
  enum class Kind : std::uint8_t {
    kSelf,
    kNextHop,  ///< NodeInfo out of a port
    kDescription,
    kSwitchInfo,
    kPortInfo,
    kVendorPortInfo,
    kImpostorDescription,  ///< `node` counts impostors
  };
  Kind kind = Kind::kSelf;
  std::uint8_t port = 0;
  bool untargeted = false;  ///< asked past the back-off of its device
  std::uint32_t node = 0;
};

}  // namespace

class FabricSweep::Impl : public std::enable_shared_from_this<FabricSweep::Impl> {
 public:
  Impl(mad::MadEngine& engine, Options options, std::shared_ptr<const model::Fabric> previous)
      : engine_(engine),
        options_(std::move(options)),
        run_(engine, options_.job),
        previous_(std::move(previous)) {}

  void start(Done done) {
    run_.begin(std::move(done));
    report_.started_at = options_.now();
    began_ = engine_.now();
    send({.kind = Ask::Kind::kSelf});
  }

  void cancel() { run_.cancel({model::Errc::kCancelled, "the sweep was cancelled", std::nullopt}); }
  void abandon() { run_.abandon(); }

 private:
  using Answer = model::Result<mad::Reply>;

  [[nodiscard]] mad::Query query_for(const Ask& ask) const {
    mad::Query query{
        .to = mad::DirectedRoute{}, .port_select = {}, .target = {}, .job = options_.job};
    switch (ask.kind) {
      case Ask::Kind::kSelf:
        query.attribute = mad::smp::kNodeInfo;
        return query;
      case Ask::Kind::kNextHop:
        query.attribute = mad::smp::kNodeInfo;
        query.to = walk_.nodes[ask.node].route.then(PortNum{ask.port});
        return query;
      case Ask::Kind::kImpostorDescription: {
        const PortKey behind = walk_.impostors[ask.node].behind;
        query.attribute = mad::smp::kNodeDescription;
        query.to = walk_.nodes[walk_.by_guid.at(behind.node)].route.then(behind.port);
        return query;
      }
      case Ask::Kind::kDescription:
        query.attribute = mad::smp::kNodeDescription;
        break;
      case Ask::Kind::kSwitchInfo:
        query.attribute = mad::smp::kSwitchInfo;
        break;
      case Ask::Kind::kPortInfo:
        query.attribute = mad::smp::kPortInfo;
        query.modifier = ask.port;
        break;
      case Ask::Kind::kVendorPortInfo:
        query.attribute = mad::smp::kVendorExtendedPortInfo;
        query.modifier = ask.port;
        break;
    }
    const SeenNode& node = walk_.nodes[ask.node];
    query.to = walk_.route_to(node, PortNum{ask.port});
    // Silence on an attribute that few devices have says nothing about the device.
    if (!ask.untargeted && ask.kind != Ask::Kind::kVendorPortInfo) {
      query.target = node.info.node_guid;
    }
    return query;
  }

  void send(Ask ask) {
    run_.asked();
    ++report_.queries;
    if (ask.kind == Ask::Kind::kNextHop) ++probes_outstanding_;
    engine_.submit(query_for(ask),
                   [this, ask](Answer answer) { on_answer(ask, std::move(answer)); });
  }

  /// Sends next-hop questions as far as their window allows.
  void pump() {
    while (probes_outstanding_ < kProbeWindow && !probes_.empty()) {
      const Ask ask = probes_.front();
      probes_.pop_front();
      if (walk_.nodes[ask.node].ports[ask.port].beyond == SeenPort::Beyond::kNothing) send(ask);
    }
  }

  void on_answer(Ask ask, Answer answer) {
    const std::shared_ptr<Impl> self = shared_from_this();
    run_.answered(answer);
    if (ask.kind == Ask::Kind::kNextHop) --probes_outstanding_;
    if (!answer && answer.error().code == model::Errc::kTimeout) ++report_.timeouts;
    if (!run_.ending()) {
      if (!answer && answer.error().code == model::Errc::kMute && !ask.untargeted) {
        // It has just answered NodeInfo, so its back-off, from other questions, is no reason here.
        ask.untargeted = true;
        send(ask);
      } else {
        take(ask, answer);
      }
    }
    if (!run_.ending()) pump();
    if (run_.over()) run_.tell([this] { return outcome(); });
  }

  void take(const Ask& ask, const Answer& answer) {
    switch (ask.kind) {
      case Ask::Kind::kSelf:
        return take_self(answer);
      case Ask::Kind::kNextHop:
        return take_next_hop(ask, answer);
      case Ask::Kind::kDescription:
        if (answer) {
          walk_.nodes[ask.node].description =
              mad::node_description_from_wire(mad::smp_data(answer->bytes));
        }
        return;
      case Ask::Kind::kSwitchInfo:
        if (answer) {
          walk_.nodes[ask.node].switch_info =
              mad::switch_info_from_wire(mad::smp_data(answer->bytes));
        }
        return;
      case Ask::Kind::kPortInfo:
        return take_port_info(ask, answer);
      case Ask::Kind::kVendorPortInfo:
        return take_vendor_port_info(ask, answer);
      case Ask::Kind::kImpostorDescription:
        if (answer) {
          walk_.impostors[ask.node].description =
              mad::node_description_from_wire(mad::smp_data(answer->bytes));
        }
        return;
    }
  }

  void take_self(const Answer& answer) {
    if (!answer) {
      run_.end({answer.error().code,
                fmt::format("the local port does not answer: {}", answer.error().text),
                std::nullopt});
      return;
    }
    const mad::NodeInfo info = mad::node_info_from_wire(mad::smp_data(answer->bytes));
    if (info.node_guid.value() == 0) {
      run_.end({model::Errc::kRefused, "the local port gives no node GUID", std::nullopt});
      return;
    }
    const std::uint32_t self = add_node(info, {});
    if (!walk_.nodes[self].is_switch()) enter_end_port(self, info);
  }

  /// Notes a node and asks what it is. Returns its place.
  std::uint32_t add_node(const mad::NodeInfo& info, const mad::DirectedRoute& route) {
    const std::uint32_t index = walk_.add(info, route);
    send({.kind = Ask::Kind::kDescription, .node = index});
    const SeenNode& node = walk_.nodes[index];
    if (node.is_switch()) {
      send({.kind = Ask::Kind::kSwitchInfo, .node = index});
      for (const SeenPort& port : node.ports) ask_port(index, port.port.number);
    }
    return index;
  }

  /// An end port that a cable enters, or our own: its GUID comes with NodeInfo.
  void enter_end_port(std::uint32_t index, const mad::NodeInfo& info) {
    SeenNode& node = walk_.nodes[index];
    const std::size_t number = info.local_port.value();
    if (number == 0 || number >= node.ports.size()) return;
    if (node.ports[number].port.guid) return;
    node.ports[number].port.guid = info.port_guid;
    ask_port(index, info.local_port);
  }

  void ask_port(std::uint32_t node, PortNum port) {
    send({.kind = Ask::Kind::kPortInfo, .port = port.value(), .node = node});
  }

  void take_next_hop(const Ask& ask, const Answer& answer) {
    SeenPort& port = walk_.nodes[ask.node].ports[ask.port];
    if (!answer) {
      if (port.beyond == SeenPort::Beyond::kNothing) port.beyond = SeenPort::Beyond::kMute;
      return;
    }
    const mad::NodeInfo info = mad::node_info_from_wire(mad::smp_data(answer->bytes));
    const PortKey here{walk_.nodes[ask.node].info.node_guid, PortNum{ask.port}};
    const auto found = walk_.by_guid.find(info.node_guid);
    const bool known = found != walk_.by_guid.end();
    if (info.node_guid.value() == 0) {
      set_aside(port, std::nullopt);
      report_.mute.push_back({std::nullopt, here,
                              fmt::format("the device behind port {} of {} gives node GUID 0 and "
                                          "cannot be told from others",
                                          here.port, here.node)});
    } else if (known && !same_device(walk_.nodes[found->second], info, here)) {
      set_aside(port, info.node_guid);
      walk_.impostors.push_back({info, here, {}});
      send({.kind = Ask::Kind::kImpostorDescription,
            .node = static_cast<std::uint32_t>(walk_.impostors.size() - 1)});
    } else if (!known && (walk_.nodes.size() >= options_.max_nodes ||
                          walk_.ports + info.port_count > options_.max_ports)) {
      give_up(info.node_guid, here);
    } else {
      link(port, here, info,
           known ? found->second
                 : add_node(info, walk_.nodes[ask.node].route.then(PortNum{ask.port})));
    }
  }

  /// There is no room for one more node.
  void give_up(model::NodeGuid last, PortKey behind) {
    const SeenNode& teller = walk_.nodes[walk_.by_guid.at(behind.node)];
    run_.cancel(
        {model::Errc::kInvalidInput,
         fmt::format("the walk ends at {} nodes with {} ports, its limit: a device that gives ever "
                     "new GUIDs is likelier than so large a subnet; the last one, {}, came from "
                     "behind port {} of {} \"{}\"",
                     walk_.nodes.size(), walk_.ports, last, behind.port, behind.node,
                     model::printable(teller.description.value_or(""))),
         std::nullopt});
  }

  /// Notes the cable from `port`, which is `here`, to the node that has answered through it.
  void link(SeenPort& port, PortKey here, const mad::NodeInfo& info, std::uint32_t index) {
    SeenNode& node = walk_.nodes[index];
    if (node.is_switch() && info.local_port.value() == 0) {
      // No cable can enter the management port.
      set_aside(port, info.node_guid);
      return;
    }
    join(port, {info.node_guid, info.local_port});
    if (info.local_port.value() >= node.ports.size()) return;  // assemble() makes it an anomaly
    join(node.ports[info.local_port.value()], here);
    if (!node.is_switch()) enter_end_port(index, info);
  }

  static void set_aside(SeenPort& port, std::optional<model::NodeGuid> says) {
    port.beyond = SeenPort::Beyond::kUnfit;
    port.unfit = says;
  }

  static void join(SeenPort& port, PortKey peer) {
    port.beyond = SeenPort::Beyond::kPeer;
    port.peer = peer;
  }

  void take_port_info(const Ask& ask, const Answer& answer) {
    SeenNode& node = walk_.nodes[ask.node];
    SeenPort& seen = node.ports[ask.port];
    if (!answer) {
      seen.info = SeenPort::Info::kFailed;
      return;
    }
    seen.info = SeenPort::Info::kAnswered;
    const std::optional<model::PortGuid> guid = seen.port.guid;
    seen.port =
        mad::to_port(mad::port_info_from_wire(mad::smp_data(answer->bytes)), PortNum{ask.port});
    seen.port.guid = guid;
    if (node.is_switch() && ask.port != 0) {
      // Of a switch only port 0 is an end port; these fields mean nothing on the others.
      seen.port.lid.reset();
      seen.port.lmc = 0;
      seen.port.is_subnet_manager = false;
    }
    ask_vendor(ask);
    // Beyond an adapter there is nothing to walk, but from our own.
    const bool leads_on = node.is_switch() ? ask.port != 0 : ask.node == 0;
    if (!leads_on || seen.port.physical_state != model::PhysicalState::kLinkUp ||
        seen.beyond != SeenPort::Beyond::kNothing) {
      return;
    }
    if (node.route.hops() >= mad::DirectedRoute::kMaxHops) {
      report_.mute.push_back({std::nullopt,
                              {node.info.node_guid, PortNum{ask.port}},
                              "too far to be asked: a directed route has at most 63 hops"});
      seen.beyond = SeenPort::Beyond::kUnfit;
      return;
    }
    probes_.push_back({.kind = Ask::Kind::kNextHop, .port = ask.port, .node = ask.node});
  }

  /// QDR may be FDR10.
  void ask_vendor(const Ask& about) {
    const SeenNode& node = walk_.nodes[about.node];
    if (node.info.vendor_id != kMellanox ||
        node.ports[about.port].port.rate.speed != model::LinkSpeed::kQdr) {
      return;
    }
    const Ask ask{.kind = Ask::Kind::kVendorPortInfo, .port = about.port, .node = about.node};
    for (const Ask& next : fdr10_.want(node.info.device_id, ask)) send(next);
  }

  void take_vendor_port_info(const Ask& ask, const Answer& answer) {
    SeenNode& node = walk_.nodes[ask.node];
    if (answer) {
      const mad::VendorExtendedPortInfo info =
          mad::vendor_extended_port_info_from_wire(mad::smp_data(answer->bytes));
      model::Port& port = node.ports[ask.port].port;
      if (info.fdr10_active) port.rate.speed = model::LinkSpeed::kFdr10;
      if (info.fdr10_supported) port.speeds_supported.insert(model::LinkSpeed::kFdr10);
      if (info.fdr10_enabled) port.speeds_enabled.insert(model::LinkSpeed::kFdr10);
    }
    const model::Error* const error = answer ? nullptr : &answer.error();
    for (const Ask& next : fdr10_.answered(node.info.device_id, error)) send(next);
  }

  [[nodiscard]] SweepOutcome outcome() {
    SweepOutcome outcome;
    outcome.routes.reserve(walk_.nodes.size());
    outcome.partition_capacity.reserve(walk_.nodes.size());
    for (const SeenNode& node : walk_.nodes) {
      outcome.routes.emplace(node.info.node_guid, node.route);
      outcome.partition_capacity.emplace(node.info.node_guid, node.info.partition_capacity);
      if (node.switch_info) outcome.switches.emplace(node.info.node_guid, *node.switch_info);
    }
    outcome.fabric = std::make_shared<const model::Fabric>(
        assemble(walk_, previous_.get(), options_.fabric_name, report_));
    // Not from the wall clock, which may be set meanwhile.
    report_.duration =
        std::chrono::duration_cast<std::chrono::milliseconds>(engine_.now() - began_);
    outcome.report = std::move(report_);
    return outcome;
  }

  mad::MadEngine& engine_;
  Options options_;
  SweepRun<SweepOutcome> run_;
  std::shared_ptr<const model::Fabric> previous_;
  WalkRecord walk_;
  model::SweepReport report_;
  mad::Clock::time_point began_;
  std::deque<Ask> probes_;
  std::size_t probes_outstanding_ = 0;
  VendorTrials<Ask> fdr10_;  ///< by device id
};

FabricSweep::FabricSweep(mad::MadEngine& engine, Options options,
                         std::shared_ptr<const model::Fabric> previous)
    : impl_(std::make_shared<Impl>(engine, std::move(options), std::move(previous))) {}

FabricSweep::~FabricSweep() { impl_->abandon(); }

void FabricSweep::start(Done done) { impl_->start(std::move(done)); }

void FabricSweep::cancel() { impl_->cancel(); }

}  // namespace heddle::discovery
