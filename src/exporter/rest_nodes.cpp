#include <algorithm>

#include "exporter/rest_context.hpp"
#include "exporter/rest_tables.hpp"
#include "exporter/rest_values.hpp"
#include "exporter/text.hpp"

namespace heddle::exporter {
namespace {

std::optional<model::NodeKind> parse_kind(std::string_view word) noexcept {
  for (const model::NodeKind kind :
       {model::NodeKind::kUnknown, model::NodeKind::kSwitch, model::NodeKind::kHostAdapter,
        model::NodeKind::kRouter, model::NodeKind::kAggregationNode}) {
    if (word == to_string(kind)) return kind;
  }
  return std::nullopt;
}

/// Schema Node.
void write_node(JsonWriter& json, const model::Fabric& fabric, model::NodeIndex index) {
  const model::Node& node = fabric.node(index);
  const model::PortIndex first = fabric.first_port(index);
  std::uint64_t links = 0;
  for (std::uint32_t i = 0; i < fabric.ports_of(index).size(); ++i) {
    if (fabric.link_of(model::PortIndex{first.value() + i})) ++links;
  }
  json.begin_object();
  json.field("guid", node.guid);
  json.field("system_guid", node.system_guid);
  json.field("kind", to_string(node.kind));
  json.field("name", node.description);
  json.field("lid", lid_of(fabric, index));
  json.field("vendor_id", node.vendor_id);
  json.field("device_id", node.device_id);
  json.field("port_count", node.port_count);
  json.field("links", links);
  json.end_object();
}

/// Schema NodePort.
void write_node_port(JsonWriter& json, const View& view, model::PortIndex index) {
  const model::Fabric& fabric = *view.fabric;
  const model::Port& port = fabric.port(index);
  json.begin_object();
  json.field("port", port.number);
  json.field("lid", port.lid);
  json.field("state", to_string(port.state));
  json.field("physical_state", to_string(port.physical_state));
  json.field("rate", to_string(port.rate));
  const std::optional<model::LinkIndex> link = fabric.link_of(index);
  json.key("peer");
  if (link) {
    write_port_ref(json, fabric, *fabric.peer(index));
  } else {
    json.null();
  }
  json.field("link", link ? std::optional(link_id(fabric, fabric.link(*link))) : std::nullopt);
  json.key("partitions");
  write_partitions(json, view, fabric.key(index));
  json.end_object();
}

TableDetail detail_of(std::optional<bool> wanted) noexcept {
  return wanted == true ? TableDetail::kEntries : TableDetail::kSummary;
}

}  // namespace

Response list_nodes(const Context& context) {
  QueryReader query(context.target, {"kind", "name", "limit", "after"});
  const std::optional<model::NodeKind> kind = query.choice("kind", parse_kind);
  const std::optional<std::string_view> name = query.text("name");
  const std::size_t limit = query.limit();
  const std::optional<model::NodeGuid> after = query.guid("after");
  if (query.error()) return *query.error();

  const model::Fabric& fabric = context.fabric();
  std::span<const model::Node> nodes = fabric.nodes();
  if (after) {
    const auto first = std::ranges::upper_bound(nodes, *after, {}, &model::Node::guid);
    nodes = nodes.subspan(static_cast<std::size_t>(first - nodes.begin()));
  }
  const auto matches = [&](const model::Node& node) {
    if (kind && node.kind != *kind) return false;
    return !name || model::printable(node.description).find(*name) != std::string::npos;
  };
  const auto write = [&](JsonWriter& json, const model::Node& node) {
    const auto index = static_cast<std::uint32_t>(&node - fabric.nodes().data());
    write_node(json, fabric, model::NodeIndex{index});
  };
  const auto cursor = [](const model::Node& node) {
    std::string text;
    append_guid(text, node.guid.value());
    return text;
  };
  return answer_page(context, nodes, limit, matches, write, cursor);
}

Response get_node(const Context& context) {
  QueryReader query(context.target, {"lfts", "sl2vl"});
  const TableDetail lfts = detail_of(query.flag("lfts"));
  const TableDetail sl2vl = detail_of(query.flag("sl2vl"));
  if (query.error()) return *query.error();
  const std::string& text = context.target.segments[2];
  const std::optional<std::uint64_t> guid = model::parse_guid(text);
  if (!guid) return problem(400, "Bad GUID", excerpt(text) + " is not a GUID in hexadecimal");
  const model::Fabric& fabric = context.fabric();
  const std::optional<model::NodeIndex> node = fabric.find_node(model::NodeGuid{*guid});
  if (!node)
    return problem(404, "No such node", "no node of this fabric has GUID " + excerpt(text));

  JsonWriter json;
  json.begin_object();
  json.key("node");
  write_node(json, fabric, *node);
  json.begin_array("ports");
  const std::uint32_t first = fabric.first_port(*node).value();
  for (std::uint32_t i = 0; i < fabric.ports_of(*node).size(); ++i) {
    write_node_port(json, context.view, model::PortIndex{first + i});
  }
  json.end_array();
  json.key("forwarding");
  write_forwarding(json, context.view, fabric.node(*node).guid, lfts);
  json.key("sl_to_vl");
  write_sl_to_vl(json, context.view, fabric.node(*node).guid, sl2vl);
  json.end_object();
  return answer(std::move(json));
}

}  // namespace heddle::exporter
