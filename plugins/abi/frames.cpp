#include "plugins/abi/frames.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace heddle::abi {
namespace {

constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::size_t kMaxEntries = 50000;

/// The members of each message in their order on the wire, for writing and reading alike; and its
/// kind, which never changes.
template <class T>
struct Layout;

template <>
struct Layout<Hello> {
  static constexpr std::uint16_t kKind = 1;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.magic), io.number(m.version), io.number(m.instance), io.number(m.process);
    io.text(m.software);
  }
};
template <>
struct Layout<Trap> {
  static constexpr std::uint16_t kKind = 2;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.number(m.generic), io.number(m.type), io.number(m.producer);
    io.number(m.number), io.number(m.issuer_lid), io.number(m.lid), io.number(m.node_guid);
    io.number(m.port_guid), io.number(m.port);
  }
};
template <>
struct Layout<SweepStep> {
  static constexpr std::uint16_t kKind = 3;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.choice(m.what, SweepStep::What::kReroutingDone);
  }
};
template <>
struct Layout<ManagerState> {
  static constexpr std::uint16_t kKind = 4;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.number(m.state), io.number(m.priority), io.number(m.port_guid);
  }
};
template <>
struct Layout<PortCounters> {
  static constexpr std::uint16_t kKind = 5;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.number(m.node_guid), io.number(m.port);
    io.choice(m.what, PortCounters::What::kSelect), io.number(m.seconds);
    io.list(m.values, sizeof(std::uint64_t), [](auto& value, Io& each) { each.number(value); });
  }
};
template <>
struct Layout<TableWrites> {
  static constexpr std::uint16_t kKind = 6;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.first), io.number(m.last), io.number(m.blocks), io.number(m.tops);
    io.number(m.switches), io.number(m.node_guid);
  }
};
template <>
struct Layout<RoutingRun> {
  static constexpr std::uint16_t kKind = 7;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.number(m.nanoseconds), io.number(m.routed), io.number(m.proved);
    io.number(m.lanes), io.number(m.hosts), io.number(m.switches), io.number(m.away);
    io.number(m.entries), io.number(m.changed), io.number(m.blocks_changed);
    io.number(m.undelivered), io.number(m.weights), io.number(m.weighted);
    io.text(m.engine), io.text(m.fallback), io.text(m.reason);
  }
};
template <>
struct Layout<LinkChange> {
  static constexpr std::uint16_t kKind = 8;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.number(m.seen), io.number(m.up), io.number(m.by_trap);
    io.number(m.guid_a), io.number(m.port_a), io.number(m.guid_b), io.number(m.port_b);
  }
};
template <>
struct Layout<QueueState> {
  static constexpr std::uint16_t kKind = 9;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.number(m.taken), io.number(m.dropped);
    io.number(m.slowest_nanoseconds), io.number(m.slow);
  }
};
template <>
struct Layout<Weights> {
  static constexpr std::uint16_t kKind = 10;
  static constexpr std::size_t kEntryBytes = 14;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.generation), io.number(m.hold_milliseconds);
    io.list(m.entries, kEntryBytes, [](auto& entry, Io& each) {
      each.number(entry.node_guid), each.number(entry.port), each.number(entry.percent);
      each.number(entry.expires_milliseconds);
    });
  }
};

template <>
struct Layout<Note> {
  static constexpr std::uint16_t kKind = 11;
  template <class M, class Io>
  static void members(M& m, Io& io) {
    io.number(m.time), io.number(m.error), io.text(m.text);
  }
};

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <class Number>
  void number(Number value) {
    static_assert(std::is_unsigned_v<Number>);
    for (std::size_t i = 0; i < sizeof value; ++i) {
      out_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF));
    }
  }
  template <class Enum>
  void choice(Enum value, Enum /*last*/) {
    number(static_cast<std::uint8_t>(value));
  }
  void text(const std::string& value) {
    const std::size_t size = std::min(value.size(), kMaxTextBytes);
    number(static_cast<std::uint16_t>(size));
    out_.append(value, 0, size);
  }
  template <class Item, class Each>
  void list(const std::vector<Item>& items, std::size_t /*item_bytes*/, Each each) {
    const std::size_t size = std::min(items.size(), kMaxEntries);
    number(static_cast<std::uint32_t>(size));
    for (std::size_t i = 0; i < size; ++i) each(items[i], *this);
  }

 private:
  std::string& out_;
};

