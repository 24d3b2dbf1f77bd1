#pragma once

#include <cstdint>
#include <string_view>

#include "model/fabric.hpp"

/// Small fabrics by name. All ports of a cable are up at 4xHDR, LIDs are empty until assign_lids().
/// Nodes are ordered by GUID: hosts first, then switches tier by tier (generators.hpp).
namespace heddle::support {

//  host 0 ─1┐             ┌1─ host 2
//           leaf 0 ─3───3─ leaf 1
//  host 1 ─2┘             └2─ host 3
[[nodiscard]] model::Fabric two_switches();

//  spine 0 ─1─2─3─4     spine 1 ─1─2─3─4     leaf i: hosts 2i and 2i + 1 on ports 1, 2,
//           │ │ │ │              │ │ │ │             spines on 3, 4
//      leaf 0 1 2 3         leaf 0 1 2 3     8 hosts, 6 switches, 16 cables
[[nodiscard]] model::Fabric ft2_k4();

//   core 0   core 1   core 2   core 3            core c: pod i on port i + 1
//      ╲  ╲  ╱  ╱  …  every pod alike            spine s of a pod: leaves on 1, 2, cores s and s +
//      2
//    spine p-0  spine p-1      p = 0..3                            on 3, 4
//        │  ╲  ╱  │                              16 hosts, 20 switches, 48 cables
//     leaf 2p   leaf 2p+1
//      h  h       h  h
[[nodiscard]] model::Fabric ft3_k4();

//  As ft3_k4 with switches of 8 ports: 8 pods of 4 leaves and 4 spines, 16 cores,
//  128 hosts, 80 switches, 384 cables.
[[nodiscard]] model::Fabric ft3_k8();

//  ft3_k8 as far as somebody has bought it: 3 of 8 pods, so cores use 3 of their 8 ports; in pod 2
//  leaves 8 and 9 alone; one host instead of four on leaf 0, and none on leaf 7.
//
//                  pod 0            pod 1            pod 2
//     spine     0  1  2  3       4  5  6  7       8  9 10 11     every spine of a pod to every
//     leaf      0  1  2  3       4  5  6  7       8  9           leaf of it and to 4 cores
//     hosts     1  4  4  4       4  4  4  0       4  4
//                                33 hosts, 38 switches, 33 + 40 + 48 cables
[[nodiscard]] model::Fabric ft3_k8_partly();

//  leaf: 4 hosts, 2 uplinks (2:1)     spine: 3 leaves down, 3 cores up       3 pods of 3 leaves and
//                                                                           2 spines, 6 cores
//   core 0 2 4   core 1 3 5           core c: spine c mod 2 of pod i on port i + 1
//        │ ╲ …        │ ╲ …
//   spine p-0    spine p-1            36 hosts, 21 switches, 36 + 18 + 18 cables
//        │   ╲  ╱    │
//     leaf   leaf   leaf
//     hhhh   hhhh   hhhh
[[nodiscard]] model::Fabric ft3_oversubscribed();

//  spine 0 ─1─2─3─4     spine 1 ─1─2─3─4     As ft2_k4, but the cable from leaf 0 port 3 to
//           x │ │ │              │ │ │ │     spine 0 port 1 is gone.
//      leaf 0 1 2 3         leaf 0 1 2 3
[[nodiscard]] model::Fabric ft2_k4_missing_uplink();

//  spine 0 ─1─2─3─4─5─6─7─8     As spine 0, so spine 1. Leaf: 4 hosts on 1..4, spine 0 on 5 and 7,
//           │ │ │ │ │ │ │ │     spine 1 on 6 and 8
//      leaf 0 1 2 3 0 1 2 3     16 hosts, 6 switches, 32 cables
[[nodiscard]] model::Fabric ft2_k8_parallel2();

//      group 0 ─── group 1      9 groups of 4 routers, all to all within a group and, one cable a
//       │   ╲  ╳  ╱   │         pair, between groups
//      group 8 … group 2        router: hosts on 1, 2, its group on 3..5, global on 6, 7
//                               72 hosts, 36 routers, 72 + 54 + 36 cables
[[nodiscard]] model::Fabric df_a4h2p2();

//  As df_a4h2p2, but the only cable between group 0 and group 1 is gone:
//
//      group 0 ─x─ group 1
//       │   ╲  ╳  ╱   │
//      group 8 … group 2
[[nodiscard]] model::Fabric df_one_global_down();

//   spine g-0   spine g-1 ═══ to spines of the 2 other groups, 2 cables each spine
//       │  ╲  ╱  │            leaf: hosts on 1, 2, spines on 3, 4
//    leaf g-0  leaf g-1       spine: leaves on 1, 2, global on 3, 4
//      h h       h h          3 groups: 12 hosts, 12 switches, 12 + 12 + 6 cables
[[nodiscard]] model::Fabric dfp_g3();

//   super-spine 0   super-spine 1      2 groups; spine i of each meets super-spine i
//       │ ╲           ╱ │
//   spine g-0       spine g-1          each host's port 1 is on leaf g-0, port 2 on leaf g-1
//       │  ╲         ╱  │              4 hosts (8 ports), 10 switches, 8 + 8 + 4 cables
//    leaf g-0       leaf g-1
//       ╲╲── h h ────╱╱
[[nodiscard]] model::Fabric hybrid_two_homed();

/// The same fabric with LIDs in order of GUID from 1 on, one for each port of an adapter and for
/// port 0 of a switch; with `lmc` adapter ports get aligned ranges of 2^lmc.
[[nodiscard]] model::Fabric assign_lids(const model::Fabric& fabric, std::uint8_t lmc = 0);

/// The same fabric without the cable at `port`, both its ends down. `port` is cabled.
[[nodiscard]] model::Fabric without_cable(const model::Fabric& fabric, model::PortKey port);
/// The same fabric without that node and its cables.
[[nodiscard]] model::Fabric without_node(const model::Fabric& fabric, std::string_view name);

/// The same fabric in which the cable at `port` runs at another rate, `4xEDR` and so on.
[[nodiscard]] model::Fabric with_rate(const model::Fabric& fabric, model::PortKey port,
                                      std::string_view rate);

/// The node with that name. It exists.
[[nodiscard]] const model::Node& node_named(const model::Fabric& fabric, std::string_view name);
[[nodiscard]] model::PortKey port_at(const model::Fabric& fabric, std::string_view name,
                                     std::uint8_t port);

}  // namespace heddle::support
