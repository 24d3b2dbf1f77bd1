#include <gmock/gmock.h>

#include "unit/exporter/rest_client.hpp"

namespace heddle::exporter::test {
namespace {

namespace json = boost::json;

const json::value& item_with(const json::value& list, const char* member, std::string_view text) {
  for (const json::value& item : list.as_array()) {
    if (item.at(member).as_string() == text) return item;
  }
  throw std::out_of_range(std::string(text));
}

json::value fabric_of(const View& view) { return body_of(get(view, "/v1/fabric")); }

TEST(RestFabric, CountsWhatThereIs) {
  const json::value body = fabric_of(sample_view());
  EXPECT_EQ(body.at("name").as_string(), "rail \"one\"");
  EXPECT_EQ(body.at("nodes").at("switch").as_int64(), 3);
  EXPECT_EQ(body.at("nodes").at("host_adapter").as_int64(), 4);
  EXPECT_EQ(body.at("nodes").at("aggregation_node").as_int64(), 2);
  EXPECT_EQ(body.at("nodes").at("unknown").as_int64(), 0);
  EXPECT_EQ(body.at("links").as_int64(), 11);
  EXPECT_EQ(body.at("links_by_rate").at("2xEDR").as_int64(), 1);
  EXPECT_EQ(body.at("links_by_rate").at("4xEDR").as_int64(), 10);
  EXPECT_EQ(body.at("ports_down").as_int64(), 1);
  EXPECT_EQ(body.at("stale_reason").as_string(), "the last sweep lost half of the fabric");
}

TEST(RestFabric, NamesBothEndsOfADegradedLink) {
  const json::value body = fabric_of(sample_view());
  const json::array& links = body.at("degraded_links").as_array();
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].at("a").at("name").as_string(), "spine");
  EXPECT_EQ(links[0].at("a").at("port").as_int64(), 2);
  EXPECT_EQ(links[0].at("b").at("name").as_string(), "leaf \"A\"");
  EXPECT_EQ(links[0].at("active_rate").as_string(), "2xEDR");
  EXPECT_EQ(links[0].at("expected_rate").as_string(), "4xEDR");
  EXPECT_EQ(links[0].at("against").as_string(), "supported");
}

TEST(RestFabric, TellsUnresolvedPeersDuplicateNamesAndMuteDevices) {
  const json::value body = fabric_of(sample_view());
  const json::value& peer = body.at("unresolved_peers").at(0);
  EXPECT_EQ(peer.at("at").at("name").as_string(), "leaf\\x0aB\\xff\\");
  EXPECT_EQ(peer.at("peer_guid").as_string(), "0x0000000000000999");
  EXPECT_EQ(peer.at("description").as_string(), "gone \"host\"");
  const json::array& names = body.at("duplicate_names").as_array();
  ASSERT_EQ(names.size(), 1U) << "SHARP nodes are all called the same";
  EXPECT_EQ(names[0].at("nodes").as_array().size(), 2U);
  EXPECT_EQ(body.at("sweep").at("mute").at(0).at("behind").at("port").as_int64(), 6);
}

TEST(RestFabric, SaysHowManyTablesWereRead) {
  View view = sample_view();
  const json::value tables = fabric_of(view).at("tables");
  EXPECT_EQ(tables.at("switches_known").as_int64(), 2);
  EXPECT_EQ(tables.at("switches").as_int64(), 3);
  EXPECT_EQ(tables.at("sl_to_vl_tables").as_int64(), 10);
  EXPECT_EQ(tables.at("partition_tables").as_int64(), 2);
  view.tables = nullptr;
  EXPECT_TRUE(fabric_of(view).at("tables").is_null());
}

TEST(RestNode, TablesThatWereReadAreServed) {
  const View view = sample_view();
  const json::value spine = body_of(get(view, "/v1/nodes/0x10"));
  EXPECT_EQ(spine.at("forwarding"), json::parse(R"({"known":true,"top_lid":6,"entries":4})"));
  EXPECT_EQ(spine.at("sl_to_vl"), json::parse(R"({"mappings":9,"distinct":2})"));
  const json::value full = body_of(get(view, "/v1/nodes/0x10?lfts=true&sl2vl=true"));
  EXPECT_EQ(full.at("forwarding").at("lfts"),
            json::parse(R"([{"lid":1,"port":0},{"lid":2,"port":1},{"lid":4,"port":2},
                            {"lid":6,"port":3}])"));
  EXPECT_EQ(full.at("sl_to_vl").at("sl2vl").as_array().size(), 9U);
  EXPECT_EQ(full.at("sl_to_vl").at("sl2vl").at(3),
            json::parse(R"({"in":2,"out":1,"vls":[0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1]})"));
  const json::value host = body_of(get(view, "/v1/nodes/0x100"));
  EXPECT_EQ(host.at("ports").at(0).at("partitions"), json::parse(R"(["0xffff","0x0012"])"));
  EXPECT_EQ(host.at("ports").at(1).at("partitions"), json::array());
}

