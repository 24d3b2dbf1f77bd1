#pragma once

#include <string_view>

namespace heddle::exporter {

/// config/openapi.json as it was when the library was built.
[[nodiscard]] std::string_view openapi_document() noexcept;

}  // namespace heddle::exporter
