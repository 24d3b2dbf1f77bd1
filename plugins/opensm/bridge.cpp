#include "plugins/opensm/bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "discovery/line_scanner.hpp"
#include "plugins/opensm/engine.hpp"
#include "plugins/opensm/event_feed.hpp"
#include "plugins/opensm/places_thread.hpp"
#include "plugins/opensm/repair_thread.hpp"

struct heddle_engine {
  explicit heddle_engine(const heddle::plugin::Options& from) : options(from), engine(from) {}
  ~heddle_engine() {
    // Each of the threads calls the other.
    if (feed) feed->stop();
    repair.reset();
  }

  const heddle::plugin::Options options;
  heddle::plugin::Engine engine;
  const heddle_requests* requests = nullptr;  ///< null before heddle_repair_start()
  // Last: their threads use the engine.
  std::optional<heddle::plugin::EventFeed> feed;
  std::optional<heddle::plugin::RepairThread> repair;
  std::optional<heddle::plugin::PlacesThread> places;
};

namespace {

namespace model = heddle::model;
namespace plugin = heddle::plugin;

/// More than a file of options has; a device would have no end.
constexpr std::size_t kMostOptions = std::size_t{1} << 20U;

heddle::model::Result<std::string> read_options(const std::string& path) {
  return heddle::discovery::read_text(path, kMostOptions);
}

void copy_text(std::string_view text, std::span<char> into) noexcept {
  if (into.empty()) return;
  const std::size_t length = std::min(text.size(), into.size() - 1);
  std::copy_n(text.begin(), length, into.begin());
  into[length] = '\0';
}

/// What `body` gives; 0, and why in `reason`, where it throws.
template <class Body>
int guarded(std::span<char> reason, Body body) noexcept {
  try {
    return body();
  } catch (const std::exception& failure) {
    copy_text(failure.what(), reason);
  } catch (...) {
    copy_text("unknown failure", reason);
  }
  return 0;
}

/// Between sweeps by the repairing thread, or by a sweep's routing.
void have_weights_written(heddle_engine& engine) {
  if (engine.repair) {
    engine.repair->inbox().weights();
  } else if (engine.requests != nullptr) {
    engine.requests->reroute(engine.requests->context);
  }
}

}  // namespace