TEST(RestNode, TablesThatWereNotReadAreNull) {
  View view = sample_view();
  EXPECT_EQ(body_of(get(view, "/v1/nodes/0x20?lfts=true")).at("forwarding"),
            json::parse(R"({"known":false,"top_lid":null,"entries":null})"));
  EXPECT_EQ(body_of(get(view, "/v1/nodes/0x21")).at("forwarding"),
            json::parse(R"({"known":true,"top_lid":null,"entries":0})"));
  EXPECT_TRUE(body_of(get(view, "/v1/nodes/0x21")).at("sl_to_vl").is_null());
  EXPECT_TRUE(body_of(get(view, "/v1/nodes/0x100")).at("forwarding").is_null());
  EXPECT_TRUE(body_of(get(view, "/v1/nodes/0x101")).at("ports").at(0).at("partitions").is_null());
  view.tables = nullptr;
  EXPECT_TRUE(body_of(get(view, "/v1/nodes/0x10?lfts=true")).at("forwarding").is_null());
}

TEST(RestNode, TablesOfAnEarlierSnapshotAreFoundByGuid) {
  View view = sample_view();
  View later = view_of(row_of_switches(2, 1));
  later.tables = view.tables;
  EXPECT_TRUE(body_of(get(later, "/v1/nodes/0x1000")).at("forwarding").is_null())
      << "a switch that was not there when the tables were read";
}

TEST(RestFabric, KnowsNoSubnetManagersUntilTheyHaveBeenRead) {
  View view = sample_view();
  EXPECT_EQ(fabric_of(view).at("subnet_managers").at(0).at("state").as_string(), "master");
  view.tables = nullptr;
  EXPECT_TRUE(fabric_of(view).at("subnet_managers").is_null());
}

TEST(RestStatus, TellsOfJobsWhatIsKnown) {
  const json::value body = body_of(get(sample_view(), "/v1/status"));
  EXPECT_EQ(body.at("uptime_seconds").as_int64(), 3600);
  const json::value& never = item_with(body.at("jobs"), "name", "tables");
  EXPECT_TRUE(never.at("last_completed_at").is_null());
  const json::value& failed = item_with(body.at("jobs"), "name", "topology");
  EXPECT_EQ(failed.at("last_error").as_string(), "port 1 of mlx5_0 is gone");
  EXPECT_EQ(failed.at("last_duration_seconds").as_double(), 1.234);
}

TEST(RestLink, GivesRatesOfBothDirectionsFromWhicheverEndKnowsThem) {
  const json::value body = body_of(get(sample_view(), "/v1/links"));
  const json::value& link = item_with(body.at("items"), "id", "0x0000000000000020/3");
  EXPECT_EQ(link.at("a_to_b_bytes_per_second").to_number<double>(), 2e9);
  EXPECT_EQ(link.at("b_to_a_bytes_per_second").to_number<double>(), 1e9)
      << "the host's counters are not known, the switch's reception is";
  const json::value& half = item_with(body.at("items"), "id", "0x0000000000000010/3");
  EXPECT_EQ(half.at("a_to_b_bytes_per_second").to_number<double>(), 5e8);
  EXPECT_TRUE(half.at("b_to_a_bytes_per_second").is_null());
}

TEST(RestLink, TellsErrorsThatAreNotZeroAndNoWaiting) {
  const json::value body = body_of(get(sample_view(), "/v1/links"));
  const json::value& link = item_with(body.at("items"), "id", "0x0000000000000020/3");
  const json::value& errors = link.at("a").at("errors");
  EXPECT_EQ(errors.as_array().size(), 4U);
  EXPECT_EQ(item_with(errors, "counter", "symbol_errors").at("value").as_string(), "65535");
  EXPECT_TRUE(item_with(errors, "counter", "symbol_errors").at("at_least").as_bool());
  EXPECT_FALSE(item_with(errors, "counter", "xmit_discards").at("at_least").as_bool());
  EXPECT_TRUE(link.at("b").at("errors").as_array().empty());
}

