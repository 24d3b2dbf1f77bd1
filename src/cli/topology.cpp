#include "cli/topology.hpp"

#include <ostream>

#include "cli/recognise_hints.hpp"
#include "cli/topology_report.hpp"
#include "discovery/topology_text.hpp"

namespace heddle::cli {

model::Result<ExitCode> topology(const TopologyCommand& command, Console& console) {
  const model::Result<model::Fabric> fabric =
      discovery::read_topology(command.fabric, command.fabric);
  if (!fabric) return model::fail(fabric.error());
  // What a failed ibnetdiscover leaves behind; a fabric without a node is nobody's answer.
  if (fabric->nodes().empty()) {
    return model::fail(model::Errc::kInvalidInput, "there is no node in it",
                       model::SourcePosition{command.fabric, 1});
  }
  const model::Result<routing::RecogniseHints> hints =
      read_hints(command.roots, command.groups, *fabric);
  if (!hints) return model::fail(hints.error());
  const TopologyReport report = report_topology(*fabric, *hints);
  if (command.json) {
    console.out << topology_json(*fabric, report) << '\n';
  } else {
    console.out << render_topology(*fabric, report, console.colour);
  }
  return ExitCode::kGood;
}

}  // namespace heddle::cli
