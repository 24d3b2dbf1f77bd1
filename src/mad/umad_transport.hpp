#pragma once

#include <memory>
#include <string>

#include "mad/transport.hpp"
#include "mad/umad_ports.hpp"

namespace heddle::mad {

/// MADs through libibumad: real devices, and ibsim by its preload library. Opens the port once with
/// one agent each for LID-routed and directed SMPs and for performance management. Refuses to send
/// any method but Get.
class UmadTransport final : public Transport {
 public:
  [[nodiscard]] static model::Result<std::unique_ptr<UmadTransport>> open(const LocalPort& port);
  ~UmadTransport() override;

  [[nodiscard]] model::Status send(const OutgoingMad& mad) override;
  [[nodiscard]] model::Result<std::optional<IncomingMad>> receive(
      std::chrono::milliseconds wait) override;
  [[nodiscard]] std::size_t capacity() const noexcept override;

 private:
  struct State;
  explicit UmadTransport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heddle::mad
