#pragma once

#include <vector>

#include "plugins/abi/messages.hpp"

namespace heddle::abi::testing_support {

/// One of each kind, no member at its default.
inline std::vector<Message> one_of_each() {
  Hello hello;
  hello.version = 3;
  hello.instance = 0x0102030405060708;
  hello.process = 4711;
  hello.software = "libheddle.so in OpenSM";
  return {hello,
          Trap{1, 1, 2, 3, 128, 5, 6, 0x0002c90000000010, 8, 9},
          SweepStep{2, SweepStep::What::kReroutingDone},
          ManagerState{3, 3, 14, 0x0002c90300000011},
          PortCounters{4, 5, 6, PortCounters::What::kData, 7, {8, 9, 0xFFFFFFFFFFFFFFFF}},
          TableWrites{5, 6, 7, 8, 9, 10},
          RoutingRun{1, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "fat-tree", "why", "not"},
          LinkChange{1, 2, 1, 1, 3, 4, 5, 6},
          QueueState{1, 2, 3, 4, 5},
          Weights{7, 60000, {{1, 2, 0, 0}, {3, 4, 50, 1000}}},
          Note{8, 1, "fast repair: 1 cable"}};
}

}  // namespace heddle::abi::testing_support
