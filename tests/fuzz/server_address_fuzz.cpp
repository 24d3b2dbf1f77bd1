#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/http_client.hpp"
#include "model/ids.hpp"

/// Any text gives a host and a port in range or an error that names the option.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto address = heddle::cli::parse_server(text);
  if (!address) {
    if (address.error().text.find("--server") == std::string::npos) std::abort();
    return 0;
  }
  const auto port = heddle::model::parse_decimal(address->port, 65535);
  if (address->host.empty() || !port || *port == 0) std::abort();
  // It goes into the Host field of a request.
  for (const char c : address->host) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') std::abort();
  }
  return 0;
}
