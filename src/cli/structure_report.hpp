#pragma once

#include <string>

#include "cli/console.hpp"
#include "exporter/json_writer.hpp"
#include "model/fabric.hpp"
#include "routing/structure.hpp"

namespace heddle::cli {

/// What a fabric is, for people: shape, levels or groups, then what does not fit.
[[nodiscard]] std::string render_structure(const routing::Structure& structure, Colour colour);
/// The same as one JSON value, with the place of every switch.
void write_structure(exporter::JsonWriter& json, const model::Fabric& fabric,
                     const routing::Structure& structure);

}  // namespace heddle::cli
