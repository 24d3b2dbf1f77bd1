#include "discovery/table_sweep.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <optional>
#include <utility>

#include "discovery/sweep_run.hpp"
#include "discovery/table_plan.hpp"
#include "discovery/table_reading.hpp"

namespace heddle::discovery {
namespace {

using model::ForwardingTables;
using model::NodeIndex;
using model::PortNum;
using Kind = TableReading::Kind;

/// Questions handed to the engine at a time: enough to keep its pace, few enough that millions that
/// are still to come need no memory.
constexpr std::size_t kWindow = 256;

/// Entries of a row up to the last that leads somewhere.
std::size_t used_length(std::span<const std::uint8_t> row) {
  std::size_t length = row.size();
  while (length > 0 && row[length - 1] == ForwardingTables::kNoPort) --length;
  return length;
}

}  // namespace

class TableSweep::Impl : public std::enable_shared_from_this<TableSweep::Impl> {
 public:
  Impl(mad::MadEngine& engine, Options options, SweepOutcome outcome, TablePlan plan,
       std::shared_ptr<const model::FabricTables> previous)
      : engine_(engine),
        options_(std::move(options)),
        run_(engine, options_.job),
        outcome_(std::move(outcome)),
        plan_(std::move(plan)),
        previous_(std::move(previous)) {}

  void start(Done done) {
    run_.begin(std::move(done));
    take_over();
    queue_tasks();
    pump();
    if (run_.over()) finish();
  }

  void cancel() {
    run_.cancel({model::Errc::kCancelled, "reading the tables was cancelled", std::nullopt});
  }
  void abandon() { run_.abandon(); }

 private:
  using Answer = model::Result<mad::Reply>;

  /// A table whose reading has not begun.
  struct Task {
    Kind kind;
    NodeIndex node;
    PortNum port;
  };

  [[nodiscard]] const model::Fabric& fabric() const noexcept { return *outcome_.fabric; }

  // What is kept until something newer is read: all that previous knew of nodes that are still
  // there.
  void take_over() {
    tables_ = std::make_unique<model::FabricTables>();
    tables_->fabric = outcome_.fabric;
    tables_->forwarding = ForwardingTables(fabric().switches().size(), top_lid());
    if (!previous_) return;
    for (std::uint32_t i = 0; i < fabric().switches().size(); ++i) {
      const auto before = previous_row(model::SwitchIndex{i});
      if (!before) continue;
      std::ranges::copy(before->first(used_length(*before)),
                        tables_->forwarding.row(model::SwitchIndex{i}).begin());
      tables_->forwarding.mark_known(model::SwitchIndex{i});
    }
    tables_->sl_to_vl = previous_->sl_to_vl;
    for (const model::Node& node : previous_->fabric->nodes()) {
      if (!fabric().find_node(node.guid)) tables_->sl_to_vl.erase(node.guid);
    }
    for (const auto& [port, keys] : previous_->partitions) {
      if (fabric().find_port(port)) tables_->partitions.emplace(port, keys);
    }
    tables_->unread = still_unread();
    if (plan_.subnet_managers) return;
    for (const model::SubnetManager& manager : previous_->subnet_managers) {
      if (fabric().find_node(manager.node)) tables_->subnet_managers.push_back(manager);
    }
  }

  /// What was not read before, of nodes that are still there, and is not going to be read now.
  [[nodiscard]] model::FabricTables::Unread still_unread() const {
    const auto left = [this](std::set<model::NodeGuid> nodes,
                             const std::vector<model::NodeGuid>& planned) {
      std::erase_if(nodes, [this](model::NodeGuid guid) { return !fabric().find_node(guid); });
      for (const model::NodeGuid guid : planned) nodes.erase(guid);
      return nodes;
    };
    const model::FabricTables::Unread& before = previous_->unread;
    return {.forwarding = left(before.forwarding, plan_.forwarding),
            .sl_to_vl = left(before.sl_to_vl, plan_.sl_to_vl),
            .partitions = left(before.partitions, plan_.partitions)};
  }

  [[nodiscard]] std::optional<std::span<const std::uint8_t>> previous_row(
      model::SwitchIndex sw) const {
    const auto node = previous_->fabric->find_node(fabric().node(fabric().node_of(sw)).guid);
    const auto before = node ? previous_->fabric->switch_index(*node) : std::nullopt;
    if (!before || !previous_->forwarding.known(*before)) return std::nullopt;
    return previous_->forwarding.row(*before);
  }

