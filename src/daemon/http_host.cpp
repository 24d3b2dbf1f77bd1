#include "daemon/http_host.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include "model/ids.hpp"

namespace heddle::daemon::http {
namespace {

/// What make_address() takes without allocating: longer text is no address.
using AddressText = std::array<char, 48>;

bool to_text(std::string_view host, AddressText& text) noexcept {
  // The address parser would end at a zero byte, and take what follows % for a zone, which no Host
  // has (RFC 6874, section 4).
  if (host.size() >= text.size() || host.find_first_of({"\0%", 2}) != std::string_view::npos) {
    return false;
  }
  text.fill('\0');
  host.copy(text.data(), host.size());
  return true;
}

/// Names of hosts have no case.
bool is_localhost(std::string_view host) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(host, std::string_view("localhost"), {}, lower);
}

}  // namespace

bool is_local_host(std::string_view host) noexcept {
  // An IPv6 address has colons of its own; the port's comes after the bracket.
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const std::string_view port = host.substr(colon + 1);
    if (!port.empty() && !model::parse_decimal(port, 65535)) return false;
    host = host.substr(0, colon);
  }
  if (is_localhost(host)) return true;
  AddressText text;
  boost::system::error_code error;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    if (!to_text(host.substr(1, host.size() - 2), text)) return false;
    return boost::asio::ip::make_address_v6(text.data(), error).is_loopback();
  }
  if (!to_text(host, text)) return false;
  return boost::asio::ip::make_address_v4(text.data(), error).is_loopback();
}

}  // namespace heddle::daemon::http
