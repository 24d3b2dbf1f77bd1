#pragma once

#include <optional>
#include <string>

#include "model/fabric.hpp"
#include "model/result.hpp"

namespace heddle::plugin {

/// The file of what was once there: the text that `heddle route --slots` reads and writes. Errors
/// name the file.
class PlacesFile {
 public:
  explicit PlacesFile(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Where a file that is of no use is kept.
  [[nodiscard]] std::string aside() const { return path_ + ".bad"; }

  /// What it holds; nothing where there is no file. What cannot be routed is an error, too.
  [[nodiscard]] model::Result<std::optional<model::Fabric>> read() const;
  /// Moves it to aside(), in place of what is there. What is no plain file stays where it is: a
  /// folder, say, that the options name by mistake.
  [[nodiscard]] model::Status set_aside() const;
  /// Replaces it as a whole or not at all. A link stays, and what it points at is replaced.
  [[nodiscard]] model::Status write(const model::Fabric& fabric) const;

 private:
  std::string path_;
};

}  // namespace heddle::plugin
