#include "plugins/opensm/repair_journal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace heddle::plugin {

model::Result<RepairJournal> RepairJournal::open(const std::string& path) {
  RepairJournal journal;
  journal.file_.reset(std::fopen(path.c_str(), "ae"));
  if (!journal.file_) {
    return model::fail(model::Errc::kUnavailable,
                       fmt::format("repair_log={}: {}", path, std::strerror(errno)));
  }
  return journal;
}

void RepairJournal::line(std::string_view text, Time time) {
  if (!file_) return;
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  fmt::print(file_.get(), "{}.{:06} {}\n", micros / 1'000'000, micros % 1'000'000, text);
}

void RepairJournal::block(std::string_view word, model::NodeGuid guid, std::uint16_t block,
                          std::span<const std::uint8_t> entries, Time time) {
  if (!file_) return;
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{} {} {} ", word, guid, block);
  // By hand: there are tens of thousands of octets in a repair.
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::uint8_t port : entries) {
    text.push_back(kDigits[port >> 4U]);
    text.push_back(kDigits[port & 0xFU]);
  }
  line({text.data(), text.size()}, time);
}

void RepairJournal::flush() {
  if (file_) std::fflush(file_.get());
}

}  // namespace heddle::plugin
