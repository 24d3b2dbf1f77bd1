#include "cli/topology.hpp"

#include <boost/json/serialize.hpp>
#include <ostream>

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
  const TopologyReport report = report_topology(*fabric);
  if (command.json) {
    console.out << boost::json::serialize(topology_json(*fabric, report)) << '\n';
  } else {
    console.out << render_topology(*fabric, report, console.colour);
  }
  return ExitCode::kGood;
}

}  // namespace heddle::cli
