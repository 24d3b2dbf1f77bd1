// live_tables FABRIC LFTS: sweeps the live subnet once and writes its cabling and its forwarding
// tables in the forms of ibnetdiscover and dump_fts, to be compared with what those programs print.
#include <fmt/core.h>

#include <fstream>
#include <span>

#include "discovery/forwarding_text.hpp"
#include "discovery/topology_text.hpp"
#include "support/live_session.hpp"

namespace {

using heddle::model::Errc;
using heddle::model::fail;
using heddle::model::Status;

Status write(const char* path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return fail(Errc::kUnavailable, fmt::format("cannot write {}", path));
  return {};
}

Status run(const char* fabric_path, const char* tables_path) {
  auto session = heddle::support::LiveSession::open();
  if (!session) return fail(session.error());
  const auto outcome = (*session)->discover();
  if (!outcome) return fail(outcome.error());
  const auto tables = (*session)->read_tables(*outcome);
  if (!tables) return fail(tables.error());
  return write(fabric_path, heddle::discovery::format_topology(*outcome->fabric)).and_then([&] {
    return write(tables_path,
                 heddle::discovery::format_forwarding(*outcome->fabric, (*tables)->forwarding));
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 3) {
    fmt::print(stderr, "usage: live_tables FABRIC LFTS\n");
    return 2;
  }
  if (const auto done = run(arguments[1], arguments[2]); !done) {
    fmt::print(stderr, "live_tables: {}\n", done.error().message());
    return 1;
  }
  return 0;
}
