#include "mad/umad_transport.hpp"

#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "mad/umad_access.hpp"

namespace heddle::mad {
namespace {

using model::Errc;

constexpr std::array kClasses{ManagementClass::kSmpLid, ManagementClass::kSmpDirected,
                              ManagementClass::kPerformance};
constexpr int kClassVersion = 1;
constexpr int kNoRmpp = 0;

/// Where the kernel routes directed SMPs by their path instead of by LID.
constexpr int kPermissiveLid = 0xFFFF;
/// The well-known key of QP 1 (volume 1, 10.2.5); an int by libibumad's choice.
constexpr int kGsiQueueKey = static_cast<int>(0x80010000U);

/// What ibsim's preload library calls its device. The library writes requests into a blocking
/// socket under the lock that its reader of answers needs, too: when the buffers of both directions
/// are full (about 160 MADs each), program and simulator wait for each other for ever. The limit
/// leaves room for attempts that were given up but are still in the socket.
constexpr std::string_view kSimulatedDevice = "ibsim";
constexpr std::size_t kSimulatedCapacity = 64;

std::string explain(int error) { return std::generic_category().message(error); }

int milliseconds(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kLongest{std::chrono::hours{1}};
  return static_cast<int>(std::clamp(time, std::chrono::milliseconds{0}, kLongest).count());
}

}  // namespace

struct UmadTransport::State {
  explicit State(int descriptor) : port(descriptor) { agents.fill(-1); }
  ~State() {
    for (const int agent : agents) {
      if (agent >= 0) umad_unregister(port, agent);
    }
    umad_close_port(port);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Agent of a class, -1 if there is none.
  [[nodiscard]] int agent_of(std::uint8_t management_class) const noexcept {
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      if (static_cast<std::uint8_t>(kClasses[i]) == management_class) return agents[i];
    }
    return -1;
  }

  int port;
  std::string name;
  bool simulated = false;
  std::array<int, kClasses.size()> agents{};
  std::vector<std::uint8_t> outgoing = std::vector<std::uint8_t>(umad_size() + kMadSize);
  std::vector<std::uint8_t> incoming = std::vector<std::uint8_t>(umad_size() + kMadSize);
};

UmadTransport::UmadTransport(std::unique_ptr<State> state) : state_(std::move(state)) {}
UmadTransport::~UmadTransport() = default;

model::Result<std::unique_ptr<UmadTransport>> UmadTransport::open(const LocalPort& port) {
  const std::string name = fmt::format("{}/{}", port.device, port.number);
  if (umad_init() < 0) {
    return model::fail(Errc::kUnavailable,
                       "libibumad does not start: is the ib_umad kernel module loaded?");
  }
  errno = 0;
  const int descriptor = umad_open_port(port.device.c_str(), port.number.value());
  if (descriptor < 0) {
    return model::fail(Errc::kUnavailable, open_failure(name, errno != 0 ? errno : -descriptor));
  }
  auto state = std::make_unique<State>(descriptor);
  state->name = name;
  state->simulated = port.device.starts_with(kSimulatedDevice);
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    // No method mask: a client that gets answers to its own requests and nothing else.
    state->agents[i] =
        umad_register(descriptor, static_cast<int>(kClasses[i]), kClassVersion, kNoRmpp, nullptr);
    if (state->agents[i] < 0) {
      return model::fail(Errc::kUnavailable,
                         fmt::format("cannot register for management class 0x{:02x} on {}: {}",
                                     static_cast<unsigned>(kClasses[i]), name, explain(errno)));
    }
  }
  return std::unique_ptr<UmadTransport>(new UmadTransport(std::move(state)));
}

model::Status UmadTransport::send(const OutgoingMad& mad) {
  const Header header = header_from_wire(mad.bytes);
  if (header.method != static_cast<std::uint8_t>(Method::kGet)) {
    return model::fail(Errc::kRefused, fmt::format("method 0x{:02x} is not sent: heddle only reads",
                                                   header.method));
  }
  const int agent = state_->agent_of(header.management_class);
  if (agent < 0) {
    return model::fail(Errc::kUnsupported,
                       fmt::format("no agent for class 0x{:02x}", header.management_class));
  }
  const bool directed =
      header.management_class == static_cast<std::uint8_t>(ManagementClass::kSmpDirected);
  if (!directed && (!mad.lid || !model::is_unicast(*mad.lid))) {
    return model::fail(Errc::kInvalidInput, "the MAD has no unicast LID to go to");
  }
  const bool general =
      header.management_class == static_cast<std::uint8_t>(ManagementClass::kPerformance);

  std::vector<std::uint8_t>& buffer = state_->outgoing;
  std::ranges::fill(buffer, std::uint8_t{0});
  std::memcpy(umad_get_mad(buffer.data()), mad.bytes.data(), mad.bytes.size());
  umad_set_addr(buffer.data(), directed ? kPermissiveLid : int{mad.lid->value()}, general ? 1 : 0,
                int{mad.service_level.value()}, general ? kGsiQueueKey : 0);
  umad_set_pkey(buffer.data(), 0);
  do {
    // The time-out must not be 0, or the kernel would not wait for an answer at all.
    if (umad_send(state_->port, agent, buffer.data(), kMadSize,
                  std::max(milliseconds(mad.timeout), 1), 0) == 0) {
      return {};
    }
  } while (errno == EINTR);
  const int error = errno;
  // No room just now: as good as lost on the wire, and mended in the same way.
  if (error == EAGAIN || error == ENOBUFS || error == ENOMEM) return {};
  return model::fail(error == EINVAL ? Errc::kInvalidInput : Errc::kUnavailable,
                     fmt::format("cannot send through {}: {}", state_->name, explain(error)));
}

model::Result<std::optional<IncomingMad>> UmadTransport::receive(std::chrono::milliseconds wait) {
  std::vector<std::uint8_t>& buffer = state_->incoming;
  int length = static_cast<int>(buffer.size() - umad_size());
  if (umad_recv(state_->port, buffer.data(), &length, milliseconds(wait)) < 0) {
    const int error = errno;
    // A MAD of several segments, which none of our requests asks for, stays in the kernel until it
    // is taken out whole; `length` has become what it needs. It is a stray to the reader.
    if (error == ENOSPC && length > static_cast<int>(buffer.size() - umad_size())) {
      buffer.resize(umad_size() + static_cast<std::size_t>(length));
      return receive(std::chrono::milliseconds{0});
    }
    if (error == ETIMEDOUT || error == EAGAIN || error == EWOULDBLOCK || error == EINTR) {
      return std::optional<IncomingMad>{};
    }
    return model::fail(Errc::kUnavailable,
                       fmt::format("cannot receive from {}: {}", state_->name, explain(error)));
  }
  std::optional<IncomingMad> mad(std::in_place);
  const auto size = std::min<std::size_t>(static_cast<std::size_t>(std::max(length, 0)), kMadSize);
  std::memcpy(mad->bytes.data(), umad_get_mad(buffer.data()), size);
  // The kernel gives back what stayed unanswered with ETIMEDOUT; other codes mean no answer, too.
  mad->timed_out = umad_status(buffer.data()) != 0;
  return mad;
}

std::size_t UmadTransport::capacity() const noexcept {
  return state_->simulated ? kSimulatedCapacity : Transport::capacity();
}

}  // namespace heddle::mad