class Reader {
 public:
  explicit Reader(std::string_view body) : body_(body) {}

  template <class Number>
  void number(Number& value) {
    if (!has(sizeof value)) return;
    std::uint64_t whole = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) {
      whole |= static_cast<std::uint64_t>(static_cast<unsigned char>(body_[i])) << (8 * i);
    }
    body_.remove_prefix(sizeof value);
    value = static_cast<Number>(whole);
  }
  template <class Enum>
  void choice(Enum& value, Enum last) {
    std::uint8_t plain = 0;
    number(plain);
    if (plain > static_cast<std::uint8_t>(last)) {
      unknown_ = true;
    } else {
      value = static_cast<Enum>(plain);
    }
  }
  void text(std::string& value) {
    std::uint16_t size = 0;
    number(size);
    if (!has(size)) return;
    value.assign(body_.substr(0, size));
    body_.remove_prefix(size);
  }
  template <class Item, class Each>
  void list(std::vector<Item>& items, std::size_t item_bytes, Each each) {
    std::uint32_t size = 0;
    number(size);
    // Memory only for what is there.
    if (!has(size * std::uint64_t{item_bytes})) return;
    items.resize(size);
    for (Item& item : items) each(item, *this);
  }

  [[nodiscard]] bool malformed() const noexcept { return short_; }
  [[nodiscard]] bool unknown() const noexcept { return unknown_; }

 private:
  bool has(std::uint64_t bytes) {
    short_ = short_ || body_.size() < bytes;
    return !short_;
  }

  std::string_view body_;
  bool short_ = false;
  bool unknown_ = false;
};

template <class T>
Decoded decode_as(std::string_view body) {
  T message;
  Reader reader(body);
  Layout<T>::members(message, reader);
  if (reader.malformed()) return Unread::kMalformed;
  if (reader.unknown()) return Unread::kUnknown;
  return Message(std::move(message));
}

template <class... Types>
Decoded decode_any(const Frame& frame, const std::variant<Types...>* /*types*/) {
  Decoded decoded = Unread::kUnknown;
  static_cast<void>(
      ((frame.kind == Layout<Types>::kKind && (decoded = decode_as<Types>(frame.body), true)) ||
       ...));
  return decoded;
}

std::uint32_t length_at(std::string_view header) {
  std::uint32_t length = 0;
  Reader(header).number(length);
  return length;
}

std::uint16_t kind_at(std::string_view header) {
  std::uint16_t kind = 0;
  Reader(header.substr(sizeof(std::uint32_t))).number(kind);
  return kind;
}

}  // namespace

void encode(const Message& message, std::string& out) {
  std::string body;
  const std::uint16_t kind = std::visit(
      [&body]<class T>(const T& m) {
        Writer writer(body);
        Layout<T>::members(m, writer);
        return Layout<T>::kKind;
      },
      message);
  Writer header(out);
  header.number(static_cast<std::uint32_t>(body.size()));
  header.number(kind);
  header.number(std::uint16_t{0});
  out += body;
}

Decoded decode(const Frame& frame) {
  return decode_any(frame, static_cast<const Message*>(nullptr));
}

void FrameReader::feed(std::string_view bytes) {
  bytes_.erase(0, used_);
  used_ = 0;
  bytes_ += bytes;
}

std::optional<Frame> FrameReader::next() {
  const std::string_view rest = std::string_view(bytes_).substr(used_);
  if (broken_ || rest.size() < kHeaderBytes) return std::nullopt;
  const std::size_t length = length_at(rest);
  if (length > kMaxBodyBytes) {
    broken_ = true;
    return std::nullopt;
  }
  if (rest.size() - kHeaderBytes < length) return std::nullopt;
  used_ += kHeaderBytes + length;
  return Frame{kind_at(rest), rest.substr(kHeaderBytes, length)};
}

}  // namespace heddle::abi
