#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/events.hpp"
#include "cli/json_values.hpp"
#include "cli/links.hpp"
#include "cli/rest_query.hpp"
#include "cli/status.hpp"

namespace {

/// Tables for people: no control character but the ends of lines may reach a terminal.
void check(std::string_view text) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == '\x7f') std::abort();
  }
}

}  // namespace

/// Whatever a server answers, the command line prints a table or an error. An odd first byte makes
/// the answer a problem.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::cli;
  if (size == 0) return 0;
  const unsigned status = data[0] % 2U == 0 ? 200 : 404;
  const std::string body(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto answer = read_answer({status, body}, "/v1/fuzz");
  if (!answer) {
    check(answer.error().text);
    return 0;
  }
  if (status != 200) std::abort();
  check(render_status(*answer, *answer, Colour::kOff));
  check(render_links(array_at(*answer, "items"), Colour::kOff));
  check(render_event(*answer, Colour::kOff));
  return 0;
}
