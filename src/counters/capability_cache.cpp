#include "counters/capability_cache.hpp"

namespace heddle::counters {

std::optional<OptionalAttribute> optional_attribute(std::uint16_t attribute) noexcept {
  switch (attribute) {
    case mad::pma::kPortRcvErrorDetails:
      return OptionalAttribute::kRcvErrorDetails;
    case mad::pma::kPortXmitDiscardDetails:
      return OptionalAttribute::kXmitDiscardDetails;
    case mad::pma::kPortSamplesControl:
      return OptionalAttribute::kSamplesControl;
    default:
      return std::nullopt;
  }
}

const mad::ClassPortInfo* CapabilityCache::find(model::NodeGuid node) const noexcept {
  const auto found = known_.find(node);
  return found == known_.end() ? nullptr : &found->second.caps;
}

void CapabilityCache::set(model::NodeGuid node, const mad::ClassPortInfo& caps) {
  known_[node].caps = caps;
}

void CapabilityCache::erase(model::NodeGuid node) { known_.erase(node); }

CapabilityCache::Trial* CapabilityCache::trial(model::NodeGuid node,
                                               OptionalAttribute attribute) noexcept {
  const auto found = known_.find(node);
  return found == known_.end() ? nullptr
                               : &found->second.trials[static_cast<std::size_t>(attribute)];
}

CapabilityCache::Support CapabilityCache::support(model::NodeGuid node,
                                                  OptionalAttribute attribute) const noexcept {
  const auto found = known_.find(node);
  return found == known_.end() ? Support::kUntried
                               : found->second.trials[static_cast<std::size_t>(attribute)].support;
}

void CapabilityCache::answered(model::NodeGuid node, OptionalAttribute attribute) {
  if (Trial* t = trial(node, attribute)) t->support = Support::kYes;
}

void CapabilityCache::refused(model::NodeGuid node, OptionalAttribute attribute) {
  if (Trial* t = trial(node, attribute)) t->support = Support::kNo;
}

void CapabilityCache::unanswered(model::NodeGuid node, OptionalAttribute attribute) {
  Trial* t = trial(node, attribute);
  if (t == nullptr) return;
  if (t->unanswered_once) t->support = Support::kNo;
  t->unanswered_once = true;
}

}  // namespace heddle::counters