  /// The highest LID of any row, read or taken over.
  [[nodiscard]] model::Lid top_lid() const {
    std::size_t length = 1;
    for (const auto& [guid, info] : outcome_.switches) {
      length = std::max<std::size_t>(length, info.linear_fdb_top + std::size_t{1});
    }
    for (std::uint32_t i = 0; previous_ && i < fabric().switches().size(); ++i) {
      if (const auto row = previous_row(model::SwitchIndex{i})) {
        length = std::max(length, used_length(*row));
      }
    }
    const auto top = std::min<std::size_t>(length - 1, model::kMaxUnicastLid.value());
    return model::Lid{static_cast<std::uint16_t>(top)};
  }

  // In the order of what is wanted first; SL2VL tables are by far the most.
  void queue_tasks() {
    if (plan_.subnet_managers) {
      for (const model::Port& port : fabric().ports()) {
        if (port.is_subnet_manager) add_task(Kind::kSubnetManager, port.node, port.number);
      }
    }
    for (const model::NodeGuid guid : plan_.forwarding) {
      const auto node = fabric().find_node(guid);
      if (node && fabric().switch_index(*node)) add_task(Kind::kForwarding, *node, {});
    }
    for (const model::NodeGuid guid : plan_.partitions) {
      const auto node = fabric().find_node(guid);
      if (!node) continue;
      for (const PortNum port : end_ports(fabric(), *node)) {
        add_task(Kind::kPartitions, *node, port);
      }
    }
    for (const model::NodeGuid guid : plan_.sl_to_vl) {
      const auto node = fabric().find_node(guid);
      if (!node) continue;
      const std::vector<PortPair> pairs = sl_to_vl_pairs(fabric(), *node);
      if (pairs.empty()) {
        tables_->sl_to_vl.erase(guid);
      } else if (fabric().switch_index(*node)) {
        add_task(Kind::kSlToVl, *node, {});
      } else {
        for (const PortPair& pair : pairs) add_task(Kind::kSlToVl, *node, pair.out);
      }
    }
  }

  void add_task(Kind kind, NodeIndex node, PortNum port) { tasks_.push_back({kind, node, port}); }

  [[nodiscard]] std::optional<TableReading> open(const Task& task) const {
    switch (task.kind) {
      case Kind::kSubnetManager:
        return read_subnet_manager(outcome_, *fabric().find_port(task.node, task.port));
      case Kind::kForwarding:
        return read_forwarding_of(outcome_, task.node);
      case Kind::kPartitions:
        return read_partitions(outcome_, task.node, task.port);
      case Kind::kSlToVl:
        return fabric().switch_index(task.node)
                   ? read_switch_sl_to_vl(outcome_, task.node)
                   : read_end_port_sl_to_vl(outcome_, task.node, task.port);
    }
    return std::nullopt;
  }

  using ReadingRef = std::list<TableReading>::iterator;

  void pump() {
    while (!run_.ending() && run_.under_way() < kWindow) {
      if (current_ && (*current_)->may_ask()) {
        ask(*current_);
        continue;
      }
      current_.reset();
      if (tasks_.empty()) return;
      const Task task = tasks_.front();
      tasks_.pop_front();
      if (auto reading = open(task)) {
        current_ = readings_.insert(readings_.end(), std::move(*reading));
      } else {
        leave_unread(task.kind, {fabric().node(task.node).guid, task.port});
      }
    }
  }

  void ask(ReadingRef reading) {
    const std::size_t index = reading->next++;
    submit(reading, reading->attribute(), reading->modifiers[index],
           [this, reading, index](const Answer& answer) {
             if (answer) {
               reading->take(index, answer->bytes);
             } else {
               reading->failed = true;
             }
             proceed(reading);
           });
  }

  /// Asks by the same route who stands at its end: a cable may have been moved since the route was
  /// found, or while the table was read.
  void ask_identity(ReadingRef reading) {
    submit(reading, mad::smp::kNodeInfo, 0, [this, reading](const Answer& answer) {
      if (answer && !reading->is_from(mad::node_info_from_wire(mad::smp_data(answer->bytes)))) {
        ++tables_->led_astray;
        reading->failed = true;
      }
      if (!answer) reading->failed = true;
      settle(reading);
    });
  }

  template <class Take>
  void submit(ReadingRef reading, std::uint16_t attribute, std::uint32_t modifier, Take take) {
    ++reading->in_flight;
    run_.asked();
    engine_.submit({.attribute = attribute,
                    .modifier = modifier,
                    .to = reading->route,
                    .port_select = {},
                    .target = reading->port.node,
                    .pace = mad::Query::Pace::kBackground,
                    .job = options_.job},
                   [this, reading, take = std::move(take)](const Answer& answer) {
                     const std::shared_ptr<Impl> self = shared_from_this();
                     --reading->in_flight;
                     run_.answered(answer);
                     take(answer);
                     pump();
                     if (run_.over()) finish();
                   });
  }

