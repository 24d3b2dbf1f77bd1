#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace heddle::exporter::test {

/// What is wrong with `value` by a schema of an OpenAPI 3.1 document, one text each; empty if it is
/// right. Knows the keywords that config/openapi.json uses and reports any other as wrong.
[[nodiscard]] std::vector<std::string> schema_errors(const boost::json::value& document,
                                                     const boost::json::value& schema,
                                                     const boost::json::value& value);

}  // namespace heddle::exporter::test
