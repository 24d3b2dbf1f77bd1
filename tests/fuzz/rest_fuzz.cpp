#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "exporter/metric_writer.hpp"
#include "exporter/rest.hpp"
#include "model/fabric_builder.hpp"

namespace {

using namespace heddle;

exporter::View small_view() {
  model::FabricBuilder builder("fuzz");
  for (std::uint64_t id = 1; id <= 3; ++id) {
    model::Node node;
    node.guid = model::NodeGuid{id};
    node.kind = id == 1 ? model::NodeKind::kSwitch : model::NodeKind::kHostAdapter;
    node.port_count = id == 1 ? 4 : 1;
    node.description = "node \"x\"";
    builder.add_node(std::move(node));
  }
  const auto key = [](std::uint64_t node, std::uint8_t port) {
    return model::PortKey{model::NodeGuid{node}, model::PortNum{port}};
  };
  builder.connect(key(1, 1), key(2, 1));
  builder.connect(key(1, 2), key(3, 1));
  exporter::View view;
  view.generation = 1;
  view.fabric = std::make_shared<const model::Fabric>(std::move(builder).build());
  view.summary = std::make_shared<const model::FabricSummary>();
  view.degraded = std::make_shared<const std::vector<model::DegradedLink>>();
  view.duplicates = std::make_shared<const std::vector<model::DuplicateName>>();
  return view;
}

void require(bool good) {
  if (!good) std::abort();
}

/// A label must leave as one quoted text: no bare quote, no line feed, no escape but the known.
void check_label(std::string_view value) {
  std::string labels = "{";
  exporter::append_label(labels, "name", value);
  std::string_view rest = labels;
  require(rest.starts_with("{name=\"") && rest.ends_with('"'));
  rest = rest.substr(7, rest.size() - 8);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    require(rest[i] != '\n' && rest[i] != '"');
    if (rest[i] != '\\') continue;
    ++i;
    require(i < rest.size() && (rest[i] == '\\' || rest[i] == '"'));
  }
}

}  // namespace

/// The first line is If-None-Match, what follows the target; both together a label.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const exporter::View kView = small_view();
  static const std::vector<model::Event> kEvents(3);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_label(text);
  const std::size_t line = text.find('\n');
  exporter::Request request{.method = "GET", .target = std::string(text), .if_none_match = {}};
  if (line != std::string_view::npos) {
    request.if_none_match = text.substr(0, line);
    request.target = text.substr(line + 1);
  }
  const exporter::Response response = exporter::handle(request, kView, kEvents);
  require(response.status == 200 || response.status == 304 || response.status == 400 ||
          response.status == 404 || response.status == 503);
  require(response.status == 304 || !response.body.empty());
  for (const auto& [name, value] : response.headers) {
    require(value.find_first_of("\r\n") == std::string::npos);
  }
  static_cast<void>(exporter::parse_event_filter(request.target));
  return 0;
}
