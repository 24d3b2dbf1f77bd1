#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/availability.hpp"
#include "routing/dependency_graph.hpp"
#include "routing/detour_column.hpp"
#include "routing/graph.hpp"

namespace heddle::routing {

/// How much longer than the shortest a detour may be for the sake of a lower lane.
inline constexpr std::uint16_t kMaxDetourSlack = 2;

/// Arcs over switches without entries, up to a switch that has one.
struct DetourWay {
  /// Cables of a detour before it meets entries that lead on. A switch that is farther from any
  /// waits until its neighbours have theirs.
  static constexpr std::size_t kMaxFree = 6;

  std::array<std::uint32_t, kMaxFree> arcs{};
  std::uint8_t count = 0;
  std::uint32_t cost = 0;

  [[nodiscard]] std::uint32_t first() const noexcept { return arcs[0]; }
  [[nodiscard]] std::uint32_t last() const noexcept { return arcs[count - std::size_t{1}]; }
};

/// Finds ways for one LID's holes in one lane. What follows a switch that leads on, and where no
/// way of a length leads on at all, is looked up once and known until an entry or the lane changes:
/// thousands of ways end at the same few switches. Not for use from several threads.
class DetourWays {
 public:
  /// Which way is the best.
  enum class Cost : std::uint8_t {
    kLoad,  ///< whose most loaded cable carries least
    kNew,   ///< that adds least to the lane's dependency graph
  };
  struct Query {
    std::uint32_t from = 0;    ///< a switch without an entry
    std::uint16_t length = 0;  ///< cables up to the LID's own switch: least(from) to
                               ///< kMaxDetourSlack more
    std::size_t most = 0;      ///< ways that are looked at
    Cost cost = Cost::kNew;
    bool drained = false;  ///< drained cables may be passed
    /// Dead ends are worth remembering, since searches are in vain here.
    bool hard = false;
  };

  /// All outlive it; `load`: by arc, see Cost.
  DetourWays(const Graph& graph, const Availability& availability, DetourColumn& column,
             std::span<const std::uint32_t> load);

  /// From now on in that lane, which outlives what follows. Entries, what may be passed, or loads
  /// have changed since the last search.
  void begin(const AcyclicChannels& lane) noexcept;

  /// The first ways found that the lane may take, the cheapest first. Valid until the next call.
  [[nodiscard]] std::span<const DetourWay> find(const Query& query);

 private:
  /// What a packet waits for after a switch that leads on has got it.
  struct Rest {
    std::uint64_t version = 0;  ///< it is of
    std::uint32_t added = 0;    ///< dependencies that the lane does not have yet
    std::uint32_t load = 0;     ///< the greatest
    bool refused = false;       ///< some dependency is known not to fit the lane
  };
  /// What is known of the ways that begin with an arc and have some slack.
  struct Mark {
    std::uint64_t dead = 0;   ///< the epoch in which none leads on
    std::uint64_t alive = 0;  ///< the version in which one may
  };

  void extend(std::uint32_t sw, std::uint16_t left);
  void keep();
  [[nodiscard]] bool fits(std::uint32_t arc, std::uint16_t left);
  [[nodiscard]] bool may_lead_on(std::uint32_t arc, std::uint16_t left);
  [[nodiscard]] bool refused_beyond(std::uint32_t arc);
  [[nodiscard]] const Rest& rest(std::uint32_t sw);

  const Graph& graph_;
  const Availability& availability_;
  DetourColumn& column_;
  std::span<const std::uint32_t> load_;
  const AcyclicChannels* lane_ = nullptr;
  std::uint64_t lane_changes_ = 0;  ///< lane_->changes() that version_ is of
  /// Within an epoch dead ends stay dead ends, as a lane never takes what it has refused.
  std::uint64_t epoch_ = 0;
  std::uint64_t version_ = 0;  ///< of the epoch and of what the lane says
  std::vector<Rest> rest_;     ///< by switch
  std::vector<Mark> marks_;    ///< by arc and slack; empty before the first hard search
  Query query_;
  DetourWay way_;  ///< as far as it goes
  std::vector<DetourWay> ways_;
};

}  // namespace heddle::routing
