#include "plugins/opensm/bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plugins/opensm/engine.hpp"

struct heddle_engine {
  heddle::plugin::Engine engine;
};

namespace {

namespace model = heddle::model;
namespace plugin = heddle::plugin;

void copy_text(std::string_view text, std::span<char> into) noexcept {
  if (into.empty()) return;
  const std::size_t length = std::min(text.size(), into.size() - 1);
  std::copy_n(text.begin(), length, into.begin());
  into[length] = '\0';
}

}  // namespace

heddle_engine* heddle_engine_create(const char* options, char* error, size_t error_size) noexcept {
  const std::span<char> reason(error, error == nullptr ? 0 : error_size);
  try {
    const auto parsed = plugin::parse_options(options == nullptr ? "" : options);
    if (parsed) return new heddle_engine{plugin::Engine(*parsed)};
    copy_text(parsed.error().text, reason);
  } catch (const std::exception& failure) {
    copy_text(failure.what(), reason);
  } catch (...) {
    copy_text("unknown failure", reason);
  }
  return nullptr;
}

void heddle_engine_destroy(heddle_engine* engine) noexcept { delete engine; }

int heddle_engine_route(heddle_engine* engine, const heddle_subnet* subnet,
                        heddle_outcome* outcome) noexcept {
  if (outcome == nullptr) return 0;
  *outcome = {};
  if (engine == nullptr || subnet == nullptr) return 0;
  try {
    const auto report = engine->engine.route(*subnet);
    copy_text(report ? plugin::result_line(*report) : report.error().message(), outcome->result);
    if (report) {
      copy_text(plugin::alarm_line(*report), outcome->alarm);
      copy_text(plugin::substitute_line(*report), outcome->substitute);
    }
    return report ? 1 : 0;
  } catch (const std::exception& failure) {
    copy_text(failure.what(), outcome->result);
  } catch (...) {
    copy_text("unknown failure", outcome->result);
  }
  return 0;
}

uint8_t heddle_engine_path_sl(const heddle_engine* engine, uint8_t wish, uint16_t source_lid,
                              uint16_t destination_lid) noexcept {
  if (engine == nullptr) return wish;
  return engine->engine.lanes().read([&](const plugin::LiveLanes* lanes) {
    if (lanes == nullptr) return wish;
    return lanes->level(model::Lid{source_lid}, model::Lid{destination_lid})
        .value_or(model::Sl{wish})
        .value();
  });
}

int heddle_engine_sl2vl(const heddle_engine* engine, uint64_t switch_guid, uint8_t in_port,
                        uint8_t out_port, uint8_t vl_by_sl[16]) noexcept {
  if (engine == nullptr || vl_by_sl == nullptr) return 0;
  return engine->engine.lanes().read([&](const plugin::LiveLanes* lanes) {
    if (lanes == nullptr) return 0;
    const std::optional<model::SlToVl> mapping = lanes->mapping(
        model::NodeGuid{switch_guid}, model::PortNum{in_port}, model::PortNum{out_port});
    if (!mapping) return 0;
    std::copy(mapping->begin(), mapping->end(), vl_by_sl);
    return 1;
  });
}
