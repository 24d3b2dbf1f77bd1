#include "plugins/opensm/write_tables.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "routing/distances.hpp"

namespace heddle::plugin {

using model::SwitchIndex;

namespace {

constexpr unsigned kBlockLids = 64;     ///< of one LinearForwardingTable
constexpr std::uint8_t kNoPath = 0xFF;  ///< OpenSM's OSM_NO_PATH

/// The switch whose GUID is given; the graph has its switches in order of GUID.
std::optional<SwitchIndex> find_switch(const routing::Graph& graph, std::uint64_t guid) {
  std::uint32_t begin = 0;
  auto end = static_cast<std::uint32_t>(graph.switch_count());
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (graph.guid(SwitchIndex{middle}).value() < guid) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == graph.switch_count() || graph.guid(SwitchIndex{begin}).value() != guid) return {};
  return SwitchIndex{begin};
}

class TableWriter {
 public:
  TableWriter(const routing::Graph& graph, const routing::Availability& availability,
              const model::ForwardingTables& tables, const heddle_subnet& subnet,
              routing::Workers& workers)
      : graph_(graph),
        availability_(availability),
        tables_(tables),
        subnet_(subnet),
        workers_(workers),
        all_(all_switches(graph)),
        distances_(graph, availability, all_, all_, workers),
        behind_(all_.size() * all_.size()),
        in_use_(std::size_t{graph.top_lid().value()} + 1, 0) {
    for (const routing::Destination& to : graph.destinations()) in_use_[to.lid.value()] = 1;
    workers.run(all_.size(), [this](std::size_t to) { count_last_hop(to); });
  }

  model::Result<Written> write() {
    std::vector<Written> parts(subnet_.switch_count);
    std::atomic<bool> has_memory = true;
    std::atomic<bool> is_known = true;
    workers_.run(subnet_.switch_count, [&](std::size_t i) {
      const heddle_switch& out = subnet_.switches[i];
      const std::optional<SwitchIndex> sw = find_switch(graph_, out.guid);
      if (!sw) {
        is_known = false;
        return;
      }
      parts[i] = write_row(*sw, out);
      if (!write_hops(*sw, out)) has_memory = false;
    });
    if (!is_known) {
      return model::fail(model::Errc::kConflict, "a switch with tables is no node of the subnet");
    }
    if (!has_memory) {
      return model::fail(model::Errc::kUnavailable, "no memory for the hops of a switch");
    }
    Written all;
    for (const Written& part : parts) {
      all.entries += part.entries;
      all.changed += part.changed;
      all.blocks += part.blocks;
    }
    return all;
  }

 private:
  static std::vector<SwitchIndex> all_switches(const routing::Graph& graph) {
    std::vector<SwitchIndex> all;
    all.reserve(graph.switch_count());
    for (std::uint32_t s = 0; s < graph.switch_count(); ++s) all.emplace_back(s);
    return all;
  }

  /// What a port to a switch at that distance says: a hop more.
  void count_last_hop(std::size_t to) {
    std::ranges::transform(
        distances_.row(to), &behind_[to * all_.size()], [](std::uint8_t distance) {
          return distance == routing::Distances::kUnconnected
                     ? kNoPath
                     : static_cast<std::uint8_t>(std::min(distance + 1, kNoPath - 1));
        });
  }

  Written write_row(SwitchIndex sw, const heddle_switch& out) const {
    const auto row = tables_.row(sw);
    std::memcpy(out.next, row.data(), std::min<std::size_t>(row.size(), out.top_lid + 1U));
    Written written;
    const std::size_t lids = std::min<std::size_t>(in_use_.size(), out.top_lid + 1U);
    for (std::size_t begin = 0; begin < lids; begin += kBlockLids) {
      const std::size_t end = std::min<std::size_t>(begin + kBlockLids, lids);
      unsigned changed = 0;
      for (std::size_t lid = begin; lid < end; ++lid) {
        const std::uint8_t before = lid < out.present_size ? out.present[lid] : kNoPath;
        changed += static_cast<unsigned>(before != out.next[lid]) & in_use_[lid];
        written.entries += in_use_[lid];
      }
      written.changed += changed;
      written.blocks += static_cast<unsigned>(changed != 0);
    }
    return written;
  }

  bool write_hops(SwitchIndex sw, const heddle_switch& out) const {
    // Once a switch: there are as many rows as switches.
    const std::vector<Exit> exits = exits_of(sw, out.hop_size);
    for (const SwitchIndex to : all_) {
      const std::optional<model::Lid> lid = graph_.lid(to);
      if (!lid || !availability_.up(to) || lid->value() > out.top_lid) continue;
      std::uint8_t* const hops = subnet_.hop_row(out.handle, lid->value());
      if (hops == nullptr) return false;
      std::memset(hops, kNoPath, out.hop_size);
      hops[0] = distances_.row(to.value())[sw.value()];
      const std::uint8_t* const behind = &behind_[to.value() * all_.size()];
      for (const Exit& exit : exits) hops[exit.port] = behind[exit.to];
    }
    return true;
  }

  struct Exit {
    std::uint32_t to;  ///< SwitchIndex
    std::uint8_t port;
  };

  std::vector<Exit> exits_of(SwitchIndex sw, std::uint8_t ports) const {
    std::vector<Exit> exits;
    routing::ArcIndex index = graph_.first_arc(sw);
    for (const routing::Arc& arc : graph_.arcs_of(sw)) {
      if (availability_.usable(graph_, index) && arc.exit.value() < ports) {
        exits.push_back({arc.to.value(), arc.exit.value()});
      }
      index = routing::ArcIndex{index.value() + 1};
    }
    return exits;
  }

  const routing::Graph& graph_;
  const routing::Availability& availability_;
  const model::ForwardingTables& tables_;
  const heddle_subnet& subnet_;
  routing::Workers& workers_;
  std::vector<SwitchIndex> all_;
  routing::Distances distances_;
  std::vector<std::uint8_t>
      behind_;  ///< by switch to be reached, then neighbour: hops by way of it
  std::vector<std::uint8_t> in_use_;  ///< by LID, 1 for a destination's
};

}  // namespace

model::Result<Written> write_tables(const routing::Graph& graph,
                                    const routing::Availability& availability,
                                    const model::ForwardingTables& tables,
                                    const heddle_subnet& subnet, routing::Workers& workers) {
  return TableWriter(graph, availability, tables, subnet, workers).write();
}

}  // namespace heddle::plugin
