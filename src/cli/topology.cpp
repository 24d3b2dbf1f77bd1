#include "cli/topology.hpp"

#include <ostream>
#include <vector>

#include "cli/console.hpp"
#include "cli/read_fabric.hpp"
#include "cli/recognise_hints.hpp"
#include "cli/topology_report.hpp"

namespace heddle::cli {

model::Result<ExitCode> topology(const TopologyCommand& command, Console& console) {
  const model::Result<model::Fabric> fabric = read_fabric_as_is(command.fabric);
  if (!fabric) return model::fail(fabric.error());
  const model::Result<routing::RecogniseHints> hints =
      read_hints(command.roots, command.groups, *fabric);
  if (!hints) return model::fail(hints.error());
  const TopologyReport report = report_topology(*fabric, *hints);
  if (command.json) {
    console.out << topology_json(*fabric, report) << '\n';
  } else {
    console.out << render_topology(*fabric, report, console.colour);
  }
  const std::vector<model::Error> errors = contradictions(*fabric);
  for (const model::Error& error : errors) console.err << error_line(error);
  return errors.empty() ? ExitCode::kGood : ExitCode::kBad;
}

}  // namespace heddle::cli
