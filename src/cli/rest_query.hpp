#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"
#include "model/result.hpp"

namespace heddle::cli {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

/// `path?name=value&…`, values percent-encoded (RFC 3986, all but unreserved characters).
[[nodiscard]] std::string make_target(std::string_view path, const QueryParameters& parameters);

/// The object in a successful answer; else the problem's detail (RFC 9457) as an error.
[[nodiscard]] model::Result<boost::json::object> read_answer(const HttpAnswer& answer,
                                                             std::string_view target);

/// The client that the options ask for.
[[nodiscard]] model::Result<HttpClient> make_client(const ServerOptions& options);

[[nodiscard]] model::Result<boost::json::object> fetch(const HttpClient& client,
                                                       const std::string& target);

/// All items of a list, page by page.
[[nodiscard]] model::Result<boost::json::array> fetch_all(const HttpClient& client,
                                                          std::string_view path,
                                                          QueryParameters parameters);

}  // namespace heddle::cli
