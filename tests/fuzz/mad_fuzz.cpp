#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "mad/mad.hpp"
#include "mad/pma.hpp"
#include "mad/smp.hpp"

/// Every decoder over arbitrary bytes of one MAD. What a structure holds must also survive the way
/// to the wire and back.
namespace {

using namespace heddle::mad;

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Info>
void expect_stable(const Info& info, Info (*read)(SmpData) noexcept) {
  MadBytes bytes{};
  to_wire(info, smp_data(bytes));
  require(read(smp_data(bytes)) == info);
}

void decode_subnet_management(const MadBytes& mad) {
  const SmpData data = smp_data(mad);
  const std::string description = node_description_from_wire(data);
  require(description.size() <= kSmpDataSize);
  const NodeInfo node = node_info_from_wire(data);
  static_cast<void>(kind_of(node, description));
  expect_stable(node, node_info_from_wire);
  expect_stable(switch_info_from_wire(data), switch_info_from_wire);
  expect_stable(sm_info_from_wire(data), sm_info_from_wire);
  expect_stable(vendor_extended_port_info_from_wire(data), vendor_extended_port_info_from_wire);
  const PortInfo port = port_info_from_wire(data);
  expect_stable(port, port_info_from_wire);
  const auto model_port = to_port(port, port.local_port);
  require(to_port(to_port_info(model_port), model_port.number) == model_port);
  MadBytes back{};
  sl_to_vl_to_wire(sl_to_vl_from_wire(data), smp_data(back));
  require(std::ranges::equal(smp_data(back).first<8>(), data.first<8>()));
  p_key_block_to_wire(p_key_block_from_wire(data), smp_data(back));
  require(std::ranges::equal(smp_data(back), data));
}

void decode_performance(const MadBytes& mad) {
  const GmpData data = gmp_data(mad);
  const ClassPortInfo caps = class_port_info_from_wire(data);
  for (const auto decode : {port_counters_from_wire, port_counters_extended_from_wire}) {
    heddle::model::CounterSample sample;
    decode(data, caps, sample);
    require(sample.readings().size() <= sample.storage.size());
  }
  heddle::model::CounterSample details;
  port_rcv_error_details_from_wire(data, details);
  port_xmit_discard_details_from_wire(data, details);
  require(details.readings().size() == 10);
  static_cast<void>(samples_control_tick_from_wire(data));
  static_cast<void>(port_select_from_wire(data));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  MadBytes mad{};
  std::copy_n(input, std::min(size, mad.size()), mad.begin());
  const Header header = header_from_wire(mad);
  static_cast<void>(describe_status(header.status));
  if (const auto route = route_from_wire(mad)) {
    MadBytes back{};
    route_to_wire(*route, back);
    require(route_from_wire(back) == route);
  }
  decode_subnet_management(mad);
  decode_performance(mad);
  return 0;
}
