#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "daemon/config.hpp"
#include "daemon/http_fields.hpp"
#include "daemon/http_host.hpp"

/// Values that a client writes into the head of a request, and what --listen takes.
namespace {

namespace daemon = heddle::daemon;
namespace http = heddle::daemon::http;

constexpr std::string_view kDigits = "0123456789";

void expect(bool holds) {
  if (!holds) std::abort();
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return lower;
}

std::string in_upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  return upper;
}

/// Takes the longest beginning that is made of `characters` off `text`.
void skip(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

/// Whether a host that passes may look like `text`: not a name that somebody else can own.
bool looks_local(std::string_view text) {
  const std::string lower = in_lower_case(text);
  std::string_view rest = lower;
  if (rest.starts_with("localhost")) {
    rest.remove_prefix(9);
  } else if (rest.starts_with("127.")) {
    skip(rest, "0123456789.");
  } else if (rest.starts_with("[")) {
    rest.remove_prefix(1);
    skip(rest, "0123456789abcdef:.");
    if (!rest.starts_with("]")) return false;
    rest.remove_prefix(1);
  } else {
    return false;
  }
  if (!rest.starts_with(":")) return rest.empty();
  rest.remove_prefix(1);
  skip(rest, kDigits);
  return rest.empty();
}

void try_host(std::string_view text) {
  const bool local = http::is_local_host(text);
  expect(!local || looks_local(text));
  expect(local == http::is_local_host(in_lower_case(text)));
  // A name below which it is one label: rebound to this machine by its owner.
  expect(!http::is_local_host(std::string(text) + ".evil.example"));
  if (local && text.find_last_of(":]") == std::string_view::npos) {
    expect(http::is_local_host(std::string(text) + ":65535"));
    expect(!http::is_local_host(std::string(text) + ":65536"));
  }
}

void try_list(std::string_view text) {
  for (const std::string_view item : {"gzip", "text/event-stream"}) {
    const std::string name(item);
    const bool accepted = http::accepts(text, item);
    expect(!accepted || in_lower_case(text).find(item) != std::string::npos);
    expect(accepted == http::accepts(in_upper_case(text), item));
    // The first naming counts, whatever follows.
    expect(http::accepts(name + "," + std::string(text), item));
    expect(!http::accepts(name + ";q=0," + std::string(text), item));
  }
}

void try_event_id(std::string_view text) {
  const auto id = http::last_event_id(text);
  if (!id) return;
  std::string_view digits = text;
  skip(digits, kDigits);
  expect(!text.empty() && digits.empty());
  expect(http::last_event_id(std::to_string(*id)) == id);
}

void try_listen(std::string_view text) {
  const auto listen = daemon::parse_listen(text);
  if (!listen) {
    expect(listen.error().text.find("--listen") != std::string::npos);
    for (const char c : listen.error().text) expect(static_cast<unsigned char>(c) >= ' ');
    return;
  }
  const std::string printed = daemon::listen_text(*listen);
  expect(http::is_local_host(printed));
  const auto again = daemon::parse_listen(printed);
  expect(again && again->address == listen->address && again->port == listen->port);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const void* bytes = data;
  const std::string_view text(static_cast<const char*>(bytes), size);
  try_host(text);
  try_list(text);
  try_event_id(text);
  try_listen(text);
  return 0;
}
