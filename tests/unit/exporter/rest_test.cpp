#include "exporter/rest.hpp"

#include <gmock/gmock.h>

#include "exporter/openapi.hpp"
#include "unit/exporter/rest_client.hpp"

namespace heddle::exporter::test {
namespace {

TEST(Rest, AnswersUnknownPathsWithAProblemAndNotFound) {
  for (const char* target : {"/", "/v1", "/v1/", "/v1/fabric/", "/v2/fabric", "/v1/nodes/0x10/x",
                             "//v1/fabric", "/metrics", "/v1/ports/0x10"}) {
    const Response response = get(sample_view(), target);
    EXPECT_EQ(response.status, 404U) << target;
    EXPECT_EQ(response.content_type, "application/problem+json");
    EXPECT_EQ(body_of(response).at("status").as_int64(), 404) << target;
  }
}

TEST(Rest, RefusesMethodsThatChangeSomethingAndSaysWhichAreAllowed) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", ""}) {
    const Response response = handle({method, "/v1/fabric", {}}, sample_view(), {});
    EXPECT_EQ(response.status, 405U) << method;
    EXPECT_EQ(header(response, "Allow"), "GET, HEAD");
    EXPECT_EQ(response.content_type, "application/problem+json");
  }
}

TEST(Rest, AnswersHeadAsGet) {
  const View view = sample_view();
  const Response head = handle({"HEAD", "/v1/links", {}}, view, {});
  const Response body = get(view, "/v1/links");
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.body, body.body);
  EXPECT_EQ(header(head, "ETag"), header(body, "ETag"));
}

struct BadQuery {
  std::string target;
  std::string parameter;
};
class RestBadQuery : public testing::TestWithParam<BadQuery> {};

TEST_P(RestBadQuery, IsAProblemThatNamesTheParameter) {
  const Response response = get(sample_view(), GetParam().target, sample_events());
  EXPECT_EQ(response.status, 400U);
  EXPECT_EQ(response.content_type, "application/problem+json");
  const boost::json::value body = body_of(response);
  EXPECT_EQ(body.at("parameter").as_string(), GetParam().parameter);
  EXPECT_THAT(std::string(body.at("detail").as_string()), testing::HasSubstr(GetParam().parameter));
}

INSTANTIATE_TEST_SUITE_P(
    All, RestBadQuery,
    testing::Values(
        BadQuery{"/v1/fabric?x=1", "x"}, BadQuery{"/v1/status?limit=1", "limit"},
        BadQuery{"/v1/nodes?limit=0", "limit"}, BadQuery{"/v1/nodes?limit=1001", "limit"},
        BadQuery{"/v1/nodes?limit=-1", "limit"}, BadQuery{"/v1/nodes?limit=", "limit"},
        BadQuery{"/v1/nodes?limit=99999999999999999999999", "limit"},
        BadQuery{"/v1/nodes?kind=Switch", "kind"}, BadQuery{"/v1/nodes?kind=", "kind"},
        BadQuery{"/v1/nodes?after=zz", "after"},
        BadQuery{"/v1/nodes?kind=switch&kind=switch", "kind"},
        BadQuery{"/v1/nodes?degraded=true", "degraded"},
        BadQuery{"/v1/nodes/0x10?limit=1", "limit"}, BadQuery{"/v1/links?degraded=yes", "degraded"},
        BadQuery{"/v1/links?rate=9xEDR", "rate"}, BadQuery{"/v1/links?kind=switch", "kind"},
        BadQuery{"/v1/links?node=leaf", "node"}, BadQuery{"/v1/links?node=", "node"},
        BadQuery{"/v1/links?after=0x10", "after"}, BadQuery{"/v1/links?after=0x10/999", "after"},
        BadQuery{"/v1/ports/0x10/1?since=3", "since"}, BadQuery{"/v1/events?since=x", "since"},
        BadQuery{"/v1/events?after=-3", "after"}, BadQuery{"/v1/events?kind=link", "kind"},
        BadQuery{"/v1/events?node=0x", "node"}, BadQuery{"/v1/events?li%6Dit=0", "limit"},
        BadQuery{"/healthz?a", "a"}, BadQuery{"/readyz?a=", "a"},
        BadQuery{"/openapi.json?v=2", "v"}));

TEST(Rest, RefusesBrokenPercentEncoding) {
  for (const char* target :
       {"/v1/nodes?name=%", "/v1/nodes?name=%4", "/v1/nodes?%zz=1", "/v1/%g0"}) {
    EXPECT_EQ(get(sample_view(), target).status, 400U) << target;
  }
  EXPECT_EQ(get(sample_view(), "").status, 400U);
  EXPECT_EQ(get(sample_view(), "http://x/v1/fabric").status, 400U);
}

