#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "model/result.hpp"

namespace heddle::cli {

/// /v1/status and /v1/fabric, for people.
[[nodiscard]] std::string render_status(const boost::json::object& status,
                                        const boost::json::object& fabric, Colour colour);

/// kNotGood while the service is not ready or serves a stale fabric.
[[nodiscard]] model::Result<ExitCode> status(const StatusCommand& command, Console& console);

}  // namespace heddle::cli
