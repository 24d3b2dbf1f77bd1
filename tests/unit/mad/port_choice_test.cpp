#include <gtest/gtest.h>

#include "mad/umad_ports.hpp"

namespace heddle::mad {
namespace {

LocalPort ib(std::string device, int number, bool active, bool link_up = true) {
  return {.device = device,
          .number = model::PortNum{static_cast<std::uint8_t>(number)},
          .link_layer = "InfiniBand",
          .active = active,
          .link_up = link_up,
          .guid = model::PortGuid{std::hash<std::string>{}(device)*16 +
                                  static_cast<std::uint64_t>(number)}};
}

LocalPort roce(std::string device) {
  LocalPort port = ib(device, 1, true);
  port.link_layer = "Ethernet";
  return port;
}

LocalPort iwarp(std::string device) {
  LocalPort port = ib(device, 1, true);
  port.is_channel_adapter = false;
  return port;
}

LocalPort without_guid(LocalPort port) {
  port.guid = {};
  return port;
}

LocalPort of_old_kernel(LocalPort port, std::string layer) {
  port.link_layer = std::move(layer);
  return port;
}

struct ChoiceCase {
  std::string name;
  std::vector<LocalPort> ports;
  PortChoice wanted;
  std::string chosen;  ///< `device/number`; empty: an error
  std::vector<std::string> error_mentions{};
};

class PortChoiceTest : public testing::TestWithParam<ChoiceCase> {};

TEST_P(PortChoiceTest, TakesThePortOrSaysWhyNot) {
  const auto& [name, ports, wanted, chosen, mentions] = GetParam();
  const auto result = choose_port(ports, wanted);
  if (chosen.empty()) {
    ASSERT_FALSE(result.has_value()) << result->device;
    for (const std::string& text : mentions) {
      EXPECT_NE(result.error().text.find(text), std::string::npos)
          << result.error().text << "\nlacks " << text;
    }
  } else {
    ASSERT_TRUE(result.has_value()) << result.error().text;
    EXPECT_EQ(result->device + "/" + std::to_string(result->number.value()), chosen);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, PortChoiceTest,
    testing::Values(
        ChoiceCase{"one_active", {ib("mlx5_0", 1, true)}, {}, "mlx5_0/1"},
        ChoiceCase{
            "one_that_waits_for_its_subnet_manager", {ib("mlx5_0", 1, false)}, {}, "mlx5_0/1"},
        ChoiceCase{"roce_active_and_infiniband_down",
                   {roce("mlx5_bond_0"), ib("mlx5_2", 1, false, false)},
                   {},
                   "mlx5_2/1"},
        ChoiceCase{"one_active_of_three",
                   {ib("mlx5_0", 1, false), ib("mlx5_1", 1, true), ib("mlx5_1", 2, false, false)},
                   {},
                   "mlx5_1/1"},
        ChoiceCase{"none_active_one_with_link",
                   {ib("mlx5_0", 1, false, false), ib("mlx5_1", 1, false, true)},
                   {},
                   "mlx5_1/1"},
        ChoiceCase{"two_active",
                   {ib("mlx5_0", 1, true), ib("mlx5_3", 1, true), roce("mlx5_4")},
                   {},
                   "",
                   {"mlx5_0/1", "mlx5_3/1", "name one"}},
        ChoiceCase{"two_with_links_none_active",
                   {ib("mlx5_0", 1, false), ib("mlx5_1", 1, false)},
                   {},
                   "",
                   {"mlx5_0/1", "mlx5_1/1"}},
        ChoiceCase{"only_ethernet", {roce("mlx5_0")}, {}, "", {"mlx5_0/1", "Ethernet"}},
        ChoiceCase{"only_iwarp", {iwarp("irdma0")}, {}, "", {"irdma0/1", "channel adapter"}},
        ChoiceCase{
            "iwarp_beside_infiniband", {iwarp("irdma0"), ib("mlx5_0", 1, true)}, {}, "mlx5_0/1"},
        ChoiceCase{"zero_guid", {without_guid(ib("mlx5_0", 1, true))}, {}, "", {"no GUID"}},
        ChoiceCase{
            "old_kernel_says_nothing", {of_old_kernel(ib("mthca0", 1, true), "")}, {}, "mthca0/1"},
        ChoiceCase{"old_kernel_as_libibumad_has_it",
                   {of_old_kernel(ib("mthca0", 1, true), "IB")},
                   {},
                   "mthca0/1"},
        ChoiceCase{"nothing", {}, {}, "", {"no RDMA device"}},
        ChoiceCase{"by_device",
                   {ib("mlx5_0", 1, true), ib("mlx5_1", 1, true)},
                   {.device = "mlx5_1"},
                   "mlx5_1/1"},
        ChoiceCase{"by_device_and_number",
                   {ib("mlx4_0", 1, true), ib("mlx4_0", 2, true)},
                   {.device = "mlx4_0", .number = model::PortNum{std::uint8_t{2}}},
                   "mlx4_0/2"},
        ChoiceCase{"by_guid",
                   {ib("mlx5_0", 1, true), ib("mlx5_1", 1, false)},
                   {.guid = ib("mlx5_1", 1, false).guid},
                   "mlx5_1/1"},
        ChoiceCase{"named_device_is_not_there",
                   {ib("mlx5_0", 1, true)},
                   {.device = "mlx5_9"},
                   "",
                   {"mlx5_9", "mlx5_0/1"}},
        ChoiceCase{"named_port_is_roce",
                   {roce("mlx5_0"), ib("mlx5_1", 1, true)},
                   {.device = "mlx5_0"},
                   "",
                   {"mlx5_0/1", "Ethernet"}}),
    [](const auto& machine) { return machine.param.name; });

}  // namespace
}  // namespace heddle::mad
