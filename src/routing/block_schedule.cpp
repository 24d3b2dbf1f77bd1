#include "routing/block_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "model/forwarding_tables.hpp"

namespace heddle::routing {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Lists of numbers by number, flat.
class Lists {
 public:
  template <class Key, class Value>
  Lists(std::size_t keys, std::span<const Precedence> all, Key key, Value value)
      : first_(keys + 1), values_(all.size()) {
    for (const Precedence& one : all) ++first_[key(one) + std::size_t{1}];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> fill = first_;
    for (const Precedence& one : all) values_[fill[key(one)]++] = value(one);
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t key) const noexcept {
    return std::span(values_).subspan(first_[key], first_[key + std::size_t{1}] - first_[key]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> values_;
};

class Scheduler {
 public:
  Scheduler(std::span<const ChangedEntry> changes, std::span<const Precedence> precedences,
            std::span<const std::uint8_t> last, std::span<const std::uint32_t> rounds);
  [[nodiscard]] BlockSchedule run() &&;

 private:
  struct Block {
    std::uint32_t first = 0;  ///< into order_
    std::uint32_t end = 0;
    std::uint32_t left = 0;    ///< entries that are not written
    std::uint32_t held = 0;    ///< of these those that wait
    bool may_be_last = false;  ///< has a change of the LID whose entries come last
  };

  void begin_round(std::uint32_t round);
  [[nodiscard]] bool written(std::uint32_t entry) const { return schedule_.step[entry] != kNone; }
  [[nodiscard]] bool free(std::uint32_t entry) const {
    return !written(entry) && waits_[entry] == 0;
  }
  void write_free(std::uint32_t block);
  void release(std::uint32_t entry);
  void end_step();
  void cut_circles();
  [[nodiscard]] std::uint32_t holder(std::uint32_t block) const;
  [[nodiscard]] std::size_t freed_by(std::uint32_t block) const;

  std::span<const ChangedEntry> changes_;
  std::span<const std::uint8_t> last_;
  std::span<const std::uint32_t> rounds_;
  Lists followers_;
  Lists leaders_;
  std::vector<std::uint32_t> waits_;
  // Of the round that is on:
  std::vector<std::uint32_t> order_;  ///< its entries in order of switch, then LID
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> written_now_;
  std::size_t ordinary_left_ = 0;  ///< blocks that others wait for to come last
  std::size_t entries_left_ = 0;
  BlockSchedule schedule_;
};

Scheduler::Scheduler(std::span<const ChangedEntry> changes, std::span<const Precedence> precedences,
                     std::span<const std::uint8_t> last, std::span<const std::uint32_t> rounds)
    : changes_(changes),
      last_(last),
      rounds_(rounds),
      followers_(
          changes.size(), precedences, [](const Precedence& p) { return p.first; },
          [](const Precedence& p) { return p.then; }),
      leaders_(
          changes.size(), precedences, [](const Precedence& p) { return p.then; },
          [](const Precedence& p) { return p.first; }),
      waits_(changes.size()),
      block_of_(changes.size()) {
  schedule_.step.assign(changes.size(), kNone);
  schedule_.by_block.resize(changes.size());
  std::iota(schedule_.by_block.begin(), schedule_.by_block.end(), 0U);
  std::ranges::sort(schedule_.by_block, {}, [&](std::uint32_t i) {
    return std::uint64_t{changes[i].sw.value()} << 16 | changes[i].lid.value();
  });
}

void Scheduler::begin_round(std::uint32_t round) {
  blocks_.clear();
  order_.clear();
  std::ranges::copy_if(schedule_.by_block, std::back_inserter(order_),
                       [&](std::uint32_t i) { return rounds_[i] == round; });
  entries_left_ = order_.size();
  const auto block_of = [this](std::uint32_t i) {
    return std::pair{changes_[i].sw, changes_[i].lid.value() / model::ForwardingTables::kBlockLids};
  };
  const auto marked =
      std::ranges::find_if(order_, [this](std::uint32_t entry) { return last_[entry] != 0; });
  const std::optional<model::Lid> last_lid =
      marked == order_.end() ? std::nullopt : std::optional(changes_[*marked].lid);
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || block_of(order_[i]) != block_of(order_[i - 1])) blocks_.push_back({.first = i});
    Block& block = blocks_.back();
    block.end = i + 1;
    block_of_[order_[i]] = static_cast<std::uint32_t>(blocks_.size() - 1);
    block.may_be_last = block.may_be_last || changes_[order_[i]].lid == last_lid;
  }
  ordinary_left_ = static_cast<std::size_t>(
      std::ranges::count_if(blocks_, [](const Block& block) { return !block.may_be_last; }));
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    block.left = block.end - block.first;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const std::uint32_t entry = order_[i];
      waits_[entry] = static_cast<std::uint32_t>(leaders_.of(entry).size());
      if (last_[entry] != 0 && ordinary_left_ != 0) ++waits_[entry];
      if (waits_[entry] != 0) ++block.held;
    }
    if (block.held == 0) ready_.push_back(b);
  }
}

