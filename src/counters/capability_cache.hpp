#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "mad/pma.hpp"
#include "model/ids.hpp"

namespace heddle::counters {

/// Attributes that a performance agent need not have and that ClassPortInfo does not announce.
enum class OptionalAttribute : std::uint8_t {
  kRcvErrorDetails,
  kXmitDiscardDetails,
  kSamplesControl
};
inline constexpr std::size_t kOptionalAttributeCount = 3;
[[nodiscard]] std::optional<OptionalAttribute> optional_attribute(std::uint16_t attribute) noexcept;

/// What each node's performance agent can do. A node that did not answer is not remembered, so the
/// next sweep asks it again, as far as its back-off in the engine allows. Erase a node when it has
/// come back: it may be another firmware. One thread.
class CapabilityCache {
 public:
  enum class Support : std::uint8_t { kUntried, kYes, kNo };

  [[nodiscard]] const mad::ClassPortInfo* find(model::NodeGuid node) const noexcept;
  void set(model::NodeGuid node, const mad::ClassPortInfo& caps);
  void erase(model::NodeGuid node);
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

  /// kUntried for a node that is not known.
  [[nodiscard]] Support support(model::NodeGuid node, OptionalAttribute attribute) const noexcept;
  // What came of asking a known node for an attribute that is still untried.
  void answered(model::NodeGuid node, OptionalAttribute attribute);
  void refused(model::NodeGuid node, OptionalAttribute attribute);
  /// Some agents stay silent on what they do not have instead of refusing it; once may be a loss,
  /// the second time counts as kNo.
  void unanswered(model::NodeGuid node, OptionalAttribute attribute);

 private:
  struct Trial {
    Support support = Support::kUntried;
    bool unanswered_once = false;
  };
  struct Entry {
    mad::ClassPortInfo caps;
    std::array<Trial, kOptionalAttributeCount> trials{};
  };
  [[nodiscard]] Trial* trial(model::NodeGuid node, OptionalAttribute attribute) noexcept;

  std::unordered_map<model::NodeGuid, Entry> known_;
};

}  // namespace heddle::counters
