#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "discovery/table_sweep.hpp"
#include "unit/discovery/simulated_subnet.hpp"

/// Reading the tables of a simulated subnet.
namespace heddle::discovery {

inline model::PortNum number(std::size_t value) {
  return model::PortNum{static_cast<std::uint8_t>(value)};
}

/// Rows that differ in each entry, so that a block or row in the wrong place shows.
inline model::ForwardingTables some_tables(const model::Fabric& fabric, std::uint16_t top) {
  model::ForwardingTables tables(fabric.switches().size(), model::Lid{top});
  for (std::uint32_t sw = 0; sw < tables.switch_count(); ++sw) {
    const auto row = tables.row(model::SwitchIndex{sw});
    for (std::size_t lid = 1; lid < row.size(); ++lid) {
      row[lid] = static_cast<std::uint8_t>((lid * 7 + sw * 3) % 254);
    }
    tables.mark_known(model::SwitchIndex{sw});
  }
  return tables;
}

inline TablePlan everything(const SweepOutcome& outcome) {
  return plan_tables(outcome, nullptr, nullptr, 0, 0);
}

inline model::Result<std::shared_ptr<const model::FabricTables>> read(
    SimulatedSubnet& subnet, const SweepOutcome& outcome, const TablePlan& plan,
    std::shared_ptr<const model::FabricTables> previous = nullptr) {
  TableSweep sweep(subnet.engine, {}, outcome, plan, std::move(previous));
  model::Result<std::shared_ptr<const model::FabricTables>> result =
      model::fail(model::Errc::kCancelled, "never called back");
  bool done = false;
  sweep.start([&](model::Result<std::shared_ptr<const model::FabricTables>> tables) {
    EXPECT_FALSE(done) << "called back twice";
    result = std::move(tables);
    done = true;
  });
  EXPECT_TRUE(subnet.run_until(done));
  return result;
}

inline std::shared_ptr<const model::FabricTables> tables_of(
    SimulatedSubnet& subnet, const SweepOutcome& outcome, const TablePlan& plan,
    std::shared_ptr<const model::FabricTables> previous = {}) {
  auto result = read(subnet, outcome, plan, std::move(previous));
  if (!result) throw std::runtime_error(result.error().text);
  return *result;
}

}  // namespace heddle::discovery