  /// After an answer that belongs to the table itself.
  void proceed(ReadingRef reading) {
    if (reading->done()) {
      if (reading->failed || run_.ending()) {
        settle(reading);
      } else {
        ask_identity(reading);
      }
    } else if (!run_.ending() && reading->one_by_one && reading->may_ask()) {
      ask(reading);
    }
  }

  /// The reading has come to its end.
  void settle(ReadingRef reading) {
    if (!run_.ending()) commit(*reading);
    if (current_ == reading) current_.reset();
    readings_.erase(reading);
  }

  void commit(TableReading& reading) {
    if (reading.failed) return leave_unread(reading.kind, reading.port);
    switch (reading.kind) {
      case Kind::kSubnetManager:
        tables_->subnet_managers.push_back(*reading.manager);
        return;
      case Kind::kForwarding:
        return commit_row(reading);
      case Kind::kPartitions:
        tables_->partitions[reading.port] = std::move(reading.keys);
        return;
      case Kind::kSlToVl:
        return commit_sl_to_vl(reading);
    }
  }

  void commit_row(const TableReading& reading) {
    const auto sw = *fabric().switch_index(*fabric().find_node(reading.port.node));
    const std::span<std::uint8_t> row = tables_->forwarding.row(sw);
    std::ranges::fill(row, ForwardingTables::kNoPort);
    // The last block may reach past the top; what stands there does not count.
    const std::size_t valid = std::min<std::size_t>(
        {row.size(), reading.row.size(),
         outcome_.switches.at(reading.port.node).linear_fdb_top + std::size_t{1}});
    std::ranges::copy(std::span(reading.row).first(valid), row.begin());
    tables_->forwarding.mark_known(sw);
  }

  void commit_sl_to_vl(const TableReading& reading) {
    const model::NodeGuid guid = reading.port.node;
    if (reading.port.port.value() != 0) {
      tables_->sl_to_vl.set(guid, reading.port.port, reading.port.port, reading.mappings.front());
      return;
    }
    tables_->sl_to_vl.erase(guid);
    for (std::size_t i = 0; i < reading.modifiers.size(); ++i) {
      const PortNum in{static_cast<std::uint8_t>(reading.modifiers[i] >> 8U)};
      const PortNum out{static_cast<std::uint8_t>(reading.modifiers[i] & 0xFFU)};
      tables_->sl_to_vl.set(guid, in, out, reading.mappings[i]);
    }
  }

  /// What was known of a table stays; the next sweep tries it again.
  void leave_unread(Kind kind, model::PortKey port) {
    switch (kind) {
      case Kind::kSubnetManager:
        return keep_manager(port);
      case Kind::kForwarding:
        tables_->unread.forwarding.insert(port.node);
        return;
      case Kind::kPartitions:
        tables_->unread.partitions.insert(port.node);
        return;
      case Kind::kSlToVl:
        tables_->unread.sl_to_vl.insert(port.node);
        return;
    }
  }

  void keep_manager(model::PortKey port) {
    if (!previous_) return;
    for (const model::SubnetManager& manager : previous_->subnet_managers) {
      if (manager.node == port.node && manager.port == port.port) {
        tables_->subnet_managers.push_back(manager);
      }
    }
  }

  void finish() {
    run_.tell([this] {
      std::ranges::sort(tables_->subnet_managers, {}, [](const model::SubnetManager& manager) {
        return model::PortKey{manager.node, manager.port};
      });
      tables_->completed_at = options_.now();
      return std::shared_ptr<const model::FabricTables>(std::move(tables_));
    });
  }

  mad::MadEngine& engine_;
  Options options_;
  SweepRun<std::shared_ptr<const model::FabricTables>> run_;
  SweepOutcome outcome_;
  TablePlan plan_;
  std::shared_ptr<const model::FabricTables> previous_;
  std::unique_ptr<model::FabricTables> tables_;
  std::deque<Task> tasks_;
  std::list<TableReading> readings_;
  std::optional<ReadingRef> current_;  ///< whose questions are being handed over
};

TableSweep::TableSweep(mad::MadEngine& engine, Options options, SweepOutcome outcome,
                       TablePlan plan, std::shared_ptr<const model::FabricTables> previous)
    : impl_(std::make_shared<Impl>(engine, std::move(options), std::move(outcome), std::move(plan),
                                   std::move(previous))) {}

TableSweep::~TableSweep() { impl_->abandon(); }

void TableSweep::start(Done done) { impl_->start(std::move(done)); }

void TableSweep::cancel() { impl_->cancel(); }

}  // namespace heddle::discovery
