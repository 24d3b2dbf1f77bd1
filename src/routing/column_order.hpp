#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "model/forwarding_tables.hpp"
#include "routing/availability.hpp"
#include "routing/graph.hpp"
#include "routing/hop_table.hpp"
#include "routing/routes.hpp"

namespace heddle::routing {

/// Whether packets toward the LID may not hold the one channel and wait for the other, should a
/// mixture of old and new entries lead them so. Empty if they always may.
using ForbiddenTurn = std::function<bool(model::Lid to, ArcIndex held, ArcIndex wanted)>;

/// Of two changes, by position, the one that must be acknowledged before the other is sent.
struct Precedence {
  std::uint32_t first;
  std::uint32_t then;
};

/// Finds out, one LID after another, which of its changed entries must wait for which others so
/// that delivery, freedom from loops and the allowed turns hold in every state on the way, however
/// much later than necessary an entry is written.
///
/// A switch is alive if it reaches the LID now, and settled if it does by the new entries. If no
/// mixture of old and new entries leads in a circle, an alive switch only waits for dead ones on
/// its new way, as far as the first alive one: that one delivers in every state. Dead ones wait for
/// nothing, but go before what would bring their old way to life if their new one may not be ready.
/// Where some mixture circles, every switch waits for the next changed one on its new way, so that
/// behind a new entry all is new. Where both cannot be had, the LID's old entries are to be cleared
/// first.
class ColumnOrder {
 public:
  /// All outlive it.
  ColumnOrder(const Graph& graph, const Availability& availability,
              const model::ForwardingTables& now, const ForbiddenTurn& forbidden)
      : graph_(graph),
        availability_(availability),
        now_(now),
        forbidden_(forbidden),
        places_(graph.switch_count()) {}

  /// What is known of a changed entry.
  struct Standing {
    bool alive = false;
    bool settled = false;
    bool clear = false;  ///< the old entry is to be cleared before anything is written
  };

  /// The changes of one LID in order of switch; the first has the position that was reached.
  void add(std::span<const ChangedEntry> column);
  /// The same, the old entries to be cleared first in any case.
  void add_cleared(std::span<const ChangedEntry> column);

  /// By position.
  [[nodiscard]] std::span<const Standing> standings() const noexcept { return standings_; }
  [[nodiscard]] std::span<const Precedence> precedences() const noexcept { return precedences_; }
  [[nodiscard]] std::vector<Undelivered> take_lost() { return std::exchange(lost_, {}); }
  [[nodiscard]] std::vector<Undelivered> take_interrupted() {
    return std::exchange(interrupted_, {});
  }

 private:
  enum Side : std::uint8_t { kOld, kNew };
  enum class Fate : std::uint8_t { kUnknown, kOnPath, kAlive, kDead };
  enum class Colour : std::uint8_t { kUnseen, kOnPath, kDone };
  static constexpr std::uint32_t kUnchanged = ~std::uint32_t{0};

  /// A switch, as the column of now shows it.
  struct Place {
    std::uint32_t epoch = 0;
    std::uint32_t change = kUnchanged;  ///< into column_
    std::array<Fate, 2> fate{};         ///< by Side
    Colour colour = Colour::kUnseen;
  };
  /// Where an entry leads.
  struct Hop {
    enum class Kind : std::uint8_t { kNowhere, kArrives, kOn };
    Kind kind = Kind::kNowhere;
    ArcIndex arc{};
    std::uint32_t to = 0;
  };
  struct Step {
    std::uint32_t sw;
    std::uint8_t next;  ///< side to try next
  };

  void begin(std::span<const ChangedEntry> column);
  Place& place(std::uint32_t sw);
  [[nodiscard]] bool changed(std::uint32_t sw) { return place(sw).change != kUnchanged; }
  [[nodiscard]] Hop hop(std::uint32_t sw, Side side);
  [[nodiscard]] Fate fate(std::uint32_t sw, Side side);
  [[nodiscard]] bool alive(std::uint32_t sw) { return fate(sw, kOld) == Fate::kAlive; }
  [[nodiscard]] bool settled(std::uint32_t sw) { return fate(sw, kNew) == Fate::kAlive; }
  /// Calls `visit` for each switch on the way from `sw` on, until it returns false.
  template <class Visit>
  void follow(std::uint32_t sw, Side side, Visit visit);
  [[nodiscard]] bool mixture_circles();
  void wait(std::uint32_t first, std::uint32_t then);
  void order_freely(std::uint32_t sw);
  void order_inward(std::uint32_t sw);
  void go_before_revival(std::uint32_t sw);
  void go_before_loss(std::uint32_t sw);
  void avoid_turns(std::uint32_t sw);
  [[nodiscard]] bool contradictory() const;
  void clear();
  void note_lost();

  const Graph& graph_;
  const Availability& availability_;
  const model::ForwardingTables& now_;
  const ForbiddenTurn& forbidden_;
  std::vector<Place> places_;  ///< by SwitchIndex; of now if the epoch is
  std::uint32_t epoch_ = 0;
  std::span<const ChangedEntry> column_;
  TableColumn entries_{model::ForwardingTables(), model::Lid{}};
  const Destination* destination_ = nullptr;  ///< null for a LID that nobody has
  std::uint32_t first_position_ = 0;
  std::size_t first_precedence_ = 0;
  bool loses_ = false;
  std::vector<std::uint32_t> way_;
  std::vector<Step> path_;
  std::vector<Standing> standings_;
  std::vector<Precedence> precedences_;
  std::vector<Undelivered> lost_;
  std::vector<Undelivered> interrupted_;
};

}  // namespace heddle::routing
