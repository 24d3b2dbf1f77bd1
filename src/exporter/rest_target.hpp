#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporter/rest.hpp"
#include "model/result.hpp"

namespace heddle::exporter {

/// A request target taken apart and percent-decoded.
struct Target {
  std::string path;                                        ///< as sent, without the query
  std::vector<std::string> segments;                       ///< of the path: `/v1/nodes` has two
  std::vector<std::pair<std::string, std::string>> query;  ///< in the order sent
};

/// Fails on broken percent-encoding and on a path that does not begin with a slash.
[[nodiscard]] model::Result<Target> parse_target(std::string_view text);

/// Encodes all but unreserved characters (RFC 3986, section 2.3), `/`, `:` and `,`.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// problem() that names the query parameter at fault.
[[nodiscard]] Response parameter_problem(std::string_view parameter, std::string_view detail);

/// Reads the parameters that a path knows and keeps the first thing wrong with them; unknown and
/// repeated ones are wrong from the start. Refers to the target: it must outlive the reader.
class QueryReader {
 public:
  QueryReader(const Target& target, std::initializer_list<std::string_view> allowed);

  [[nodiscard]] std::optional<std::string_view> text(std::string_view name) const;
  [[nodiscard]] std::optional<model::NodeGuid> guid(std::string_view name);
  [[nodiscard]] std::optional<bool> flag(std::string_view name);
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name);
  /// GUID/PORT.
  [[nodiscard]] std::optional<model::PortKey> port(std::string_view name);
  /// `limit`: 1 to 1000, 100 if not given.
  [[nodiscard]] std::size_t limit();
  /// One of several words, by `parse`, which returns an optional.
  template <class Parse>
  [[nodiscard]] auto choice(std::string_view name, Parse parse) {
    const std::optional<std::string_view> word = text(name);
    auto chosen = word ? parse(*word) : decltype(parse(*word)){};
    if (word && !chosen) wrong(name, "is none of the values that this parameter takes");
    return chosen;
  }

  /// The problem to answer with, if anything was wrong.
  [[nodiscard]] const std::optional<Response>& error() const noexcept { return error_; }

 private:
  void wrong(std::string_view name, std::string_view what);

  const Target& target_;
  std::optional<Response> error_;
};

}  // namespace heddle::exporter
