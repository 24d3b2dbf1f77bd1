#include "support/paths.hpp"

namespace heddle::support {

std::filesystem::path checkout_path(std::string_view inside) {
  return std::filesystem::path(HEDDLE_CHECKOUT) / inside;
}

}  // namespace heddle::support
