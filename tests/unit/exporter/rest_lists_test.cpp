#include <gmock/gmock.h>

#include "unit/exporter/rest_client.hpp"

namespace heddle::exporter::test {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const json::value& body, const char* member) {
  std::vector<std::string> out;
  for (const json::value& item : body.at("items").as_array()) {
    out.emplace_back(item.at(member).as_string());
  }
  return out;
}

std::vector<std::string> link_ids(const std::string& query) {
  std::vector<std::string> out;
  for (const std::string& id : texts(body_of(get(sample_view(), "/v1/links?" + query)), "id")) {
    out.push_back(id.substr(id.find_first_not_of('0', 2)));
  }
  return out;
}

/// Follows Link headers from `target` on; the members of all items, and how many pages they came
/// on.
std::pair<std::vector<std::string>, std::size_t> walk(const View& view, std::string target,
                                                      const char* member) {
  std::vector<std::string> all;
  std::size_t pages = 0;
  while (!target.empty()) {
    const Response response = get(view, target);
    EXPECT_EQ(response.status, 200U) << target;
    const json::value body = body_of(response);
    for (std::string& text : texts(body, member)) all.push_back(std::move(text));
    ++pages;
    const std::string link = header(response, "Link");
    EXPECT_EQ(link.empty(), body.at("next").is_null());
    if (link.empty()) break;
    EXPECT_THAT(link, testing::MatchesRegex("<.*>; rel=\"next\""));
    target = link.substr(1, link.find('>') - 1);
  }
  return {all, pages};
}

class RestPaging : public testing::TestWithParam<std::size_t> {};

TEST_P(RestPaging, GivesEachItemOnceAndInOrder) {
  const View view = view_of(row_of_switches(40, 5));  // 240 nodes, 239 links
  const std::string limit = "limit=" + std::to_string(GetParam());
  const auto pages_for = [&](std::size_t items) { return (items + GetParam() - 1) / GetParam(); };
  const auto [nodes, node_pages] = walk(view, "/v1/nodes?" + limit, "guid");
  EXPECT_EQ(nodes, texts(body_of(get(view, "/v1/nodes?limit=1000")), "guid"));
  EXPECT_EQ(nodes.size(), 240U);
  EXPECT_EQ(node_pages, pages_for(240));
  EXPECT_TRUE(std::ranges::is_sorted(nodes));
  const auto [links, link_pages] = walk(view, "/v1/links?" + limit, "id");
  EXPECT_EQ(links, texts(body_of(get(view, "/v1/links?limit=1000")), "id"));
  EXPECT_EQ(links.size(), 239U);
  EXPECT_EQ(link_pages, pages_for(239));
}

INSTANTIATE_TEST_SUITE_P(Limits, RestPaging, testing::Values(1, 7, 100, 120, 239, 240, 1000));

TEST(RestLists, KeepTheFilterFromPageToPage) {
  const View view = view_of(row_of_switches(10, 3));
  const auto [guids, pages] = walk(view, "/v1/nodes?kind=switch&limit=4&name=swit%63h", "guid");
  EXPECT_EQ(guids.size(), 10U);
  EXPECT_EQ(pages, 3U);
}

TEST(RestLists, GoOnAfterACursorWhoseItemIsGone) {
  EXPECT_THAT(texts(body_of(get(sample_view(), "/v1/nodes?after=0x105&limit=1")), "guid"),
              ElementsAre("0x0000000000000200"));
  EXPECT_THAT(texts(body_of(get(sample_view(), "/v1/links?after=0x15/9&limit=1")), "id"),
              ElementsAre("0x0000000000000020/3"));
}

TEST(RestLists, HoldOneHundredItemsUnlessAskedOtherwise) {
  const View view = view_of(row_of_switches(40, 5));
  EXPECT_EQ(texts(body_of(get(view, "/v1/nodes")), "guid").size(), 100U);
}