TEST(RestPort, CountsDataInBytesAndNeverLosesDigits) {
  const json::value body = body_of(get(sample_view(), "/v1/ports/0x20/3"));
  const json::value& data = item_with(body.at("counters"), "counter", "xmit_data");
  EXPECT_EQ(data.at("unit").as_string(), "bytes");
  EXPECT_EQ(data.at("value").as_string(), "140000000000") << "(0x20 + 3) * 10^9 words of four";
  const json::value& wait = item_with(body.at("counters"), "counter", "xmit_wait");
  EXPECT_EQ(wait.at("value").as_string(), "18446744073709551615");
  EXPECT_EQ(wait.at("unit").as_string(), "ticks");
  EXPECT_EQ(body.at("wait_tick").as_int64(), 7);
  EXPECT_EQ(body.at("counter_resets").as_int64(), 2);
}

TEST(RestPort, DatesEachCounter) {
  const json::value body = body_of(get(sample_view(), "/v1/ports/0x21/2"));
  const json::value& data = item_with(body.at("counters"), "counter", "xmit_data");
  EXPECT_EQ(data.at("age_seconds").to_number<double>(), 600);
  EXPECT_EQ(data.at("read_at").as_string(), "2026-09-21T14:03:20.000Z");
}

TEST(RestPort, HasNoCountersWhereItWasNeverRead) {
  const json::value body = body_of(get(sample_view(), "/v1/ports/0x103/1"));
  EXPECT_TRUE(body.at("counters").as_array().empty());
  EXPECT_EQ(body.at("name").as_string(), "");
  EXPECT_EQ(body.at("peer").at("name").as_string(), "leaf\\x0aB\\xff\\");
}

TEST(RestPort, ShowsTheHistoryWithGapsAsNull) {
  const json::value body = body_of(get(sample_view(), "/v1/ports/0x21/1"));
  const json::array& history = body.at("history").as_array();
  ASSERT_EQ(history.size(), 2U);
  EXPECT_LT(history[0].at("time").as_string(), history[1].at("time").as_string());
  EXPECT_TRUE(history[0].at("xmit_bytes_per_second").is_null());
  EXPECT_EQ(history[1].at("rcv_bytes_per_second").to_number<double>(), 5e8);
}

TEST(RestPort, FindsCountersAndHistoryOfAnEarlierSnapshotByIdentity) {
  const View before = sample_view();
  View after = view_of(row_of_switches(3, 2));
  EXPECT_TRUE(body_of(get(after, "/v1/ports/0x1000/1")).at("counters").as_array().empty());
  after.counters = before.counters;  // of a fabric with none of these nodes
  after.history = before.history;
  const json::value strange = body_of(get(after, "/v1/ports/0x1000/1"));
  EXPECT_TRUE(strange.at("counters").as_array().empty());
  EXPECT_TRUE(strange.at("history").as_array().empty());

  View again = sample_view();  // an equal fabric in other memory
  again.counters = before.counters;
  again.history = before.history;
  EXPECT_EQ(get(again, "/v1/ports/0x20/3").body, get(before, "/v1/ports/0x20/3").body);
  EXPECT_EQ(get(again, "/v1/links").body, get(before, "/v1/links").body);
}

TEST(RestNode, ListsItsPortsWithTheirPeers) {
  const json::value body = body_of(get(sample_view(), "/v1/nodes/0x20"));
  EXPECT_EQ(body.at("node").at("links").as_int64(), 5);
  EXPECT_EQ(body.at("node").at("lid").as_int64(), 2);
  const json::array& ports = body.at("ports").as_array();
  ASSERT_EQ(ports.size(), 7U) << "the management port too";
  EXPECT_EQ(ports[3].at("peer").at("guid").as_string(), "0x0000000000000100");
  EXPECT_EQ(ports[3].at("link").as_string(), "0x0000000000000020/3");
  EXPECT_EQ(ports[6].at("state").as_string(), "down");
  EXPECT_TRUE(ports[6].at("peer").is_null());
}

}  // namespace
}  // namespace heddle::exporter::test
