#include "mad/query_book.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace heddle::mad {
namespace {

/// Below this many devices none are dropped.
constexpr std::size_t kFewDevices = 4096;

std::size_t index_of(Query::Pace pace) { return static_cast<std::size_t>(pace); }

}  // namespace

std::size_t QueryBook::DeviceKeyHash::operator()(const DeviceKey& key) const noexcept {
  // Fibonacci hashing spreads GUIDs that follow each other.
  return static_cast<std::size_t>(
      (key.target.value() ^ static_cast<std::uint64_t>(key.management_class) << 56) *
      0x9E3779B97F4A7C15ULL);
}

QueryBook::QueryBook(const MadEngine::Options& options)
    : window_(options.window),
      device_window_(options.device_window),
      mute_options_(options.mute),
      background_(options.background_per_second),
      drop_idle_at_(kFewDevices),
      nobody_(std::numeric_limits<std::size_t>::max(), options.mute) {}

QueryBook::Device& QueryBook::device_of(const Query& query) {
  if (!query.target) return nobody_;
  if (devices_.size() >= drop_idle_at_) drop_idle_devices();
  return devices_
      .try_emplace(DeviceKey{*query.target, query.management_class}, device_window_, mute_options_)
      .first->second;
}

void QueryBook::drop_idle_devices() {
  std::erase_if(devices_, [](const auto& item) {
    const Device& device = item.second;
    return device.in_flight == 0 && !device.backoff.failing() &&
           std::ranges::all_of(device.waiting, &Entries::empty) &&
           std::ranges::none_of(device.listed, std::identity{});
  });
  // Twice what is left, so that the walk over all costs each new device a constant share.
  drop_idle_at_ = std::max(kFewDevices, devices_.size() * 2);
}

QueryBook::Entries QueryBook::add(Query query, Completion completion, Clock::time_point now) {
  Device& device = device_of(query);
  const Query::Pace pace = query.pace;
  Entries one;
  one.push_back(
      {.query = std::move(query), .completion = std::move(completion), .device = &device});
  if (device.backoff.waiting(now)) return one;
  Entries& queue = device.waiting[index_of(pace)];
  queue.splice(queue.end(), one);
  ++waiting_;
  list_if_ready(device);
  return one;
}

void QueryBook::list_if_ready(Device& device) {
  if (!device.has_room()) return;
  for (std::size_t pace = 0; pace < kPaces; ++pace) {
    if (device.listed[pace] || device.waiting[pace].empty()) continue;
    device.listed[pace] = true;
    ready_[pace].push_back(&device);
  }
}

QueryBook::Device* QueryBook::take_ready(Query::Pace pace) {
  Ready& ready = ready_[index_of(pace)];
  while (!ready.empty()) {
    Device* const device = ready.front();
    ready.pop_front();
    device->listed[index_of(pace)] = false;
    // Listed when it had both; one may have gone since. It is listed again when it has.
    if (device->has_room() && !device->waiting[index_of(pace)].empty()) return device;
  }
  return nullptr;
}

QueryBook::EntryRef QueryBook::start(Device& device, Query::Pace pace) {
  Entries& queue = device.waiting[index_of(pace)];
  const EntryRef entry = queue.begin();
  in_flight_.splice(in_flight_.end(), queue, entry);
  --waiting_;
  ++device.in_flight;
  list_if_ready(device);
  return entry;
}

std::optional<QueryBook::EntryRef> QueryBook::start_next(Clock::time_point now) {
  if (in_flight_.size() >= window_) return std::nullopt;
  if (Device* const device = take_ready(Query::Pace::kForeground)) {
    return start(*device, Query::Pace::kForeground);
  }
  if (!background_.allows(now)) return std::nullopt;
  if (Device* const device = take_ready(Query::Pace::kBackground)) {
    background_.count(now);
    return start(*device, Query::Pace::kBackground);
  }
  return std::nullopt;
}

std::optional<Clock::time_point> QueryBook::next_start() const {
  if (in_flight_.size() >= window_) return std::nullopt;
  if (ready_[index_of(Query::Pace::kBackground)].empty()) return std::nullopt;
  return background_.due();
}

QueryBook::Entries QueryBook::withdrawn(EntryRef entry) {
  Device& device = *entry->device;
  Entries one;
  one.splice(one.end(), in_flight_, entry);
  --device.in_flight;
  list_if_ready(device);
  return one;
}

QueryBook::Entries QueryBook::answered(EntryRef entry) {
  entry->device->backoff.succeeded();
  return withdrawn(entry);
}

QueryBook::Entries QueryBook::unanswered(EntryRef entry, Clock::time_point now) {
  Device& device = *entry->device;
  Entries out = withdrawn(entry);
  if (&device == &nobody_) return out;
  // The rest of one device's window fails in the same moment: that is one failure, not several.
  if (!device.backoff.waiting(now)) device.backoff.failed(now);
  for (Entries& queue : device.waiting) {
    waiting_ -= queue.size();
    out.splice(out.end(), queue);
  }
  return out;
}

void QueryBook::take_job(std::uint32_t job, Entries& from, Entries& to) {
  for (EntryRef entry = from.begin(); entry != from.end();) {
    const EntryRef here = entry++;
    if (here->query.job == job) to.splice(to.end(), from, here);
  }
}

QueryBook::Entries QueryBook::take_job(std::uint32_t job) {
  Entries out;
  take_job(job, in_flight_, out);
  for (const Entry& entry : out) --entry.device->in_flight;
  const auto take_waiting = [&](Device& device) {
    for (Entries& queue : device.waiting) {
      const std::size_t before = queue.size();
      take_job(job, queue, out);
      waiting_ -= before - queue.size();
    }
    list_if_ready(device);
  };
  for (auto& [key, device] : devices_) take_waiting(device);
  take_waiting(nobody_);
  return out;
}

QueryBook::Entries QueryBook::take_all() {
  Entries out = std::exchange(in_flight_, {});
  const auto take = [&](Device& device) {
    device.in_flight = 0;
    for (Entries& queue : device.waiting) out.splice(out.end(), queue);
  };
  for (auto& [key, device] : devices_) take(device);
  take(nobody_);
  waiting_ = 0;
  return out;
}

std::vector<model::NodeGuid> QueryBook::mute_devices(Clock::time_point now) const {
  std::vector<model::NodeGuid> mute;
  for (const auto& [key, device] : devices_) {
    if (device.backoff.waiting(now)) mute.push_back(key.target);
  }
  std::ranges::sort(mute);
  mute.erase(std::unique(mute.begin(), mute.end()), mute.end());
  return mute;
}

}  // namespace heddle::mad
