#include "discovery/weights_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "discovery/operator_lines.hpp"

namespace heddle::discovery {

using model::Errc;
using model::fail;

model::Result<WeightsByPort> parse_weights(std::string_view text, const std::string& file) {
  constexpr std::uint64_t kFull = 100;
  WeightsByPort weights;
  const auto take = [&](LineScanner& in, std::uint32_t) -> model::Status {
    const model::Result<model::PortKey> key = model::parse_port_key(in.word());
    if (!key) return fail(Errc::kInvalidInput, key.error().text);
    in.skip_blanks();
    const LineScanner before = in;
    const std::optional<std::uint64_t> percent = in.decimal(kFull);
    in.skip_blanks();
    if (!percent || !in.at_end()) {
      return fail(Errc::kInvalidInput, expected_at(before, "a percentage from 0 to 100"));
    }
    if (!weights.emplace(*key, static_cast<std::uint8_t>(*percent)).second) {
      return fail(Errc::kInvalidInput,
                  fmt::format("port {} stands here for the second time", to_string(*key)));
    }
    return {};
  };
  if (model::Status read = for_each_statement(text, file, Comments::kWholeLines, take); !read) {
    return fail(std::move(read).error());
  }
  return weights;
}

}  // namespace heddle::discovery
