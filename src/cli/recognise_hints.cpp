#include "cli/recognise_hints.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "discovery/line_scanner.hpp"

namespace heddle::cli {

using model::Errc;
using model::fail;
using model::NodeGuid;
using model::Result;

namespace {

/// The line without its comment.
std::string_view meant(std::string_view line) { return line.substr(0, line.find('#')); }

/// Takes a GUID, which ends the line, of a switch that was not `seen` yet.
Result<NodeGuid> last_switch(discovery::LineScanner& in, const model::SourcePosition& where,
                             const model::Fabric& fabric, std::set<NodeGuid>& seen) {
  in.skip_blanks();
  const discovery::LineScanner before = in;
  const std::optional<std::uint64_t> value = model::parse_guid(in.word());
  if (!value) return fail(Errc::kInvalidInput, discovery::expected_at(before, "a GUID"), where);
  in.skip_blanks();
  if (!in.at_end()) {
    return fail(Errc::kInvalidInput, discovery::expected_at(in, "the end of the line"), where);
  }
  const NodeGuid guid{*value};
  const std::optional<model::NodeIndex> node = fabric.find_node(guid);
  if (!node || !fabric.switch_index(*node)) {
    return fail(Errc::kNotFound, fmt::format("{} is no switch of the fabric", guid), where);
  }
  if (!seen.insert(guid).second) {
    return fail(Errc::kInvalidInput, fmt::format("{} stands here for the second time", guid),
                where);
  }
  return guid;
}

}  // namespace

Result<std::vector<NodeGuid>> parse_roots(std::string_view text, const std::string& file,
                                          const model::Fabric& fabric) {
  std::vector<NodeGuid> roots;
  std::set<NodeGuid> seen;
  discovery::LineReader lines(text);
  while (const std::optional<std::string_view> line = lines.next()) {
    discovery::LineScanner in(meant(*line));
    in.skip_blanks();
    if (in.at_end()) continue;
    const Result<NodeGuid> root = last_switch(in, {file, lines.number()}, fabric, seen);
    if (!root) return fail(root.error());
    roots.push_back(*root);
  }
  return roots;
}

Result<std::vector<std::vector<NodeGuid>>> parse_groups(std::string_view text,
                                                        const std::string& file,
                                                        const model::Fabric& fabric) {
  std::vector<std::vector<NodeGuid>> groups;
  std::map<std::string_view, std::size_t> place;
  std::set<NodeGuid> seen;
  discovery::LineReader lines(text);
  while (const std::optional<std::string_view> line = lines.next()) {
    discovery::LineScanner in(meant(*line));
    in.skip_blanks();
    if (in.at_end()) continue;
    const std::string_view name = in.word();
    const Result<NodeGuid> member = last_switch(in, {file, lines.number()}, fabric, seen);
    if (!member) return fail(member.error());
    const auto [found, added] = place.try_emplace(name, groups.size());
    if (added) groups.emplace_back();
    groups[found->second].push_back(*member);
  }
  return groups;
}

Result<routing::RecogniseHints> read_hints(const std::optional<std::string>& roots,
                                           const std::optional<std::string>& groups,
                                           const model::Fabric& fabric) {
  routing::RecogniseHints hints;
  if (roots) {
    const Result<std::string> text = discovery::read_text(*roots);
    if (!text) return fail(text.error());
    Result<std::vector<NodeGuid>> parsed = parse_roots(*text, *roots, fabric);
    if (!parsed) return fail(parsed.error());
    hints.roots = std::move(*parsed);
  }
  if (groups) {
    const Result<std::string> text = discovery::read_text(*groups);
    if (!text) return fail(text.error());
    Result<std::vector<std::vector<NodeGuid>>> parsed = parse_groups(*text, *groups, fabric);
    if (!parsed) return fail(parsed.error());
    hints.groups = std::move(*parsed);
  }
  return hints;
}

}  // namespace heddle::cli
