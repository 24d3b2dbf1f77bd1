#include "cli/traffic_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "discovery/operator_lines.hpp"

namespace heddle::cli {

using discovery::Comments;
using discovery::for_each_statement;
using discovery::LineScanner;
using model::Errc;
using model::Fabric;
using model::fail;
using model::Result;
using model::Status;
using routing::Graph;
using routing::TerminalIndex;

namespace {

using Ends = std::vector<TerminalIndex>;

/// Terminals by whatever they are called. Holds views of the fabric's names.
class Names {
 public:
  Names(const Fabric& fabric, const Graph& graph) : fabric_(fabric), graph_(graph) {
    Ends all;
    for (std::uint32_t t = 0; t < graph.terminals().size(); ++t) all.emplace_back(t);
    std::ranges::sort(all, {}, [&](TerminalIndex t) { return fabric.key(graph.terminal(t).port); });
    for (const TerminalIndex t : all) {
      const routing::Terminal& terminal = graph.terminal(t);
      const model::Node& node = fabric.node(terminal.node);
      by_node_[node.guid].push_back(t);
      by_key_.emplace(fabric.key(terminal.port), t);
      if (const auto guid = fabric.port(terminal.port).guid) by_port_[*guid].push_back(t);
      const std::string_view name = node.description;
      by_name_[name].push_back(t);
      const std::string_view host = name.substr(0, name.find(' '));
      if (host != name) by_host_[host].push_back(t);
    }
  }

  [[nodiscard]] Result<Ends> find(std::string_view text) const {
    const Ends* const found = look_up(text);
    if (found == nullptr) {
      const auto key = model::parse_port_key(text);
      const auto at = key ? by_key_.find(*key) : by_key_.end();
      if (at != by_key_.end()) return with_lids(text, {at->second});
      return fail(Errc::kNotFound, fmt::format("no end port on a switch has the GUID or the name "
                                               "'{}'",
                                               model::printable(text)));
    }
    return with_lids(text, *found);
  }

 private:
  template <class Map, class Key>
  static const Ends* at(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
  }

  [[nodiscard]] const Ends* look_up(std::string_view text) const {
    // Names first: a host may well be called what reads as a number.
    if (const Ends* const found = at(by_name_, text)) return found;
    if (const Ends* const found = at(by_host_, text)) return found;
    const std::optional<std::uint64_t> guid = model::parse_guid(text);
    if (!guid) return nullptr;
    if (const Ends* const found = at(by_node_, model::NodeGuid{*guid})) return found;
    return at(by_port_, model::PortGuid{*guid});
  }

  [[nodiscard]] Result<Ends> with_lids(std::string_view text, Ends ends) const {
    for (const TerminalIndex end : ends) {
      if (graph_.terminal(end).lid) continue;
      return fail(Errc::kNotFound,
                  fmt::format("port {} of '{}' has no LID",
                              fabric_.key(graph_.terminal(end).port).port, model::printable(text)));
    }
    return ends;
  }

  const Fabric& fabric_;
  const Graph& graph_;
  std::unordered_map<std::string_view, Ends> by_name_;
  std::unordered_map<std::string_view, Ends> by_host_;
  std::map<model::NodeGuid, Ends> by_node_;
  std::map<model::PortGuid, Ends> by_port_;
  std::map<model::PortKey, TerminalIndex> by_key_;
};

/// The next end of a line, and what it is called there.
struct NamedEnds {
  std::string_view name;
  Ends ends;
};
Result<NamedEnds> take_ends(LineScanner& in, const Names& names) {
  in.skip_blanks();
  const LineScanner before = in;
  const bool quoted = in.accept("\"");
  const std::optional<std::string_view> name = quoted ? in.until('"') : in.word();
  if (!name || name->empty()) {
    return fail(Errc::kInvalidInput, expected_at(before, "a GUID or a name"));
  }
  Result<Ends> ends = names.find(*name);
  if (!ends) return fail(ends.error());
  return NamedEnds{*name, std::move(*ends)};
}

}  // namespace

Result<routing::Traffic> parse_traffic(std::string_view text, const std::string& file,
                                       const Fabric& fabric, const Graph& graph) {
  const Names names(fabric, graph);
  routing::Traffic traffic;
  std::unordered_map<std::string_view, std::uint32_t> job_of_name;
  const auto take = [&](LineScanner& in, std::uint32_t) -> Status {
    const Result<NamedEnds> from = take_ends(in, names);
    if (!from) return fail(from.error());
    const Result<NamedEnds> to = take_ends(in, names);
    if (!to) return fail(to.error());
    in.skip_blanks();
    const std::string_view job = in.word();
    in.skip_blanks();
    if (!in.at_end()) {
      return fail(Errc::kInvalidInput, expected_at(in, "the end of the line"));
    }
    if (from->ends.size() != to->ends.size()) {
      return fail(Errc::kInvalidInput,
                  fmt::format("'{}' has {} end ports and '{}' has {}: name the ports as GUID/PORT",
                              model::printable(from->name), from->ends.size(),
                              model::printable(to->name), to->ends.size()));
    }
    const auto [at, is_new] =
        job_of_name.try_emplace(job, static_cast<std::uint32_t>(traffic.jobs.size()));
    if (is_new) traffic.jobs.emplace_back(job);
    for (std::size_t i = 0; i < from->ends.size(); ++i) {
      if (from->ends[i] == to->ends[i]) {
        return fail(Errc::kInvalidInput,
                    fmt::format("'{}' sends to itself", model::printable(from->name)));
      }
      traffic.flows.push_back({from->ends[i], to->ends[i]});
      traffic.job.push_back(at->second);
    }
    return {};
  };
  if (Status read = for_each_statement(text, file, Comments::kAnywhere, take); !read) {
    return fail(std::move(read).error());
  }
  if (traffic.flows.empty()) return fail(Errc::kInvalidInput, "there is no flow in it", {file, 1});
  return traffic;
}

Result<std::vector<TerminalIndex>> parse_ranks(std::string_view text, const std::string& file,
                                               const Fabric& fabric, const Graph& graph) {
  const Names names(fabric, graph);
  std::vector<TerminalIndex> ranks;
  std::set<TerminalIndex> seen;
  const auto take = [&](LineScanner& in, std::uint32_t) -> Status {
    const Result<NamedEnds> ends = take_ends(in, names);
    if (!ends) return fail(ends.error());
    in.skip_blanks();
    if (!in.at_end()) {
      return fail(Errc::kInvalidInput, expected_at(in, "the end of the line"));
    }
    for (const TerminalIndex end : ends->ends) {
      if (!seen.insert(end).second) {
        return fail(Errc::kInvalidInput, fmt::format("'{}' stands here for the second time",
                                                     model::printable(ends->name)));
      }
      ranks.push_back(end);
    }
    return {};
  };
  if (Status read = for_each_statement(text, file, Comments::kAnywhere, take); !read) {
    return fail(std::move(read).error());
  }
  if (ranks.size() < 2) {
    return fail(Errc::kInvalidInput, "fewer than two ranks send nothing", {file, 1});
  }
  return ranks;
}

}  // namespace heddle::cli
