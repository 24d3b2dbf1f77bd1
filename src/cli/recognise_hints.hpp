#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fabric.hpp"
#include "model/result.hpp"
#include "routing/recognise.hpp"

namespace heddle::cli {

/// A file of roots: a GUID a line. Empty lines and what follows `#` mean nothing. Errors carry
/// `file` and line; a GUID that is no switch of `fabric` is one.
[[nodiscard]] model::Result<std::vector<model::NodeGuid>> parse_roots(std::string_view text,
                                                                      const std::string& file,
                                                                      const model::Fabric& fabric);

/// A file of groups: lines `GROUP GUID`, GROUP any word. Groups in order of first mention; a
/// switch stands in one of them, once. Else as parse_roots().
[[nodiscard]] model::Result<std::vector<std::vector<model::NodeGuid>>> parse_groups(
    std::string_view text, const std::string& file, const model::Fabric& fabric);

/// What `--roots` and `--groups` name, where given.
[[nodiscard]] model::Result<routing::RecogniseHints> read_hints(
    const std::optional<std::string>& roots, const std::optional<std::string>& groups,
    const model::Fabric& fabric);

}  // namespace heddle::cli
