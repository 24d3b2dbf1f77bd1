#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>

#include "mad/mad.hpp"
#include "model/result.hpp"

namespace heddle::mad {

/// A MAD on its way out. Directed-route SMPs carry their route inside and leave `lid` empty.
struct OutgoingMad {
  MadBytes bytes{};
  std::optional<model::Lid> lid{};
  model::Sl service_level{};
  /// How long the layers below may hold it before they give it back as timed out.
  std::chrono::milliseconds timeout{200};
};

/// A MAD that came in, or one of ours that came back unanswered.
struct IncomingMad {
  MadBytes bytes{};
  bool timed_out = false;  ///< `bytes` then begin with the header that was sent
};

/// Moves MADs. Used by one thread; implementations: UmadTransport (devices and ibsim),
/// SimulatedTransport.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Hands one MAD over without waiting for an answer. Transports of heddle's own programs refuse
  /// every method but Get.
  /// An error of kUnavailable means that the device is lost, any other concerns this MAD alone.
  [[nodiscard]] virtual model::Status send(const OutgoingMad& mad) = 0;
  /// The next MAD, waiting at most `wait`; nothing if none came. An error means that the device is
  /// lost.
  [[nodiscard]] virtual model::Result<std::optional<IncomingMad>> receive(
      std::chrono::milliseconds wait) = 0;
  /// How many MADs may be under way at once; more could block send() for good.
  [[nodiscard]] virtual std::size_t capacity() const noexcept {
    return std::numeric_limits<std::size_t>::max();
  }
};

}  // namespace heddle::mad
