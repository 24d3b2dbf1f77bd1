#include "daemon/event_log.hpp"

#include <algorithm>

namespace heddle::daemon {

EventLog::EventLog(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

std::uint64_t EventLog::append(model::Event event) {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard lock(mutex_);
    sequence = next_sequence_++;
    event.sequence = sequence;
    if (events_.size() == capacity_) {
      events_.pop_front();
      ++dropped_;
    }
    events_.push_back(std::move(event));
    copy_.reset();
  }
  const std::lock_guard lock(subscribers_mutex_);
  for (const auto& [id, wake] : subscribers_) wake();
  return sequence;
}

std::shared_ptr<const std::vector<model::Event>> EventLog::all() const {
  const std::lock_guard lock(mutex_);
  if (!copy_) {
    copy_ = std::make_shared<const std::vector<model::Event>>(events_.begin(), events_.end());
  }
  return copy_;
}

EventLog::Tail EventLog::after(std::uint64_t sequence, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  Tail tail;
  if (events_.empty() || sequence >= events_.back().sequence) return tail;
  const std::uint64_t first = events_.front().sequence;
  // Held sequence numbers have no gaps, so the place follows from the number.
  const std::uint64_t skip = sequence >= first ? sequence - first + 1 : 0;
  if (sequence + 1 < first) tail.lost = first - sequence - 1;
  const std::uint64_t count = std::min<std::uint64_t>(limit, events_.size() - skip);
  const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(skip);
  tail.events.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return tail;
}

std::uint64_t EventLog::last_sequence() const {
  const std::lock_guard lock(mutex_);
  return next_sequence_ - 1;
}

std::uint64_t EventLog::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

EventLog::Subscription EventLog::subscribe(std::function<void()> wake) {
  const std::lock_guard lock(subscribers_mutex_);
  const std::uint64_t id = next_subscriber_++;
  subscribers_.emplace(id, std::move(wake));
  return {*this, id};
}

void EventLog::unsubscribe(std::uint64_t id) {
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.erase(id);
}

EventLog::Subscription::~Subscription() {
  if (log_ != nullptr) log_->unsubscribe(id_);
}

}  // namespace heddle::daemon
