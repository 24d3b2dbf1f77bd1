#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::exporter::test {

/// One sample of a metrics body, its label values unescaped.
struct Sample {
  std::string name;
  std::map<std::string, std::string> labels;
  std::string value;
};

/// A metrics body read back by the rules of text format 0.0.4, line by line.
struct Exposition {
  std::vector<Sample> samples;
  std::map<std::string, std::string> types;  ///< by family
  std::vector<std::string> errors;           ///< what breaks the format, or a family in two places

  /// Samples of a family, in order.
  [[nodiscard]] std::vector<Sample> of(std::string_view name) const;
  /// The value of the one sample with these labels among others; empty where there is none.
  [[nodiscard]] std::string value(std::string_view name,
                                  const std::map<std::string, std::string>& labels) const;
};

[[nodiscard]] Exposition read_exposition(std::string_view body);

}  // namespace heddle::exporter::test
