#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/event.hpp"
#include "model/fabric.hpp"
#include "model/ids.hpp"
#include "model/link_rate.hpp"

/// Link rates, port keys, GUIDs and kinds of events as people type them: what is understood comes
/// back from its own text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::model;
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const LinkRate rate = parse_link_rate(text);
  require(parse_link_rate(to_string(rate)) == rate || !data_rate(rate));
  if (const auto line = signalling_rate(rate)) require(*data_rate(rate) <= *line);
  if (const auto key = parse_port_key(text)) {
    const auto back = parse_port_key(to_string(*key));
    require(back && *back == *key);
  }
  if (const auto kind = parse_event_kind(text)) require(to_string(*kind) == text);
  static_cast<void>(parse_guid(text));
  if (const auto number = parse_decimal(text, 65535)) require(*number <= 65535);
  return 0;
}
