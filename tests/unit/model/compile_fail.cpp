#include "model/ids.hpp"
#include "model/result.hpp"
#include "model/units.hpp"

using namespace heddle::model;

Result<int> answer() { return 1; }

int main() {
  [[maybe_unused]] const Lid lid{std::uint16_t{7}};
  [[maybe_unused]] const PortNum port{std::uint8_t{1}};
#if defined(CASE_kLidPlusPort)
  static_cast<void>(lid + port);
#elif defined(CASE_kNodeGuidAsPortGuid)
  const PortGuid guid = NodeGuid{std::uint64_t{1}};
#elif defined(CASE_kImplicitLid)
  const Lid implicit = 7;
#elif defined(CASE_kWordsPlusBytes)
  static_cast<void>(Words32(1) + Bytes(4));
#elif defined(CASE_kDroppedResult)
  answer();
#endif
  return answer().value() - 1;
}
