#include "model/fabric_lids.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "model/fabric_builder.hpp"
#include "model/fabric_summary.hpp"

namespace heddle::model {
namespace {

constexpr std::uint8_t kMaxLmc = 7;  // three bits of PortInfo

/// End ports in order of node GUID and port, and the LIDs that they get.
class Assignment {
 public:
  Assignment(const Fabric& fabric, const LidOptions& options)
      : fabric_(fabric), options_(options), taken_(kMaxUnicastLid.value() + std::size_t{1}) {
    taken_[0] = true;
    for (std::uint32_t i = 0; i < fabric.ports().size(); ++i) {
      if (is_end(PortIndex{i})) ends_.push_back(PortIndex{i});
    }
  }

  Result<std::map<PortIndex, std::pair<Lid, std::uint8_t>>> make() && {
    const bool keep_own = own_lids_fit();
    std::vector<PortIndex> rest;
    for (const PortIndex index : ends_) {
      const Port& port = fabric_.port(index);
      if (keep_own && port.lid) {
        if (Status taken = take(index, {*port.lid, last_of(*port.lid, port.lmc)}); !taken) {
          return fail(std::move(taken).error());
        }
        continue;
      }
      const auto found =
          port.guid ? options_.remembered.find(*port.guid) : options_.remembered.end();
      if (found == options_.remembered.end()) {
        rest.push_back(index);
      } else if (Status taken = take(index, found->second); !taken) {
        return fail(std::move(taken).error());
      }
    }
    unsigned next = 1;
    for (const PortIndex index : rest) {
      const unsigned size = is_switch(index) ? 1U : 1U << options_.lmc.value_or(0);
      next = (next + size - 1) / size * size;
      while (next + size - 1 <= kMaxUnicastLid.value() && !is_free(next, size)) next += size;
      if (next + size - 1 > kMaxUnicastLid.value()) {
        return fail(Errc::kInvalidInput,
                    fmt::format("{} end ports need more LIDs than the {} of a subnet", ends_.size(),
                                kMaxUnicastLid));
      }
      const LidRange range{Lid{static_cast<std::uint16_t>(next)},
                           Lid{static_cast<std::uint16_t>(next + size - 1)}};
      if (Status taken = take(index, range); !taken) return fail(std::move(taken).error());
    }
    return std::move(given_);
  }

 private:
  [[nodiscard]] bool is_switch(PortIndex index) const {
    return fabric_.node(fabric_.port(index).node).kind == NodeKind::kSwitch;
  }
  [[nodiscard]] bool is_end(PortIndex index) const {
    if (is_switch(index)) return fabric_.port(index).number == PortNum{};
    return fabric_.peer(index).has_value() || fabric_.port(index).lid.has_value();
  }
  [[nodiscard]] bool own_lids_fit() const {
    if (!options_.lmc) return true;
    for (const PortIndex index : ends_) {
      const Port& port = fabric_.port(index);
      if (port.lid && !is_switch(index) && port.lmc != *options_.lmc) return false;
    }
    return true;
  }
  [[nodiscard]] static Lid last_of(Lid first, std::uint8_t lmc) {
    return Lid{static_cast<std::uint16_t>(first.value() + (1U << lmc) - 1U)};
  }
  [[nodiscard]] bool is_free(unsigned first, unsigned size) const {
    for (unsigned lid = first; lid < first + size; ++lid) {
      if (taken_[lid]) return false;
    }
    return true;
  }
  [[nodiscard]] Status take(PortIndex index, LidRange range) {
    const unsigned first = range.first.value();
    const unsigned size = range.last.value() + 1U - first;
    std::uint8_t lmc = 0;
    while (1U << lmc < size && lmc < kMaxLmc) ++lmc;
    const bool sound = range.first.value() != 0 && range.last >= range.first &&
                       range.last <= kMaxUnicastLid && 1U << lmc == size && first % size == 0;
    if (!sound) {
      return fail(
          Errc::kInvalidInput,
          fmt::format("{}: LIDs {} to {} are no range of a power of two, aligned, within "
                      "1..{}",
                      describe_end(fabric_, index), range.first, range.last, kMaxUnicastLid));
    }
    if (!is_free(first, size)) {
      return fail(Errc::kInvalidInput,
                  fmt::format("{}: LIDs {} to {} belong to another port already",
                              describe_end(fabric_, index), range.first, range.last));
    }
    for (unsigned lid = first; lid < first + size; ++lid) taken_[lid] = true;
    given_[index] = {range.first, lmc};
    return {};
  }

  const Fabric& fabric_;
  const LidOptions& options_;
  std::vector<PortIndex> ends_;
  std::vector<bool> taken_;
  std::map<PortIndex, std::pair<Lid, std::uint8_t>> given_;
};

}  // namespace

Result<Fabric> with_lids(const Fabric& fabric, const LidOptions& options) {
  if (options.lmc && *options.lmc > kMaxLmc) {
    return fail(Errc::kInvalidInput, fmt::format("LMC {} is above {}", *options.lmc, kMaxLmc));
  }
  const auto given = Assignment(fabric, options).make();
  if (!given) return fail(given.error());
  FabricBuilder builder(fabric.name());
  for (const Node& node : fabric.nodes()) builder.add_node(node);
  for (std::uint32_t i = 0; i < fabric.ports().size(); ++i) {
    Port port = fabric.ports()[i];
    const auto found = given->find(PortIndex{i});
    if (found == given->end()) {
      port.lid.reset();
      port.lmc = 0;
    } else {
      port.lid = found->second.first;
      port.lmc = found->second.second;
    }
    builder.set_port(fabric.node(port.node).guid, std::move(port));
  }
  for (const Link& link : fabric.links()) builder.connect(fabric.key(link.a), fabric.key(link.b));
  for (const UnresolvedPeer& peer : fabric.unresolved()) {
    builder.connect_unresolved(fabric.key(peer.port), peer.peer, peer.peer_port, peer.description);
  }
  for (const Anomaly& anomaly : fabric.anomalies()) builder.report(anomaly);
  return std::move(builder).build();
}

}  // namespace heddle::model
