#include "exporter/metric_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "model/fabric.hpp"

namespace heddle::exporter {
namespace {

bool stays_as_it_is(char c) noexcept { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

}  // namespace

void append_label(std::string& labels, std::string_view name, std::string_view value) {
  if (labels.size() > 1) labels.push_back(',');
  labels.append(name);
  labels.append("=\"");
  if (std::ranges::all_of(value, stays_as_it_is)) {
    labels.append(value);
  } else {
    for (const char c : model::printable(value)) {
      if (c == '\\' || c == '"') labels.push_back('\\');
      labels.push_back(c);  // printable() leaves no line feed, the third that wants an escape
    }
  }
  labels.push_back('"');
}

void MetricWriter::family(std::string_view name, MetricType type, std::string_view help) {
  line_ = name;
  name_size_ = name.size();
  header_ = "# HELP ";
  header_.append(name).append(" ").append(help).append("\n# TYPE ").append(name);
  header_.append(type == MetricType::kCounter ? " counter\n" : " gauge\n");
}

template <class Write>
void MetricWriter::line(std::string_view labels, Write write) {
  constexpr std::size_t kLongestNumber = 32;
  if (!header_.empty()) {
    out_.append(header_);
    header_.clear();
  }
  ++series_;
  const std::size_t value_at = name_size_ + labels.size() + 2;
  if (line_.size() < value_at + kLongestNumber + 1) line_.resize(value_at + kLongestNumber + 1);
  char* const at = line_.data() + name_size_;
  std::memcpy(at, labels.data(), labels.size());
  std::memcpy(at + labels.size(), "} ", 2);
  char* const value = line_.data() + value_at;
  char* const end = write(value, value + kLongestNumber);
  *end = '\n';
  out_.append(line_.data(), static_cast<std::size_t>(end - line_.data()) + 1);
}

void MetricWriter::sample(std::string_view labels, std::uint64_t value) {
  line(labels, [value](char* first, char* last) { return std::to_chars(first, last, value).ptr; });
}

void MetricWriter::sample(std::string_view labels, double value) {
  line(labels, [value](char* first, char* last) { return std::to_chars(first, last, value).ptr; });
}

}  // namespace heddle::exporter
