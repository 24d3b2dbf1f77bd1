#include "judge.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "cli/run_command.hpp"
#include "discovery/forwarding_text.hpp"
#include "discovery/topology_text.hpp"

namespace heddle::support {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
}

/// The word behind `name=` in what route_check prints.
std::string value_of(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + "=");
  if (at == std::string::npos) throw std::runtime_error("no " + name + " in:\n" + text);
  const std::size_t begin = at + name.size() + 1;
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string out;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    out.append(buffer.data(), got);
  }
  return out;
}

}  // namespace

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << fmt::format(
      "pairs={} unreachable={} looping={} longest_hops={} nonminimal_pairs={} extra_hops={} "
      "virtual_lanes={} dependency_cycle={}",
      counts.pairs, counts.unreachable, counts.looping, counts.longest_hops,
      counts.nonminimal_pairs, counts.extra_hops, counts.virtual_lanes, counts.dependency_cycle);
}

Files::Files(const Case& tried)
    : levels_(!tried.levels.empty()),
      maps_(tried.maps.has_value()),
      switch_lids_(tried.switch_lids),
      permutations_(tried.permutations) {
  make_folder();
  write(folder_ / "fabric", discovery::format_topology(tried.fabric));
  write(folder_ / "lfts", discovery::format_forwarding(tried.fabric, tried.tables));
  std::string levels;
  for (const discovery::PathLevel& path : tried.levels) discovery::append_path_level(levels, path);
  write(folder_ / "sl", levels);
  if (!tried.maps) return;
  std::string maps;
  for (const model::NodeIndex node : tried.fabric.switches()) {
    const model::NodeGuid guid = tried.fabric.node(node).guid;
    tried.maps->for_each(guid,
                         [&](model::PortNum in, model::PortNum out, const model::SlToVl& mapping) {
                           discovery::append_sl_to_vl(maps, {guid, in, out}, mapping);
                         });
  }
  write(folder_ / "sl2vl", maps);
}

Files::Files(const std::string& topology, const std::vector<std::string>& options) {
  make_folder();
  write(folder_ / "fabric", topology);
  std::vector<std::string> words{
      "route",       (folder_ / "fabric").string(), "--threads", "1",
      "--lfts-out",  (folder_ / "lfts").string(),   "--sl-out",  (folder_ / "sl").string(),
      "--sl2vl-out", (folder_ / "sl2vl").string()};
  words.insert(words.end(), options.begin(), options.end());
  std::ostringstream out;
  std::ostringstream err;
  cli::Console console{out, err, cli::Colour::kOff};
  if (cli::run_command(words, console) != cli::ExitCode::kBad) return;
  std::error_code ignored;  // no destructor runs
  std::filesystem::remove_all(folder_, ignored);
  throw std::runtime_error(err.str());
}

void Files::make_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "route_check.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

Files::~Files() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> Files::arguments() const {
  std::vector<std::string> words{(folder_ / "fabric").string(), (folder_ / "lfts").string()};
  if (levels_) words.insert(words.end(), {"--sl", (folder_ / "sl").string()});
  if (maps_) words.insert(words.end(), {"--sl2vl", (folder_ / "sl2vl").string()});
  if (switch_lids_) words.emplace_back("--switch-lids");
  return words;
}

Judged Files::outside() const {
  std::string command = ROUTE_CHECK;
  for (const std::string& word : arguments()) command += " '" + word + "'";
  const std::string text = output_of(fmt::format("{} --perms {}", command, permutations_));
  const auto number = [&](const std::string& name) { return std::stoull(value_of(text, name)); };
  Judged judged;
  judged.counts = {.pairs = number(" pairs"),
                   .unreachable = number("unreachable"),
                   .looping = number("looping"),
                   .longest_hops = number("longest_hops"),
                   .nonminimal_pairs = number("nonminimal_pairs"),
                   .extra_hops = number("extra_hops"),
                   .virtual_lanes = number("virtual_lanes"),
                   .dependency_cycle = value_of(text, "dependency_cycle") == "yes"};
  if (permutations_ != 0) {
    judged.scores = {
        .effective_bisection_bandwidth = std::stod(value_of(text, "effective_bisection_bandwidth")),
        .shift_max = number("shift_max"),
        .shift_mean = std::stod(value_of(text, "shift_mean"))};
  }
  return judged;
}

Judged Files::ours() const {
  std::vector<std::string> words{"check", "--json", "--permutations",
                                 fmt::format("{}", permutations_)};
  for (std::string& word : arguments()) words.push_back(std::move(word));
  std::ostringstream out;
  std::ostringstream err;
  cli::Console console{out, err, cli::Colour::kOff};
  if (cli::run_command(words, console) == cli::ExitCode::kBad) throw std::runtime_error(err.str());
  const boost::json::value answer = boost::json::parse(out.str());
  const auto number = [&](std::string_view name) {
    return answer.at(name).to_number<std::uint64_t>();
  };
  Judged judged;
  judged.counts = {.pairs = number("pairs"),
                   .unreachable = number("unreachable") + number("unconnected"),
                   .looping = number("looping"),
                   .longest_hops = number("longest_hops"),
                   .nonminimal_pairs = number("longer_than_shortest"),
                   .extra_hops = number("extra_hops"),
                   .virtual_lanes = answer.at("lanes_used").as_array().size(),
                   .dependency_cycle = !answer.at("cycle").as_array().empty()};
  judged.unconnected = number("unconnected");
  if (permutations_ != 0) {
    const boost::json::value& score = answer.at("score");
    judged.scores.effective_bisection_bandwidth =
        score.at("bisection_bandwidth_ratio").to_number<double>();
    judged.scores.shift_max = score.at("shift_max").to_number<std::uint64_t>();
    judged.scores.shift_mean = score.at("shift_mean_max").to_number<double>();
  }
  return judged;
}

}  // namespace heddle::support
