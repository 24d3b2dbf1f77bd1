#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "model/result.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// Traffic from one terminal to another's base LID, as much as it gets.
struct Flow {
  TerminalIndex source;
  TerminalIndex destination;
  auto operator<=>(const Flow&) const = default;
};

enum class Pattern : std::uint8_t {
  kRing,         ///< rank i to rank i + 1
  kAllToAll,     ///< every rank to every other at once
  kShift,        ///< rank i to rank i + n / 2
  kPermutation,  ///< every rank to one other, at random by the seed
};
[[nodiscard]] std::string_view to_string(Pattern pattern) noexcept;  ///< `ring`, `all-to-all`, …
[[nodiscard]] model::Result<Pattern> parse_pattern(std::string_view text);

/// Flows of a pattern over `ranks`, in order of source rank. kInvalidInput beyond 2^24 flows: an
/// all-to-all of so many ranks is asked for in parts. The seed matters to kPermutation alone.
[[nodiscard]] model::Result<std::vector<Flow>> flows_of(Pattern pattern,
                                                        const std::vector<TerminalIndex>& ranks,
                                                        std::uint64_t seed);

/// What packets pass: a host's cable in either direction, or one direction of a cable between
/// switches.
struct Channel {
  enum class Kind : std::uint8_t { kFromTerminal, kArc, kToTerminal };
  Kind kind = Kind::kArc;
  std::uint32_t index = 0;  ///< TerminalIndex or ArcIndex
  auto operator<=>(const Channel&) const = default;
};

/// Dense numbers of channels: arcs first, then cables from terminals, then those to terminals.
class ChannelNumbers {
 public:
  explicit ChannelNumbers(const Graph& graph)
      : arcs_(static_cast<std::uint32_t>(graph.arcs().size())),
        terminals_(static_cast<std::uint32_t>(graph.terminals().size())) {}
  [[nodiscard]] std::size_t count() const noexcept { return arcs_ + std::size_t{2} * terminals_; }
  [[nodiscard]] std::uint32_t number(Channel channel) const noexcept {
    switch (channel.kind) {
      case Channel::Kind::kArc:
        return channel.index;
      case Channel::Kind::kFromTerminal:
        return arcs_ + channel.index;
      case Channel::Kind::kToTerminal:
        return arcs_ + terminals_ + channel.index;
    }
    return 0;
  }
  [[nodiscard]] Channel channel(std::uint32_t number) const noexcept {
    if (number < arcs_) return {Channel::Kind::kArc, number};
    if (number < arcs_ + terminals_) return {Channel::Kind::kFromTerminal, number - arcs_};
    return {Channel::Kind::kToTerminal, number - arcs_ - terminals_};
  }

 private:
  std::uint32_t arcs_;
  std::uint32_t terminals_;
};

/// The channels of every flow under some tables, flat.
struct FlowPaths {
  std::vector<std::uint32_t> first{0};  ///< CSR offsets, one more than flows
  std::vector<std::uint32_t> channels;  ///< numbers; a flow that is not delivered has none
};
[[nodiscard]] FlowPaths follow(const Graph& graph, const model::ForwardingTables& tables,
                               const std::vector<Flow>& flows);

}  // namespace heddle::routing
