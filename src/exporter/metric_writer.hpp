#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::exporter {

enum class MetricType : std::uint8_t { kCounter, kGauge };

/// Appends `name="value"` with a comma before it unless `labels` is the opening brace alone. The
/// value may hold any bytes: it is made printable, then escaped as text format 0.0.4 asks.
void append_label(std::string& labels, std::string_view name, std::string_view value);

/// Writes families of samples in Prometheus text format 0.0.4. A family without samples leaves no
/// trace.
class MetricWriter {
 public:
  /// Writes into the memory of `buffer`.
  explicit MetricWriter(std::string buffer = {}) : out_(std::move(buffer)) { out_.clear(); }

  /// Grown once to what is expected: half a million lines are copied often enough as it is.
  void reserve(std::size_t bytes) { out_.reserve(bytes); }

  /// The samples that follow belong to this family. `help` needs no escaping.
  void family(std::string_view name, MetricType type, std::string_view help);

  /// `labels` begins with a brace and is not closed: `{fabric="x",guid="0x…"`.
  void sample(std::string_view labels, std::uint64_t value);
  void sample(std::string_view labels, double value);

  [[nodiscard]] std::uint64_t series() const noexcept { return series_; }
  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  /// Puts the value's text, made by `write(first, last)`, behind name and labels.
  template <class Write>
  void line(std::string_view labels, Write write);

  std::string out_;
  std::string line_;  ///< begins with the family's name; each line is put together in it
  std::size_t name_size_ = 0;
  std::string header_;  ///< HELP and TYPE of the family, until its first sample
  std::uint64_t series_ = 0;
};

}  // namespace heddle::exporter
