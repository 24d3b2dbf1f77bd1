#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::daemon {

struct DocumentProblem {
  std::uint32_t line = 1;
  std::string text;
};

/// What keeps `text` from being one YAML document at most, taken up to its end; nothing if it is.
/// Throws what yaml-cpp throws at a text that is not YAML.
[[nodiscard]] std::optional<DocumentProblem> document_problem(const std::string& text);

}  // namespace heddle::daemon