/// Writes what nothing holds of a block; the others learn of it at the end of the step.
void Scheduler::write_free(std::uint32_t b) {
  Block& block = blocks_[b];
  for (std::uint32_t i = block.first; i < block.end; ++i) {
    const std::uint32_t entry = order_[i];
    if (!free(entry)) continue;
    schedule_.step[entry] = schedule_.steps;
    written_now_.push_back(entry);
    --block.left;
    --entries_left_;
  }
}

void Scheduler::release(std::uint32_t entry) {
  if (--waits_[entry] != 0) return;
  Block& block = blocks_[block_of_[entry]];
  if (--block.held == 0) ready_.push_back(block_of_[entry]);
}

void Scheduler::end_step() {
  const std::size_t ordinary_before = ordinary_left_;
  std::vector<std::uint32_t> finished;
  for (const std::uint32_t entry : written_now_) finished.push_back(block_of_[entry]);
  std::ranges::sort(finished);
  std::uint32_t previous = kNone;
  for (const std::uint32_t b : finished) {
    if (b != previous && blocks_[b].left == 0 && !blocks_[b].may_be_last) --ordinary_left_;
    previous = b;
  }
  for (const std::uint32_t entry : written_now_) {
    for (const std::uint32_t follower : followers_.of(entry)) release(follower);
  }
  if (ordinary_before != 0 && ordinary_left_ == 0) {
    for (const std::uint32_t entry : order_) {
      if (last_[entry] != 0) release(entry);
    }
  }
  written_now_.clear();
  ++schedule_.steps;
}

/// The block with the entry that nothing holds and that, through others, holds the first held entry
/// of this block; kNone if that only waits for all others to be done.
std::uint32_t Scheduler::holder(std::uint32_t b) const {
  const Block& block = blocks_[b];
  std::uint32_t entry = kNone;
  for (std::uint32_t i = block.first; i < block.end && entry == kNone; ++i) {
    const std::uint32_t at = order_[i];
    if (!written(at) && waits_[at] != 0) entry = at;
  }
  while (waits_[entry] != 0) {
    const auto leaders = leaders_.of(entry);
    const auto next =
        std::ranges::find_if(leaders, [this](std::uint32_t leader) { return !written(leader); });
    if (next == leaders.end()) return kNone;
    entry = *next;
  }
  return block_of_[entry];
}

std::size_t Scheduler::freed_by(std::uint32_t b) const {
  std::size_t freed = 0;
  for (std::uint32_t i = blocks_[b].first; i < blocks_[b].end; ++i) {
    const std::uint32_t entry = order_[i];
    if (free(entry)) freed += followers_.of(entry).size();
  }
  return freed;
}

/// Nothing is ready: of each circle of blocks that hold each other one is written in part.
void Scheduler::cut_circles() {
  enum class Mark : std::uint8_t { kUnseen, kOnPath, kDone };
  std::vector<Mark> marks(blocks_.size(), Mark::kUnseen);
  std::vector<std::uint32_t> to(blocks_.size(), kNone);
  std::vector<std::uint32_t> roots;
  std::vector<std::uint32_t> path;
  bool cut = false;
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].left == 0) continue;
    path.clear();
    std::uint32_t at = b;
    while (at != kNone && marks[at] == Mark::kUnseen) {
      marks[at] = Mark::kOnPath;
      path.push_back(at);
      to[at] = holder(at);
      if (to[at] == kNone) roots.push_back(at);
      at = to[at];
    }
    if (at != kNone && marks[at] == Mark::kOnPath) {
      const auto circle = std::ranges::find(path, at);
      write_free(*std::max_element(circle, path.end(), [this](std::uint32_t x, std::uint32_t y) {
        return freed_by(x) < freed_by(y);
      }));
      cut = true;
    }
    for (const std::uint32_t seen : path) marks[seen] = Mark::kDone;
  }
  if (cut) return;
  // What must come last holds all others: these blocks go without it.
  for (const std::uint32_t root : roots) {
    if (freed_by(root) == 0) continue;
    write_free(root);
    cut = true;
  }
  for (std::uint32_t b = 0; b < blocks_.size() && !cut; ++b) write_free(b);
}

BlockSchedule Scheduler::run() && {
  const std::uint32_t rounds = rounds_.empty() ? 0 : std::ranges::max(rounds_) + 1;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (begin_round(round); entries_left_ != 0; end_step()) {
      if (ready_.empty()) {
        cut_circles();
      } else {
        for (const std::uint32_t b : std::exchange(ready_, {})) write_free(b);
      }
    }
  }
  return std::move(schedule_);
}

}  // namespace

BlockSchedule schedule_blocks(std::span<const ChangedEntry> changes,
                              std::span<const Precedence> precedences,
                              std::span<const std::uint8_t> last,
                              std::span<const std::uint32_t> rounds) {
  return Scheduler(changes, precedences, last, rounds).run();
}

}  // namespace heddle::routing
