// NAME_corpus FOLDER: feeds each file of a fuzz target's corpus to it once, without libFuzzer, so
// that the ordinary build tests what fuzzing has found.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void feed(const std::string& bytes) {
  // A block of exactly that size: reading past its end is seen by AddressSanitizer.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

int run(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (files.empty()) {
    fmt::print(stderr, "no inputs in {}\n", folder.string());
    return 1;
  }
  std::ranges::sort(files);
  feed("");
  for (const std::filesystem::path& file : files) {
    // Said before it is tried: a target that finds something aborts.
    fmt::print(stderr, "{}\n", file.filename().string());
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      fmt::print(stderr, "cannot be read\n");
      return 1;
    }
    feed({std::istreambuf_iterator<char>(in), {}});
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", arguments.empty() ? "corpus" : arguments[0]);
    return 2;
  }
  try {
    return run(arguments[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
