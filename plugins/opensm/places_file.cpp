#include "plugins/opensm/places_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "discovery/line_scanner.hpp"
#include "discovery/topology_text.hpp"
#include "routing/graph.hpp"

namespace heddle::plugin {

using model::Errc;
using model::Fabric;
using model::fail;
using model::Result;
using model::Status;

namespace fs = std::filesystem;

namespace {

/// As OpenSM's own files are: the command line may be anybody's.
constexpr ::mode_t kRights = 0644;

std::string reason_of(int error) { return std::generic_category().message(error); }

/// 0, or the reason.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// The same, with the text on the disk at the end; closes the file.
int finish(int descriptor, std::string_view text) {
  int error = write_all(descriptor, text);
  if (error == 0 && ::fchmod(descriptor, kRights) != 0) error = errno;
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

Result<std::optional<Fabric>> PlacesFile::read() const {
  std::error_code error;
  const fs::file_type type = fs::status(path_, error).type();
  if (type == fs::file_type::not_found) return std::optional<Fabric>{};
  // A pipe would be waited for.
  if (type != fs::file_type::regular) {
    return fail(Errc::kInvalidInput,
                fmt::format("{}: {}", path_, error ? error.message() : "is no plain file"));
  }
  const Result<std::string> text = discovery::read_text(path_);
  if (!text) return fail(text.error());
  Result<Fabric> fabric = discovery::parse_topology(*text, path_, "places");
  if (!fabric) return fail(fabric.error());
  if (fabric->nodes().empty()) {
    return fail(Errc::kInvalidInput, "there is no node in it", model::SourcePosition{path_, 1});
  }
  if (const auto graph = routing::Graph::from(*fabric); !graph) return fail(graph.error());
  return std::optional<Fabric>(*std::move(fabric));
}

Status PlacesFile::set_aside() const {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path_, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::symlink) {
    return fail(Errc::kInvalidInput, fmt::format("{}: is no plain file", path_));
  }
  fs::rename(path_, aside(), error);
  if (error) return fail(Errc::kUnavailable, fmt::format("{}: {}", aside(), error.message()));
  return {};
}

Status PlacesFile::write(const Fabric& fabric) const {
  const std::string text = discovery::format_topology(fabric);
  std::error_code no_target;
  const fs::path target = fs::canonical(path_, no_target);
  const std::string path = no_target ? path_ : target.string();
  const auto failed = [this](int error) {
    return fail(Errc::kUnavailable,
                fmt::format("{}: cannot be written: {}", path_, reason_of(error)));
  };
  std::string temporary = path + ".XXXXXX";
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return failed(errno);
  int error = finish(descriptor, text);
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return failed(error);
}

}  // namespace heddle::plugin
