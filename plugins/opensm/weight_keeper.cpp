#include "plugins/opensm/weight_keeper.hpp"

#include <algorithm>

namespace heddle::plugin {

void WeightKeeper::heard(const abi::Weights& weights, Clock::time_point now) {
  using std::chrono::milliseconds;
  generation_ = weights.generation;
  silent_since_ = now + milliseconds{weights.hold_milliseconds};
  kept_.clear();
  for (const abi::Weights::Entry& entry : weights.entries) {
    Kept kept;
    kept.weight = {{model::NodeGuid{entry.node_guid}, model::PortNum{entry.port}},
                   std::min(entry.percent, std::uint8_t{100})};
    if (entry.expires_milliseconds != 0) {
      kept.expires = now + milliseconds{entry.expires_milliseconds};
    }
    kept_.push_back(kept);
  }
  std::ranges::sort(kept_, {}, &Kept::weight);
}

WeightSet WeightKeeper::at(Clock::time_point now) const {
  WeightSet set;
  if (now >= silent_since_) return set;
  for (const Kept& kept : kept_) {
    if (!kept.expires || now < *kept.expires) set.cables.push_back(kept.weight);
  }
  if (!set.cables.empty()) set.generation = generation_;
  return set;
}

}  // namespace heddle::plugin
