#include "daemon/weight_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "model/fabric_summary.hpp"

namespace heddle::daemon {

using model::Errc;
using model::Fabric;
using model::fail;
using model::PortKey;
using model::Result;

namespace {

std::string cable_text(const Fabric& fabric, PortKey end) {
  const auto port = fabric.find_port(end);
  const auto peer = port ? fabric.peer(*port) : std::nullopt;
  if (!peer) return to_string(end);
  return fmt::format("{} - {}", model::describe_end(fabric, *port),
                     model::describe_end(fabric, *peer));
}

}  // namespace

std::optional<PortKey> switch_cable(const Fabric& fabric, PortKey end) {
  const auto port = fabric.find_port(end);
  const auto peer = port ? fabric.peer(*port) : std::nullopt;
  if (!peer) return std::nullopt;
  for (const model::PortIndex at : {*port, *peer}) {
    if (!fabric.switch_index(fabric.port(at).node)) return std::nullopt;
  }
  return std::min(end, fabric.key(*peer));
}

Result<std::string> WeightBook::set(const Fabric& fabric, PortKey end, std::uint8_t percent,
                                    std::optional<std::chrono::seconds> time,
                                    Clock::time_point now) {
  const auto cable = switch_cable(fabric, end);
  if (!cable) {
    return fail(Errc::kNotFound,
                fmt::format("{} is no end of a cable between switches", to_string(end)));
  }
  ordered_[*cable] = {percent, time ? std::optional(now + *time) : std::nullopt};
  changed_ = true;
  return fmt::format("{} to {} %{}: {}", percent == 0 ? "drained" : "reduced", percent,
                     time ? fmt::format(" for {} s", time->count()) : "",
                     cable_text(fabric, *cable));
}

Result<std::string> WeightBook::clear(const Fabric& fabric, PortKey end) {
  // A cable that is away has no other end to look for.
  const PortKey key = switch_cable(fabric, end).value_or(end);
  if (ordered_.erase(key) == 0) {
    return fail(Errc::kNotFound, fmt::format("nobody has drained or reduced {}", to_string(end)));
  }
  changed_ = true;
  return "given back: " + cable_text(fabric, key);
}

void WeightBook::set_file(const Fabric& fabric, const std::map<PortKey, std::uint8_t>& weights) {
  wanted_.clear();
  for (const auto& [end, percent] : weights) {
    const PortKey key = switch_cable(fabric, end).value_or(end);
    const auto [it, first] = wanted_.try_emplace(key, percent);
    if (!first) it->second = std::min(it->second, percent);
  }
}

bool WeightBook::may_take(const Fabric& fabric, PortKey end, std::uint8_t wanted,
                          const FromFile& held, Clock::time_point now) {
  const auto wait_until = [&](Clock::time_point due) {
    retry_ = retry_ ? std::min(*retry_, due) : due;
    return false;
  };
  const int step = std::abs(int{wanted} - int{held.percent});
  if (step == 0 || (step < kLeastStep && wanted != 0 && wanted != 100)) return false;
  if (held.changed && now < *held.changed + kDwell) return wait_until(*held.changed + kDwell);
  if (wanted != 0) return true;
  std::vector<model::NodeGuid> ends{end.node};
  const auto port = fabric.find_port(end);
  if (const auto peer = port ? fabric.peer(*port) : std::nullopt) {
    ends.push_back(fabric.key(*peer).node);
  }
  for (const model::NodeGuid node : ends) {
    const auto last = drained_.find(node);
    if (last != drained_.end() && now < last->second + kDrainEvery) {
      return wait_until(last->second + kDrainEvery);
    }
  }
  for (const model::NodeGuid node : ends) drained_[node] = now;
  return true;
}

bool WeightBook::step(const Fabric& fabric, Clock::time_point now) {
  changed_ |= std::erase_if(ordered_, [now](const auto& entry) {
                return entry.second.expires && now >= *entry.second.expires;
              }) != 0;
  std::erase_if(drained_, [now](const auto& entry) { return now >= entry.second + kDrainEvery; });
  retry_.reset();
  for (const auto& [end, held] : std::exchange(taken_, {})) {
    if (held.percent != 100 || wanted_.contains(end) ||
        (held.changed && now < *held.changed + kDwell)) {
      taken_.emplace(end, held);
    }
  }
  for (const auto& [end, percent] : wanted_) taken_.try_emplace(end);
  for (auto& [end, held] : taken_) {
    const auto wanted = wanted_.find(end);
    const std::uint8_t percent = wanted == wanted_.end() ? std::uint8_t{100} : wanted->second;
    if (!may_take(fabric, end, percent, held, now)) continue;
    held = {percent, now};
    changed_ = true;
  }
  if (changed_) ++generation_;
  return std::exchange(changed_, false);
}

std::optional<WeightBook::Clock::time_point> WeightBook::next_step() const {
  std::optional<Clock::time_point> next = retry_;
  for (const auto& [end, ordered] : ordered_) {
    if (ordered.expires) next = next ? std::min(*next, *ordered.expires) : *ordered.expires;
  }
  return next;
}

std::vector<WeightBook::Weight> WeightBook::weights() const {
  std::map<PortKey, Weight> all;
  for (const auto& [end, held] : taken_) {
    if (held.percent != 100) all[end] = {end, held.percent, std::nullopt, false};
  }
  for (const auto& [end, ordered] : ordered_) {
    const auto found = all.find(end);
    if (found != all.end() && found->second.percent <= ordered.percent) continue;
    all[end] = {end, ordered.percent, ordered.expires, true};
  }
  std::vector<Weight> result;
  for (const auto& [end, weight] : all) {
    if (weight.percent != 100) result.push_back(weight);
  }
  return result;
}

}  // namespace heddle::daemon