TEST(Rest, RefusesGuidsAndPortsThatAreNone) {
  for (const char* target :
       {"/v1/nodes/leaf", "/v1/nodes/0x", "/v1/nodes/11112222333344445", "/v1/ports/0x10/x",
        "/v1/ports/0x10/", "/v1/ports/0x10/255", "/v1/ports/zz/1", "/v1/ports/0x10/-1"}) {
    EXPECT_EQ(get(sample_view(), target).status, 400U) << target;
  }
}

TEST(Rest, SaysNotFoundOfNodesAndPortsThatTheFabricDoesNotHold) {
  for (const char* target :
       {"/v1/nodes/0x11", "/v1/ports/0x11/1", "/v1/ports/0x10/5", "/v1/ports/0x100/0"}) {
    EXPECT_EQ(get(sample_view(), target).status, 404U) << target;
  }
}

TEST(Rest, TakesGuidsWithOrWithoutTheirPrefixAndInAnyCase) {
  const View view = sample_view();
  const std::string expected = get(view, "/v1/nodes/0x0000000000000200").body;
  for (const char* target :
       {"/v1/nodes/0x200", "/v1/nodes/200", "/v1/nodes/0X200", "/v1/nodes/%30x200"}) {
    EXPECT_EQ(get(view, target).body, expected) << target;
  }
}

TEST(Rest, AnswersNotModifiedToTheCurrentTagOnly) {
  const View view = sample_view();
  const std::string tag = header(get(view, "/v1/links"), "ETag");
  ASSERT_THAT(tag, testing::MatchesRegex("\"[0-9a-f]{16}\""));
  const auto conditional = [&](const std::string& condition, const std::string& target) {
    return handle({"GET", target, condition}, view, {});
  };
  for (const std::string& condition : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const Response response = conditional(condition, "/v1/links");
    EXPECT_EQ(response.status, 304U) << condition;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(header(response, "ETag"), tag);
  }
  EXPECT_EQ(conditional("\"0\"", "/v1/links").status, 200U);
  EXPECT_EQ(conditional("", "/v1/links").status, 200U);
  EXPECT_EQ(conditional(tag, "/v1/links?limit=3").status, 200U);
  EXPECT_EQ(conditional(tag, "/v1/nodes").status, 200U);
}

TEST(Rest, AnyTagIsNoReasonToSayNotModifiedOfWhatIsNotThere) {
  const View view = sample_view();
  EXPECT_EQ(handle({"GET", "/v1/nodes/0x999", "*"}, view, {}).status, 404U);
  EXPECT_EQ(handle({"GET", "/v1/nodes?limit=0", "*"}, view, {}).status, 400U);
  EXPECT_EQ(handle({"GET", "/healthz", "*"}, view, {}).status, 200U);
}

/// A view whose parts are missing: what needs them cannot have been built.
TEST(Rest, NothingIsBuiltForAClientThatHasTheCurrentTag) {
  View view = sample_view();
  const std::string tag = header(get(view, "/v1/fabric"), "ETag");
  view.fabric = nullptr;
  view.summary = nullptr;
  EXPECT_EQ(handle({"GET", "/v1/fabric", tag}, view, {}).status, 304U);
}

TEST(Rest, ChangesTheTagWithGenerationStartAndEvents) {
  View view = sample_view();
  const auto tag = [&](const std::vector<model::Event>& events) {
    return header(get(view, "/v1/events", events), "ETag");
  };
  const std::string before = tag(sample_events());
  std::vector<model::Event> grown = sample_events();
  grown.push_back(grown.back());
  grown.back().sequence = 9;
  EXPECT_NE(tag(grown), before);
  view.generation++;
  EXPECT_NE(tag(sample_events()), before);
  view.generation--;
  view.started_at += std::chrono::seconds(1);
  EXPECT_NE(tag(sample_events()), before) << "generations begin anew after a restart";
}

TEST(Rest, GivesNoTagToProblemsAndProbes) {
  for (const char* target : {"/healthz", "/readyz", "/nowhere", "/v1/nodes?x=1"}) {
    EXPECT_EQ(header(get(sample_view(), target), "ETag"), "") << target;
  }
}

TEST(Rest, SaysWhyItIsNotReady) {
  View view = sample_view();
  EXPECT_EQ(get(view, "/readyz").status, 200U);
  view.ready = false;
  view.not_ready_reason = "tables are overdue";
  const Response response = get(view, "/readyz");
  EXPECT_EQ(response.status, 503U);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(body_of(response).at("detail").as_string(), "tables are overdue");
  EXPECT_EQ(get(view, "/healthz").status, 200U);
}

TEST(Rest, ServesTheDocumentedInterface) {
  const Response response = get(sample_view(), "/openapi.json");
  EXPECT_EQ(response.body, openapi_document());
  EXPECT_EQ(body_of(response).at("openapi").as_string(), "3.1.0");
}

}  // namespace
}  // namespace heddle::exporter::test
