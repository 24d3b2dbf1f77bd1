#include "questions.hpp"

#include <gtest/gtest.h>

namespace heddle::simulation {
namespace {

constexpr std::uint64_t kTransaction = 0x1234567890ABCDEFULL;

mad::MadBytes mad_of(mad::ManagementClass management_class, mad::Method method, Question question) {
  mad::MadBytes bytes{};
  mad::header_to_wire({.management_class = static_cast<std::uint8_t>(management_class),
                       .method = static_cast<std::uint8_t>(method),
                       .transaction_id = kTransaction,
                       .attribute = question.attribute,
                       .modifier = question.modifier},
                      bytes);
  return bytes;
}

}  // namespace

mad::MadBytes directed(std::initializer_list<std::uint8_t> exits, Question question,
                       mad::Method method) {
  mad::MadBytes bytes = mad_of(mad::ManagementClass::kSmpDirected, method, question);
  mad::DirectedRoute route;
  for (const std::uint8_t exit : exits) route = route.then(model::PortNum{exit});
  mad::route_to_wire(route, bytes);
  return bytes;
}

mad::MadBytes lid_routed(Question question, mad::Method method) {
  return mad_of(mad::ManagementClass::kSmpLid, method, question);
}

mad::MadBytes performance(std::uint16_t attribute, std::uint8_t port, mad::Method method) {
  mad::MadBytes bytes = mad_of(mad::ManagementClass::kPerformance, method, {attribute});
  mad::port_select_to_wire(model::PortNum{port}, mad::gmp_data(bytes));
  return bytes;
}

std::uint16_t status_of(const std::optional<mad::MadBytes>& answer) {
  EXPECT_TRUE(answer.has_value()) << "no answer";
  return answer ? mad::header_from_wire(*answer).status : std::uint16_t{0xFFFF};
}

}  // namespace heddle::simulation
