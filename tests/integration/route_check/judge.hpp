#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "discovery/lane_text.hpp"
#include "model/fabric.hpp"
#include "model/fabric_tables.hpp"
#include "model/forwarding_tables.hpp"

/// One set of tables before two judges, tools/route_check and ours, through the same files.
namespace heddle::support {

/// What both count.
struct Counts {
  std::uint64_t pairs = 0;
  std::uint64_t unreachable = 0;  ///< those that no cabling connects included
  std::uint64_t looping = 0;
  std::uint64_t longest_hops = 0;
  std::uint64_t nonminimal_pairs = 0;
  std::uint64_t extra_hops = 0;
  std::uint64_t virtual_lanes = 0;
  bool dependency_cycle = false;
  bool operator==(const Counts&) const = default;
};
void PrintTo(const Counts& counts, std::ostream* out);

struct Case {
  const model::Fabric& fabric;
  const model::ForwardingTables& tables;
  std::vector<discovery::PathLevel> levels = {};
  std::optional<model::SlToVlTables> maps = std::nullopt;
  bool switch_lids = true;
  std::uint32_t permutations = 0;
};

struct Scores {
  double effective_bisection_bandwidth = 0;
  std::uint64_t shift_max = 0;
  double shift_mean = 0;
};

struct Judged {
  Counts counts;
  Scores scores;                  ///< with permutations
  std::uint64_t unconnected = 0;  ///< pairs that no cabling connects; by ours alone
};

/// The files of a case, in a folder of their own that goes with the object.
class Files {
 public:
  explicit Files(const Case& tried);
  /// The tables, levels and maps that `heddle route OPTIONS` writes for a topology text; throws
  /// what it says where it refuses.
  Files(const std::string& topology, const std::vector<std::string>& options);
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  [[nodiscard]] Judged outside() const;  ///< by tools/route_check
  [[nodiscard]] Judged ours() const;     ///< by `heddle check`

 private:
  void make_folder();
  [[nodiscard]] std::vector<std::string> arguments() const;

  std::filesystem::path folder_;
  bool levels_ = true;
  bool maps_ = true;
  bool switch_lids_ = true;
  std::uint32_t permutations_ = 0;
};

}  // namespace heddle::support
