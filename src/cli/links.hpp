#pragma once

#include <boost/json/array.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// Items of /v1/links, for people.
[[nodiscard]] std::string render_links(const boost::json::array& links, Colour colour);

[[nodiscard]] model::Result<ExitCode> links(const LinksCommand& command, Console& console);

}  // namespace heddle::cli