TEST(RestLists, FilterNodesByKindAndPartOfTheName) {
  const View view = sample_view();
  const auto names = [&](const std::string& query) {
    return texts(body_of(get(view, "/v1/nodes?" + query)), "name");
  };
  EXPECT_THAT(names("kind=router"), ElementsAre("r\xC3\xBCter"));
  EXPECT_THAT(names("name=HCA-1&kind=host_adapter"),
              ElementsAre("host-1 HCA-1", "host-2 HCA-1", "host-2 HCA-1"));
  EXPECT_THAT(names("name=%22A%22"), ElementsAre("leaf \"A\""));
  EXPECT_THAT(names("name=%5Cx0aB"), ElementsAre("leaf\\x0aB\\xff\\"))
      << "as it is shown, not as it was sent";
  EXPECT_THAT(names("name=nobody"), IsEmpty());
  EXPECT_EQ(names("kind=aggregation_node").size(), 2U) << "same name, different GUIDs";
}

TEST(RestLists, FilterLinks) {
  EXPECT_THAT(link_ids("kind=switch-switch"), ElementsAre("10/1", "10/2", "10/3"));
  EXPECT_THAT(link_ids("kind=switch-router"), ElementsAre("21/5"));
  EXPECT_THAT(link_ids("kind=switch-aggregation"), ElementsAre("20/5", "21/4"));
  EXPECT_THAT(link_ids("kind=host-host"), IsEmpty());
  EXPECT_THAT(link_ids("kind=other"), IsEmpty());
  EXPECT_EQ(link_ids("kind=switch-host").size(), 5U);
  EXPECT_THAT(link_ids("degraded=true"), ElementsAre("10/2"));
  EXPECT_EQ(link_ids("degraded=false").size(), 10U);
  EXPECT_THAT(link_ids("rate=2xEDR"), ElementsAre("10/2"));
  EXPECT_THAT(link_ids("rate=unknown"), IsEmpty());
  EXPECT_THAT(link_ids("node=0x100"), ElementsAre("20/3", "20/4"));
  EXPECT_THAT(link_ids("node=10&rate=4xEDR&limit=1"), ElementsAre("10/1"));
}

TEST(RestLists, FilterEventsBySequenceKindAndEitherEnd) {
  const auto sequences = [](const std::string& query) {
    std::vector<std::int64_t> out;
    const Response response = get(sample_view(), "/v1/events?" + query, sample_events());
    const json::value body = body_of(response);
    for (const json::value& item : body.at("items").as_array()) {
      out.push_back(item.at("sequence").as_int64());
    }
    return out;
  };
  EXPECT_THAT(sequences(""), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(sequences("since=6"), ElementsAre(7, 8));
  EXPECT_THAT(sequences("since=6&after=7"), ElementsAre(8));
  EXPECT_THAT(sequences("kind=link_up"), ElementsAre(7));
  EXPECT_THAT(sequences("node=0x21"), ElementsAre(6, 8)) << "at the peer, at the node";
  EXPECT_THAT(sequences("limit=2"), ElementsAre(5, 6));
  EXPECT_THAT(sequences("since=99999"), IsEmpty());
}

TEST(RestLists, PageEventsBySequence) {
  const Response first = get(sample_view(), "/v1/events?limit=3", sample_events());
  EXPECT_EQ(body_of(first).at("next").as_string(), "7");
  EXPECT_EQ(header(first, "Link"), "</v1/events?limit=3&after=7>; rel=\"next\"");
}

TEST(RestEventFilter, IsReadFromTheTargetOfAStream) {
  const auto filter = parse_event_filter("/v1/events?since=6&node=0x21");
  ASSERT_TRUE(std::holds_alternative<EventFilter>(filter));
  std::vector<std::uint64_t> matching;
  for (const model::Event& event : sample_events()) {
    if (std::get<EventFilter>(filter).matches(event)) matching.push_back(event.sequence);
  }
  EXPECT_THAT(matching, ElementsAre(8U));
  const auto bad = parse_event_filter("/v1/events?kind=nothing");
  ASSERT_TRUE(std::holds_alternative<Response>(bad));
  EXPECT_EQ(std::get<Response>(bad).status, 400U);
}

TEST(RestEvents, AreOneLineEach) {
  const std::string text = event_json(sample_events()[1]);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(json::parse(text).at("text").as_string(), "\"leaf \"A\"\" port 6\\x0awent down \\xfe");
}

}  // namespace
}  // namespace heddle::exporter::test
