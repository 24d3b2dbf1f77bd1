#include "fake_opensm.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "plugins/opensm/directed_paths.hpp"

namespace heddle::plugin {

using model::NodeGuid;
using model::PortNum;
using model::SwitchIndex;
using routing::ArcIndex;
using routing::PortTarget;

FakeOpensm::FakeOpensm(std::shared_ptr<const RoutingRun> run)
    : up(run->available), tables(run->tables), run_(std::move(run)) {
  requests_.context = this;
  requests_.get_ports = [](void* context, const heddle_path* path, std::uint64_t guid,
                           const std::uint8_t* ports, std::size_t count, std::uint16_t block) {
    FakeOpensm& own = self(context);
    own.asked += count;
    if (!own.arrives(path, guid)) return 1;
    const SwitchIndex sw = own.switch_of(guid);
    for (const std::uint8_t port : std::span(ports, count)) {
      const PortTarget target = own.run_->graph.target(sw, PortNum{port});
      const bool is_up = target.kind == PortTarget::Kind::kSwitch &&
                         own.up.usable(own.run_->graph, ArcIndex{target.index});
      if (!is_up) own.known_down_.insert({NodeGuid{guid}, PortNum{port}});
    }
    own.answers_.push_back(own.block_of(sw, block));
    return 1;
  };
  requests_.set_blocks = [](void* context, const heddle_block* blocks, std::size_t count,
                            std::uint64_t run_number) -> std::size_t {
    FakeOpensm& own = self(context);
    std::size_t taken = 0;
    for (const heddle_block& block : std::span(blocks, count)) {
      if (!own.is_master || run_number != own.run_->number || own.sets_taken == 0) break;
      --own.sets_taken;
      ++own.sent;
      ++taken;
      if (!own.answers_sets || !own.arrives(&block.path, block.guid)) continue;
      const SwitchIndex sw = own.switch_of(block.guid);
      const auto row = own.tables.row(sw);
      for (std::size_t i = 0; i < HEDDLE_BLOCK_LIDS; ++i) {
        const std::size_t lid = std::size_t{block.number} * HEDDLE_BLOCK_LIDS + i;
        if (lid < row.size()) row[lid] = block.entries[i];
      }
      own.answers_.push_back(own.block_of(sw, block.number));
    }
    return taken;
  };
  requests_.down_ports = [](void* context, const heddle_switch_port* ports, std::size_t count,
                            std::uint8_t* is_down) {
    const FakeOpensm& own = self(context);
    for (std::size_t i = 0; i < count; ++i) {
      is_down[i] = own.known_down_.contains({NodeGuid{ports[i].guid}, PortNum{ports[i].port}});
    }
  };
  requests_.changed_switches = [](void*, std::uint64_t*, std::size_t) { return std::size_t{0}; };
  requests_.is_master = [](void* context) { return self(context).is_master ? 1 : 0; };
  requests_.reroute = [](void* context) { ++self(context).reroutes; };
  requests_.log = [](void* context, int, const char* line) {
    self(context).log.emplace_back(line);
  };
}

bool FakeOpensm::hears(SwitchIndex sw) const {
  const auto way = way_of_traps(run_->graph, tables, *run_->manager, sw);
  return way && up.up(sw) && arrives(&*way, run_->graph.guid(sw).value());
}

void FakeOpensm::kill(SwitchIndex sw) { up.take_down(sw); }

void FakeOpensm::answer(FastRepair& repair) {
  std::deque<BlockEvent> due;
  due.swap(answers_);
  for (const BlockEvent& event : due) repair.note_block(event);
}

std::string FakeOpensm::log_text() const {
  std::string text;
  for (const std::string& line : log) text += line + "\n";
  return text;
}

bool FakeOpensm::arrives(const heddle_path* path, std::uint64_t guid) const {
  // OpenSM's own paths are those of discovery: taken to be good.
  if (path == nullptr) return up.up(switch_of(guid));
  const ManagerPlace& manager = *run_->manager;
  std::size_t hop = 0;
  if (manager.host_port) {
    if (path->hops == 0 || path->ports[hop++] != manager.host_port->value()) return false;
  }
  SwitchIndex at = manager.at;
  for (; hop < path->hops; ++hop) {
    const PortTarget target = run_->graph.target(at, PortNum{path->ports[hop]});
    if (target.kind != PortTarget::Kind::kSwitch) return false;
    if (!up.usable(run_->graph, ArcIndex{target.index})) return false;
    at = run_->graph.arc(ArcIndex{target.index}).to;
  }
  return run_->graph.guid(at).value() == guid;
}

BlockEvent FakeOpensm::block_of(SwitchIndex sw, std::uint16_t number) const {
  BlockEvent event{.guid = run_->graph.guid(sw), .block = number, .entries = {}, .time = {}};
  const auto row = tables.row(sw);
  for (std::size_t i = 0; i < event.entries.size(); ++i) {
    const std::size_t lid = std::size_t{number} * HEDDLE_BLOCK_LIDS + i;
    event.entries[i] = lid < row.size() ? row[lid] : model::ForwardingTables::kNoPort;
  }
  return event;
}

SwitchIndex FakeOpensm::switch_of(std::uint64_t guid) const {
  for (std::uint32_t s = 0; s < run_->graph.switch_count(); ++s) {
    if (run_->graph.guid(SwitchIndex{s}).value() == guid) return SwitchIndex{s};
  }
  throw std::out_of_range("no such switch");
}

}  // namespace heddle::plugin
