#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "discovery/line_scanner.hpp"
#include "model/result.hpp"

namespace heddle::discovery {

/// Where `#` begins a comment.
enum class Comments : std::uint8_t { kWholeLines, kAnywhere };

/// Reads files that operators write, a statement a line: calls `take(scanner, line number)`, which
/// returns a Status, for each line that says something, blanks before it skipped. The first error
/// ends the reading and gets its place.
template <class Take>
[[nodiscard]] model::Status for_each_statement(std::string_view text, const std::string& file,
                                               Comments comments, Take take) {
  LineReader lines(text);
  while (const std::optional<std::string_view> line = lines.next()) {
    LineScanner in(comments == Comments::kAnywhere ? line->substr(0, line->find('#')) : *line);
    in.skip_blanks();
    if (in.at_end() || in.starts_with("#")) continue;
    if (model::Status status = take(in, lines.number()); !status) {
      model::Error error = std::move(status).error();
      error.position = {file, lines.number()};
      return model::fail(std::move(error));
    }
  }
  return {};
}

}  // namespace heddle::discovery