heddle_engine* heddle_engine_create(const char* options, char* error, size_t error_size) noexcept {
  const std::span<char> reason(error, error == nullptr ? 0 : error_size);
  try {
    const auto parsed = plugin::parse_options(options == nullptr ? "" : options, read_options);
    if (parsed) return new heddle_engine(*parsed);
    copy_text(parsed.error().message(), reason);
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
  return guarded(outcome->result, [&] {
    const auto began = std::chrono::steady_clock::now();
    const auto report = engine->engine.route(*subnet);
    if (engine->feed) {
      engine->feed->tell(plugin::run_message(report, std::chrono::steady_clock::now() - began));
    }
    if (engine->repair) engine->repair->inbox().wake();
    if (engine->places && report) {
      engine->places->keep(engine->engine.last_run(), report->not_recalled);
    }
    copy_text(report ? plugin::result_line(*report) : report.error().message(), outcome->result);
    if (report) {
      copy_text(plugin::alarm_line(*report), outcome->alarm);
      copy_text(plugin::substitute_line(*report), outcome->substitute);
    }
    return report ? 1 : 0;
  });
}

int heddle_places_start(heddle_engine* engine, const char* folder,
                        void (*log)(void* context, int is_error, const char* text), void* context,
                        char* error, size_t error_size) noexcept {
  const std::span<char> reason(error, error == nullptr ? 0 : error_size);
  if (engine == nullptr || folder == nullptr || log == nullptr || engine->places) return 0;
  return guarded(reason, [&] {
    const std::string path = engine->options.places.value_or(
        std::filesystem::absolute(std::filesystem::path(folder) / plugin::kPlacesName).string());
    if (path.empty()) return 1;
    engine->places.emplace(path, [log, context](bool is_error, const std::string& line) {
      log(context, is_error ? 1 : 0, line.c_str());
    });
    engine->engine.recall(engine->places->take_recalled());
    return 1;
  });
}

int heddle_engine_attach(heddle_engine* engine, const heddle_host* host, const char* software,
                         char* error, size_t error_size) noexcept {
  const std::span<char> reason(error, error == nullptr ? 0 : error_size);
  if (engine == nullptr || host == nullptr) return 0;
  if (engine->options.socket.empty()) return 1;
  return guarded(reason, [&] {
    engine->feed.emplace(
        plugin::EventFeed::Options{engine->options.socket, software == nullptr ? "" : software},
        *host, [engine](plugin::WeightSet set) { engine->engine.set_weights(std::move(set)); },
        [engine] { have_weights_written(*engine); });
    return 1;
  });
}

void heddle_engine_report(heddle_engine* engine, const heddle_event* event) noexcept {
  if (engine == nullptr || event == nullptr || !engine->feed) return;
  engine->feed->post(*event);
}

void heddle_engine_note(heddle_engine* engine, int is_error, const char* text) noexcept {
  if (engine == nullptr || text == nullptr || !engine->feed) return;
  try {
    engine->feed->tell(
        heddle::abi::Note{plugin::wall_nanoseconds(), static_cast<uint8_t>(is_error != 0), text});
  } catch (...) {  // NOLINT(bugprone-empty-catch): without memory it is in OpenSM's log alone
  }
}

void heddle_event_begin(heddle_event* event) noexcept {
  if (event == nullptr) return;
  *event = {};
  event->time = plugin::wall_nanoseconds();
  event->began = plugin::event_clock();
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

int heddle_repair_start(heddle_engine* engine, const heddle_requests* requests, char* error,
                        size_t error_size) noexcept {
  const std::span<char> reason(error, error == nullptr ? 0 : error_size);
  if (engine == nullptr || requests == nullptr || engine->repair) return 0;
  engine->requests = requests;
  return guarded(reason, [&] {
    const plugin::Options& options = engine->options;
    plugin::RepairJournal journal;
    if (!options.repair_log.empty()) {
      auto opened = plugin::RepairJournal::open(options.repair_log);
      if (!opened) {
        copy_text(opened.error().message(), reason);
        return 0;
      }
      journal = std::move(*opened);
    }
    const bool is_wanted = options.fast_repair != plugin::RepairMode::kOff ||
                           !options.fast_repair_file.empty() || journal.writes();
    if (is_wanted) engine->repair.emplace(options, engine->engine, *requests, std::move(journal));
    return 1;
  });
}

uint64_t heddle_engine_run(const heddle_engine* engine) noexcept {
  return engine == nullptr ? 0 : engine->engine.runs();
}

uint64_t heddle_engine_written_run(const heddle_engine* engine) noexcept {
  return engine == nullptr || !engine->repair ? 0 : engine->repair->written_run();
}

void heddle_repair_trap(heddle_engine* engine, uint16_t switch_lid) noexcept {
  if (engine != nullptr && engine->repair) engine->repair->inbox().trap(model::Lid{switch_lid});
}

void heddle_repair_block(heddle_engine* engine, uint64_t guid, uint16_t block,
                         const uint8_t entries[HEDDLE_BLOCK_LIDS]) noexcept {
  if (engine == nullptr || !engine->repair || entries == nullptr) return;
  engine->repair->inbox().block(model::NodeGuid{guid}, block, entries);
}

void heddle_repair_sweep(heddle_engine* engine) noexcept {
  if (engine != nullptr && engine->repair) engine->repair->sweep_begins();
}

void heddle_repair_routed(heddle_engine* engine) noexcept {
  if (engine != nullptr && engine->repair) engine->repair->tables_written();
}
