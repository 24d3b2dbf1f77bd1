#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::plugin {

/// A text of what a repair asked of OpenSM and what came back, a line each, for whoever wants to
/// replay it: `SECONDS WORD …`, seconds since 1970. Blocks are 128 hexadecimal digits. Flushed line
/// by line only where flush() says so.
class RepairJournal {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// One that writes nothing.
  RepairJournal() = default;
  /// Appends to the file.
  [[nodiscard]] static model::Result<RepairJournal> open(const std::string& path);

  [[nodiscard]] bool writes() const noexcept { return file_ != nullptr; }
  void line(std::string_view text) { line(text, std::chrono::system_clock::now()); }
  void line(std::string_view text, Time time);
  void block(std::string_view word, model::NodeGuid guid, std::uint16_t block,
             std::span<const std::uint8_t> entries, Time time);
  void block(std::string_view word, model::NodeGuid guid, std::uint16_t block,
             std::span<const std::uint8_t> entries) {
    this->block(word, guid, block, entries, std::chrono::system_clock::now());
  }
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace heddle::plugin
