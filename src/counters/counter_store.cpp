#include "counters/counter_store.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "model/link_rate.hpp"

namespace heddle::counters {
namespace {

using model::BytesPerSecond;
using model::Counter;
using model::CounterGroup;
using model::CounterReading;
using model::CounterSample;
using model::Fabric;
using model::PortIndex;
using model::PortKey;
using model::PortTotals;
using TimePoint = std::chrono::steady_clock::time_point;

std::optional<BytesPerSecond> capacity_of(const model::Port& port) noexcept {
  const auto rate = model::data_rate(port.rate);
  if (!rate) return std::nullopt;
  return model::to_bytes_per_second(*rate);
}

/// Nothing (no limit) where either is not known.
std::optional<BytesPerSecond> greater(std::optional<BytesPerSecond> a,
                                      std::optional<BytesPerSecond> b) noexcept {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

bool same_layout(const Fabric& a, const Fabric& b) noexcept {
  return std::ranges::equal(a.nodes(), b.nodes(), [](const model::Node& x, const model::Node& y) {
    return x.guid == y.guid && x.port_count == y.port_count &&
           (x.kind == model::NodeKind::kSwitch) == (y.kind == model::NodeKind::kSwitch);
  });
}

PortIndex port_index(std::size_t i) noexcept { return PortIndex{static_cast<std::uint32_t>(i)}; }

/// Nothing, which is before any time, if no group was ever read.
std::optional<TimePoint> last_read(const PortTotals& totals) noexcept {
  return *std::ranges::max_element(totals.read_at);
}

/// The three values whose rates are published, as they stood before a sample.
class RateWatch {
 public:
  RateWatch(const PortTotals& totals, const PortBaseline& baseline) noexcept
      : totals_(totals), read_at_(totals.read_at) {
    for (std::size_t i = 0; i < kWatched.size(); ++i) {
      const auto c = static_cast<std::size_t>(kWatched[i]);
      value_[i] = totals.value[c];
      width_[i] = baseline.width_bits[c];
    }
  }

  /// Rates of what `sample` brought anew; what it did not bring stays.
  void update(const CounterSample& sample, const FoldOutcome& outcome,
              model::PortRates& rates) const noexcept {
    const bool broken = outcome.reset || outcome.implausible;
    if (renewed(CounterGroup::kData)) {
      rates.xmit_bytes_per_second = {};
      rates.rcv_bytes_per_second = {};
    }
    if (renewed(CounterGroup::kErrors)) rates.xmit_wait_ticks_per_second = {};
    if (broken) return;
    for (const CounterReading& reading : sample.readings()) {
      const auto found = std::ranges::find(kWatched, reading.counter);
      const CounterGroup group = model::group_of(reading.counter);
      if (found == kWatched.end() || !renewed(group) || reading.saturated()) continue;
      const auto i = static_cast<std::size_t>(found - kWatched.begin());
      const std::optional<TimePoint> before = read_at_[static_cast<std::size_t>(group)];
      if (!before || width_[i] != reading.width_bits) continue;
      const std::uint64_t added =
          totals_.value[static_cast<std::size_t>(reading.counter)] - value_[i];
      const std::chrono::duration<double> elapsed = sample.time - *before;
      const double per_second = static_cast<double>(added) / elapsed.count();
      switch (reading.counter) {
        case Counter::kXmitData:
          rates.xmit_bytes_per_second = octets(per_second);
          break;
        case Counter::kRcvData:
          rates.rcv_bytes_per_second = octets(per_second);
          break;
        default:
          rates.xmit_wait_ticks_per_second = model::OptionalRate{static_cast<float>(per_second)};
          break;
      }
    }
  }

 private:
  static constexpr std::array kWatched = {Counter::kXmitData, Counter::kRcvData,
                                          Counter::kXmitWait};

  static model::OptionalRate octets(double words) noexcept {
    constexpr double kOctetsPerWord{model::to_bytes(model::Words32{1}).value()};
    return model::OptionalRate{static_cast<float>(words * kOctetsPerWord)};
  }
  [[nodiscard]] bool renewed(CounterGroup group) const noexcept {
    return totals_.time_of(group) != read_at_[static_cast<std::size_t>(group)];
  }

  const PortTotals& totals_;
  std::array<std::optional<TimePoint>, model::kCounterGroupCount> read_at_;
  std::array<std::uint64_t, kWatched.size()> value_{};
  std::array<std::uint8_t, kWatched.size()> width_{};
};

}  // namespace

void CounterStore::adopt(std::shared_ptr<const Fabric> fabric, TimePoint now,
                         std::chrono::seconds keep) {
  if (fabric_ && same_layout(*fabric_, *fabric)) {
    adopt_same_layout(*fabric);
  } else {
    adopt_new_layout(*fabric);
  }
  follow_lids(*fabric);
  fabric_ = std::move(fabric);
  expire(now - keep);
}

void CounterStore::adopt_same_layout(const Fabric& fabric) {
  for (std::size_t i = 0; i < courses_.size(); ++i) {
    courses_[i].capacity = greater(courses_[i].capacity, capacity_of(fabric.port(port_index(i))));
  }
}

void CounterStore::adopt_new_layout(const Fabric& fabric) {
  const std::size_t old_count = totals_.size();
  const std::size_t new_count = fabric.ports().size();
  std::vector<PortTotals> totals(new_count);
  std::vector<Course> courses(new_count);
  std::vector<model::PortRates> rates(new_count);
  std::vector<Parked> parked;

  const auto park = [&parked](PortKey key, const PortTotals& old_totals, const Course& course) {
    if (old_totals.known != 0) parked.push_back({key, old_totals, course});
  };
  // Ports of both snapshots and the parked ones are in order of key, so one pass joins all three.
  std::size_t old = 0;
  std::size_t kept = 0;
  const auto next_old = [&] { return fabric_->key(port_index(old)); };
  for (std::size_t i = 0; i <= new_count; ++i) {
    const bool rest = i == new_count;
    const PortKey key = rest ? PortKey{} : fabric.key(port_index(i));
    while (true) {
      const bool has_old = old < old_count && (rest || next_old() < key);
      const bool has_kept = kept < parked_.size() && (rest || parked_[kept].key < key);
      if (has_old && (!has_kept || next_old() < parked_[kept].key)) {
        park(next_old(), totals_[old], courses_[old]);
        ++old;
      } else if (has_kept) {
        parked.push_back(parked_[kept++]);
      } else {
        break;
      }
    }
    if (rest) break;
    const std::optional<BytesPerSecond> capacity = capacity_of(fabric.port(port_index(i)));
    courses[i].capacity = capacity;
    if (old < old_count && next_old() == key) {
      totals[i] = totals_[old];
      courses[i].baseline = courses_[old].baseline;
      courses[i].lid = courses_[old].lid;
      courses[i].capacity = greater(capacity, courses_[old].capacity);
      rates[i] = rates_[old];
      ++old;
    } else if (kept < parked_.size() && parked_[kept].key == key) {
      totals[i] = parked_[kept].totals;
      courses[i].baseline = parked_[kept].course.baseline;
      courses[i].lid = parked_[kept].course.lid;
      courses[i].capacity = greater(capacity, parked_[kept].course.capacity);
      ++kept;
    }
  }

  totals_ = std::move(totals);
  courses_ = std::move(courses);
  rates_ = std::move(rates);
  parked_ = std::move(parked);
}

void CounterStore::follow_lids(const Fabric& fabric) {
  for (std::size_t i = 0; i < courses_.size(); ++i) {
    const std::optional<model::Lid> lid = fabric.management_lid(port_index(i));
    if (!lid) continue;
    Course& course = courses_[i];
    if (course.lid && course.lid != lid) {
      course.baseline.forget();
      rates_[i] = {};
    }
    course.lid = lid;
  }
}

void CounterStore::expire(TimePoint oldest) {
  std::erase_if(parked_, [&](const Parked& p) { return last_read(p.totals) < oldest; });
}

FoldOutcome CounterStore::apply(const CounterSample& sample) {
  const auto index = fabric_ ? fabric_->find_port(sample.port) : std::nullopt;
  if (!index) {
    ++stats_.unknown_ports;
    return {};
  }
  PortTotals& totals = totals_[index->value()];
  Course& course = courses_[index->value()];
  if (sample.asked_at && course.lid && sample.asked_at != course.lid) {
    ++stats_.late;
    return {.late = true};
  }
  const std::optional<TimePoint> data_read_at = totals.time_of(CounterGroup::kData);
  const RateWatch watch(totals, course.baseline);
  const FoldOutcome outcome = fold(totals, course.baseline, sample, course.capacity);
  watch.update(sample, outcome, rates_[index->value()]);
  if (totals.time_of(CounterGroup::kData) != data_read_at) {
    course.capacity = capacity_of(fabric_->port(*index));
  }

  ++stats_.samples;
  stats_.resets += outcome.reset ? 1U : 0U;
  stats_.implausible += outcome.implausible ? 1U : 0U;
  stats_.late += outcome.late ? 1U : 0U;
  return outcome;
}

void CounterStore::set_wait_tick(PortKey port, std::uint8_t tick) {
  const auto index = fabric_ ? fabric_->find_port(port) : std::nullopt;
  if (!index) {
    ++stats_.unknown_ports;
    return;
  }
  totals_[index->value()].wait_tick = tick;
}

std::shared_ptr<const model::CounterTable> CounterStore::publish(
    TimePoint now, std::chrono::system_clock::time_point wall) const {
  return std::make_shared<const model::CounterTable>(
      model::CounterTable{fabric_, totals_, now, wall});
}

std::shared_ptr<const model::RateFrame> CounterStore::rates(
    std::chrono::system_clock::time_point wall, TimePoint oldest) const {
  model::RateFrame frame{fabric_, rates_, wall};
  for (std::size_t i = 0; i < frame.ports.size(); ++i) {
    if (totals_[i].time_of(CounterGroup::kData) < oldest) {
      frame.ports[i].xmit_bytes_per_second = {};
      frame.ports[i].rcv_bytes_per_second = {};
    }
    if (totals_[i].time_of(CounterGroup::kErrors) < oldest) {
      frame.ports[i].xmit_wait_ticks_per_second = {};
    }
  }
  return std::make_shared<const model::RateFrame>(std::move(frame));
}

}  // namespace heddle::counters
