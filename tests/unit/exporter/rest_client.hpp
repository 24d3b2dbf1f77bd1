#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <string>

#include "exporter/rest.hpp"
#include "unit/exporter/sample_view.hpp"

namespace heddle::exporter::test {

inline Response get(const View& view, const std::string& target,
                    const std::vector<model::Event>& events = {}) {
  return handle({.method = "GET", .target = target, .if_none_match = {}}, view, events);
}

inline boost::json::value body_of(const Response& response) {
  return boost::json::parse(response.body);
}

/// The value of a header, empty where there is none.
inline std::string header(const Response& response, const std::string& name) {
  const auto found =
      std::ranges::find(response.headers, name, &std::pair<std::string, std::string>::first);
  return found == response.headers.end() ? std::string{} : found->second;
}

}  // namespace heddle::exporter::test
