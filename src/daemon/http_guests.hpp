#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>

namespace heddle::daemon::http {

/// Who holds a connection, and which of the idle ones has been idle for the longest. Each call but
/// for_each() takes constant time. Not thread safe.
template <class Guest>
class Guests {
  enum State : std::uint8_t { kIdle, kBusy, kLeaving, kStates };
  struct Entry {
    Guest guest;
    State state;
  };
  using List = std::list<Entry>;

 public:
  /// Valid until leave().
  using Ticket = typename List::iterator;

  /// Idle from now on.
  Ticket enter(Guest guest) {
    List& idle = lists_[kIdle];
    return idle.insert(idle.end(), Entry{std::move(guest), kIdle});
  }
  void leave(Ticket ticket) { lists_[ticket->state].erase(ticket); }

  // Of one that is leaving they change nothing.
  void set_idle(Ticket ticket) { move(ticket, kIdle); }
  void set_busy(Ticket ticket) { move(ticket, kBusy); }

  /// The one that has been idle for the longest is leaving from now on; nothing if nobody is idle.
  std::optional<Guest> evict() {
    if (lists_[kIdle].empty()) return std::nullopt;
    const Ticket oldest = lists_[kIdle].begin();
    move(oldest, kLeaving);
    return oldest->guest;
  }

  [[nodiscard]] std::size_t staying() const noexcept {
    return lists_[kIdle].size() + lists_[kBusy].size();
  }
  [[nodiscard]] std::size_t leaving() const noexcept { return lists_[kLeaving].size(); }
  [[nodiscard]] std::size_t size() const noexcept { return staying() + leaving(); }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const List& list : lists_) {
      for (const Entry& entry : list) visit(entry.guest);
    }
  }

 private:
  void move(Ticket ticket, State to) {
    if (ticket->state == to || ticket->state == kLeaving) return;
    List& list = lists_[to];
    list.splice(list.end(), lists_[ticket->state], ticket);
    ticket->state = to;
  }

  std::array<List, kStates> lists_;
};

}  // namespace heddle::daemon::http
