#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "mad/pma.hpp"
#include "mad/smp.hpp"
#include "simulation/simulated_fabric.hpp"

/// MADs as a test asks them.
namespace heddle::simulation {

/// A modifier and an attribute of a subnet management question.
struct Question {
  std::uint16_t attribute;
  std::uint32_t modifier = 0;
};

[[nodiscard]] mad::MadBytes directed(std::initializer_list<std::uint8_t> exits, Question question,
                                     mad::Method method = mad::Method::kGet);
[[nodiscard]] mad::MadBytes lid_routed(Question question, mad::Method method = mad::Method::kGet);
[[nodiscard]] mad::MadBytes performance(std::uint16_t attribute, std::uint8_t port,
                                        mad::Method method = mad::Method::kGet);

/// The status of an answer; the test fails and gets 0xFFFF where there is none.
[[nodiscard]] std::uint16_t status_of(const std::optional<mad::MadBytes>& answer);

}  // namespace heddle::simulation
