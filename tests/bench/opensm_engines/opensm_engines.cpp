// An OpenSM plugin that runs OpenSM's own routing engines on fabrics from files, without discovery,
// without MADs, without a device. It is loaded before OpenSM has found anything; for each job it
// forks, builds the subnet that a sweep would have found (subnet.hpp) in the child, calls the
// engine's two steps as OpenSM's unicast manager does, and writes what it computed. So each engine
// starts in a fresh OpenSM: nothing that another left behind helps it.
//
//   event_plugin_name heddle_opensm_engines
//   event_plugin_options JOBS RESULTS
//
// JOBS, a line each: ENGINE FABRIC ROOTS TABLES. FABRIC is an ibnetdiscover text; ROOTS the file
// for root_guid_file, `-` for none; TABLES where the forwarding tables go: as dump_fts prints them,
// or, if the name ends in `.rows`, as bare rows in order of switch GUID, or `-`, nowhere.
// RESULTS gets a JSON object a job. OpenSM ends when all are done: status 0, 2 for bad options.

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/opensm_engines/opensm.hpp"
#include "bench/opensm_engines/subnet.hpp"
#include "discovery/forwarding_text.hpp"
#include "discovery/topology_text.hpp"
#include "model/fabric_lids.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

struct Job {
  std::string engine;
  std::string fabric;
  std::string roots;
  std::string tables;
};

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

template <class T>
T value_of(model::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

using Setup = int (*)(osm_routing_engine*, osm_opensm_t*);

Setup setup_of(const std::string& engine) {
  void* const symbol = dlsym(RTLD_DEFAULT, ("osm_ucast_" + engine + "_setup").c_str());
  if (symbol == nullptr) throw std::runtime_error("OpenSM has no engine '" + engine + "'");
  return reinterpret_cast<Setup>(symbol);
}

/// An engine's step: below 0 it gave up, above 0 it leaves the step to min-hop.
int built_by(int (*step)(void*), void* context) { return step == nullptr ? 1 : step(context); }

struct Run {
  bool routed = false;
  double matrices_ms = 0;
  double tables_ms = 0;
};

Run run_engine(osm_opensm_t& osm, const Job& job) {
  osm_routing_engine engine{};
  engine.name = job.engine.c_str();
  osm_routing_engine minhop{};
  if (setup_of(job.engine)(&engine, &osm) != 0 || setup_of("minhop")(&minhop, &osm) != 0) {
    throw std::runtime_error("engine '" + job.engine + "' does not start");
  }
  const Clock::time_point begin = Clock::now();
  int good = built_by(engine.build_lid_matrices, engine.context);
  if (good > 0) good = osm_ucast_mgr_build_lid_matrices(&osm.sm.ucast_mgr);
  const Clock::time_point matrices = Clock::now();
  if (good >= 0) good = built_by(engine.ucast_build_fwd_tables, engine.context);
  if (good > 0) good = minhop.ucast_build_fwd_tables(minhop.context);
  const Clock::time_point tables = Clock::now();
  return {.routed = good == 0,
          .matrices_ms = milliseconds(matrices - begin),
          .tables_ms = milliseconds(tables - matrices)};
}

void write_tables(const std::string& path, const model::Fabric& fabric,
                  const model::ForwardingTables& tables) {
  std::ofstream out(path, std::ios::binary);
  if (path.ends_with(".rows")) {
    for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
      const auto row = tables.row(model::SwitchIndex{s});
      out.write(reinterpret_cast<const char*>(row.data()),
                static_cast<std::streamsize>(row.size()));
    }
  } else {
    out << discovery::format_forwarding(fabric, tables);
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
}

std::string run_job(osm_opensm_t& osm, Job job) {
  const model::Fabric fabric =
      value_of(model::with_lids(value_of(discovery::read_topology(job.fabric, "")), {}));
  opensm_engines::fill_subnet(osm, fabric);
  if (job.roots != "-") osm.subn.opt.root_guid_file = job.roots.data();
  const Run run = run_engine(osm, job);
  if (run.routed && job.tables != "-") {
    write_tables(job.tables, fabric, opensm_engines::new_tables(osm, fabric));
  }
  return fmt::format(R"("routed": {}, "matrices_ms": {:.3f}, "tables_ms": {:.3f})", run.routed,
                     run.matrices_ms, run.tables_ms);
}

std::vector<Job> read_jobs(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<Job> jobs;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Job job;
    if (!(words >> job.engine >> job.fabric >> job.roots >> job.tables)) {
      throw std::runtime_error(path + ": not four words: " + line);
    }
    jobs.push_back(job);
  }
  return jobs;
}

/// Appends what a child process makes of a job; a crash of the engine is a result too.
void run_apart(osm_opensm_t& osm, const Job& job, const std::string& results) {
  const auto append = [&](const std::string& what) {
    std::ofstream(results, std::ios::app)
        << fmt::format(R"({{"engine": "{}", "fabric": "{}", {}}})", job.engine, job.fabric, what)
        << '\n';
  };
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    try {
      append(run_job(osm, job));
    } catch (const std::exception& error) {
      std::cerr << "heddle_opensm_engines: " << job.fabric << ": " << error.what() << '\n';
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("a child is lost");
  if (WIFSIGNALED(status)) {
    append(fmt::format(R"("routed": false, "signal": {})", WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    throw std::runtime_error("a job could not be run");
  }
}

void* create(osm_opensm_t* osm) noexcept {
  try {
    if (osm->sm.p_subn != &osm->subn || osm->sm.p_log != &osm->log || osm->subn.p_osm != osm) {
      throw std::runtime_error("this OpenSM's structures are not those of the headers");
    }
    std::istringstream options(
        osm->subn.opt.event_plugin_options == nullptr ? "" : osm->subn.opt.event_plugin_options);
    std::string jobs;
    std::string results;
    if (!(options >> jobs >> results)) {
      throw std::runtime_error("event_plugin_options: JOBS RESULTS");
    }
    for (const Job& job : read_jobs(jobs)) run_apart(*osm, job, results);
  } catch (const std::exception& error) {
    std::cerr << "heddle_opensm_engines: " << error.what() << '\n';
    _exit(2);
  }
  _exit(0);
}

void destroy(void*) noexcept {}
void report(void*, osm_epi_event_id_t, void*) noexcept {}

}  // namespace

extern "C" {
__attribute__((visibility("default")))
osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, destroy, report};
}
