#include "discovery/topology_text.hpp"

#include <utility>

#include "discovery/line_scanner.hpp"
#include "discovery/topology_blocks.hpp"
#include "discovery/topology_draft.hpp"
#include "discovery/topology_port_list.hpp"

namespace heddle::discovery {
namespace {

/// The first line that is neither blank nor a comment tells which of the two forms a text has.
bool is_port_list(std::string_view text) {
  LineReader lines(text);
  while (const std::optional<std::string_view> line = lines.next()) {
    LineScanner in(*line);
    in.skip_blanks();
    if (in.at_end() || in.starts_with("#")) continue;
    return is_port_list_line(*line);
  }
  return false;
}

}  // namespace

model::Result<model::Fabric> parse_topology(std::string_view text, const std::string& file,
                                            const std::string& fabric_name) {
  TopologyDraft draft(file, fabric_name);
  const model::Status status =
      is_port_list(text) ? parse_port_list(text, draft) : parse_blocks(text, draft);
  if (!status) return model::fail(status.error());
  return std::move(draft).finish();
}

model::Result<model::Fabric> read_topology(const std::string& path,
                                           const std::string& fabric_name) {
  const model::Result<std::string> text = read_text(path);
  if (!text) return model::fail(text.error());
  return parse_topology(*text, path, fabric_name);
}

}  // namespace heddle::discovery
