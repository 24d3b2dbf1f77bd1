#include "cli/generate.hpp"

#include <fmt/format.h>

#include <ostream>
#include <variant>

#include "cli/atomic_file.hpp"
#include "cli/topology_report.hpp"
#include "discovery/topology_text.hpp"
#include "exporter/fabric_json.hpp"
#include "model/fabric_summary.hpp"

namespace heddle::cli {

namespace {

using model::Fabric;
using model::Result;
using simulation::GeneratorOptions;

struct Maker {
  const GeneratorOptions& options;

  Result<Fabric> operator()(const simulation::FatTreeShape& shape) const {
    const Result<simulation::PgftShape> pgft = simulation::pgft_of(shape);
    return pgft ? simulation::make_pgft(*pgft, options) : model::fail(pgft.error());
  }
  Result<Fabric> operator()(const ShapeText& shape) const {
    const Result<simulation::PgftShape> pgft = simulation::parse_pgft_shape(shape.text);
    return pgft ? simulation::make_pgft(*pgft, options) : model::fail(pgft.error());
  }
  Result<Fabric> operator()(const simulation::DragonflyShape& shape) const {
    return simulation::make_dragonfly(shape, options);
  }
  Result<Fabric> operator()(const simulation::DragonflyPlusShape& shape) const {
    return simulation::make_dragonfly_plus(shape, options);
  }
  Result<Fabric> operator()(const simulation::HybridShape& shape) const {
    return simulation::make_hybrid(shape, options);
  }
};

std::string written_json(const Fabric& fabric, const std::string& file) {
  const model::FabricSummary summary = model::summarise(fabric);
  exporter::JsonWriter json;
  json.begin_object();
  json.field("file", file);
  exporter::write_node_counts(json, summary);
  json.field("links", summary.links);
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Result<Fabric> make_fabric(const GenerateCommand& command) {
  GeneratorOptions options;
  options.rate = model::parse_link_rate(command.rate);
  if (!model::data_rate(options.rate)) {
    return model::fail(
        model::Errc::kInvalidInput,
        fmt::format("--rate: '{}' is not a width and a speed such as 4xHDR", command.rate));
  }
  return std::visit(Maker{options}, command.shape);
}

Result<ExitCode> generate(const GenerateCommand& command, Console& console) {
  const Result<Fabric> fabric = make_fabric(command);
  if (!fabric) return model::fail(fabric.error());
  const std::string text = discovery::format_topology(*fabric);
  if (command.out) {
    if (const model::Status status = write_file(*command.out, text); !status) {
      return model::fail(status.error());
    }
    if (command.json) {
      console.out << written_json(*fabric, *command.out) << '\n';
    }
  } else {
    console.out << text;
  }
  return ExitCode::kGood;
}

}  // namespace heddle::cli
