#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace heddle::support {

/// Compares with the file; with HEDDLE_UPDATE_GOLDEN set it is written anew, to be read as a diff.
inline void expect_golden(const std::filesystem::path& file, const std::string& actual) {
  if (std::getenv("HEDDLE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file, std::ios::binary) << actual;
  }
  std::ifstream in(file, std::ios::binary);
  ASSERT_TRUE(in) << file;
  std::ostringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(actual, expected.str()) << file;
}

}  // namespace heddle::support
