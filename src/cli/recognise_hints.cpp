#include "cli/recognise_hints.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "discovery/operator_lines.hpp"

namespace heddle::cli {

using discovery::Comments;
using discovery::for_each_statement;
using model::Errc;
using model::fail;
using model::NodeGuid;
using model::Result;

namespace {

/// Takes a GUID, which ends the line, of a switch that was not `seen` yet.
Result<NodeGuid> last_switch(discovery::LineScanner& in, const model::Fabric& fabric,
                             std::set<NodeGuid>& seen) {
  in.skip_blanks();
  const discovery::LineScanner before = in;
  const std::optional<std::uint64_t> value = model::parse_guid(in.word());
  if (!value) return fail(Errc::kInvalidInput, discovery::expected_at(before, "a GUID"));
  in.skip_blanks();
  if (!in.at_end()) {
    return fail(Errc::kInvalidInput, discovery::expected_at(in, "the end of the line"));
  }
  const NodeGuid guid{*value};
  const std::optional<model::NodeIndex> node = fabric.find_node(guid);
  if (!node || !fabric.switch_index(*node)) {
    return fail(Errc::kNotFound, fmt::format("{} is no switch of the fabric", guid));
  }
  if (!seen.insert(guid).second) {
    return fail(Errc::kInvalidInput, fmt::format("{} stands here for the second time", guid));
  }
  return guid;
}

}  // namespace

Result<std::vector<NodeGuid>> parse_roots(std::string_view text, const std::string& file,
                                          const model::Fabric& fabric) {
  std::vector<NodeGuid> roots;
  std::set<NodeGuid> seen;
  const auto take = [&](discovery::LineScanner& in, std::uint32_t) -> model::Status {
    const Result<NodeGuid> root = last_switch(in, fabric, seen);
    if (!root) return fail(root.error());
    roots.push_back(*root);
    return {};
  };
  if (model::Status read = for_each_statement(text, file, Comments::kAnywhere, take); !read) {
    return fail(std::move(read).error());
  }
  return roots;
}

Result<std::vector<std::vector<NodeGuid>>> parse_groups(std::string_view text,
                                                        const std::string& file,
                                                        const model::Fabric& fabric) {
  std::vector<std::vector<NodeGuid>> groups;
  std::map<std::string_view, std::size_t> place;
  std::set<NodeGuid> seen;
  const auto take = [&](discovery::LineScanner& in, std::uint32_t) -> model::Status {
    const std::string_view name = in.word();
    const Result<NodeGuid> member = last_switch(in, fabric, seen);
    if (!member) return fail(member.error());
    const auto [found, added] = place.try_emplace(name, groups.size());
    if (added) groups.emplace_back();
    groups[found->second].push_back(*member);
    return {};
  };
  if (model::Status read = for_each_statement(text, file, Comments::kAnywhere, take); !read) {
    return fail(std::move(read).error());
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
