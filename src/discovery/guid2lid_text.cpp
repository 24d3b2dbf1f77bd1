#include "discovery/guid2lid_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "discovery/operator_lines.hpp"

namespace heddle::discovery {

using model::Errc;
using model::fail;
using model::Lid;
using model::LidRange;

model::Result<model::LidsByPort> parse_guid2lid(std::string_view text, const std::string& file) {
  model::LidsByPort lids;
  const auto take = [&](LineScanner& in, std::uint32_t) -> model::Status {
    const std::optional<std::uint64_t> guid = in.hexadecimal();
    if (!guid) return fail(Errc::kInvalidInput, expected_at(in, "a port GUID"));
    LidRange range;
    for (Lid* const lid : {&range.first, &range.last}) {
      in.skip_blanks();
      const LineScanner before = in;
      const std::optional<std::uint64_t> value = in.hexadecimal();
      if (!value || *value == 0 || *value > model::kMaxUnicastLid.value()) {
        return fail(Errc::kInvalidInput, expected_at(before, "a LID from 0x0001 to 0xbfff"));
      }
      *lid = Lid{static_cast<std::uint16_t>(*value)};
    }
    in.skip_blanks();
    if (!in.at_end()) return fail(Errc::kInvalidInput, expected_at(in, "the end of the line"));
    if (!lids.emplace(model::PortGuid{*guid}, range).second) {
      return fail(Errc::kInvalidInput,
                  fmt::format("port {} stands here for the second time", model::PortGuid{*guid}));
    }
    return {};
  };
  if (model::Status read = for_each_statement(text, file, Comments::kWholeLines, take); !read) {
    return fail(std::move(read).error());
  }
  return lids;
}

}  // namespace heddle::discovery
