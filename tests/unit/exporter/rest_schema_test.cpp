#include <gmock/gmock.h>

#include <set>

#include "exporter/openapi.hpp"
#include "exporter/rest_context.hpp"
#include "unit/exporter/rest_client.hpp"
#include "unit/exporter/schema_check.hpp"

namespace heddle::exporter::test {
namespace {

namespace json = boost::json;

const json::value& document() {
  static const json::value kDocument = json::parse(openapi_document());
  return kDocument;
}

/// What is wrong with the response by the document's schema for this path and status.
std::vector<std::string> errors_of(const std::string& path, const Response& response) {
  const json::object& responses =
      document().at("paths").at(path).at("get").at("responses").as_object();
  const json::value* declared = responses.if_contains(std::to_string(response.status));
  if (declared == nullptr) return {"status is not documented"};
  if (const json::value* reference = declared->as_object().if_contains("$ref")) {
    declared = &document().at_pointer(std::string_view(reference->as_string()).substr(1));
  }
  const json::value* content = declared->as_object().if_contains("content");
  if (content == nullptr)
    return response.body.empty() ? std::vector<std::string>{}
                                 : std::vector<std::string>{"has a body"};
  const json::value* form = content->as_object().if_contains(response.content_type);
  if (form == nullptr) return {"content type is not documented"};
  return schema_errors(document(), form->at("schema"), body_of(response));
}

struct Case {
  std::string path;
  std::string target;
  unsigned status = 200;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.target; }

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"/v1/fabric", "/v1/fabric"},
      {"/v1/fabric", "/v1/fabric?x", 400},
      {"/v1/status", "/v1/status"},
      {"/v1/nodes", "/v1/nodes"},
      {"/v1/nodes", "/v1/nodes?limit=2&kind=switch"},
      {"/v1/nodes", "/v1/nodes?limit=0", 400},
      {"/v1/nodes/{guid}", "/v1/nodes/0x20"},
      {"/v1/nodes/{guid}", "/v1/nodes/0x21"},
      {"/v1/nodes/{guid}", "/v1/nodes/0x10?lfts=true&sl2vl=true"},
      {"/v1/nodes/{guid}", "/v1/nodes/0x20?lfts=true&sl2vl=false"},
      {"/v1/nodes/{guid}", "/v1/nodes/0x100?sl2vl=true"},
      {"/v1/nodes/{guid}", "/v1/nodes/0x10?lfts=yes", 400},
      {"/v1/nodes/{guid}", "/v1/nodes/0x100"},
      {"/v1/nodes/{guid}", "/v1/nodes/0x999", 404},
      {"/v1/nodes/{guid}", "/v1/nodes/x", 400},
      {"/v1/links", "/v1/links"},
      {"/v1/links", "/v1/links?degraded=true"},
      {"/v1/links", "/v1/links?degraded=maybe", 400},
      {"/v1/ports/{guid}/{port}", "/v1/ports/0x20/3"},
      {"/v1/ports/{guid}/{port}", "/v1/ports/0x20/6"},
      {"/v1/ports/{guid}/{port}", "/v1/ports/0x20/0"},
      {"/v1/ports/{guid}/{port}", "/v1/ports/0x21/6"},
      {"/v1/ports/{guid}/{port}", "/v1/ports/0x103/1"},
      {"/v1/ports/{guid}/{port}", "/v1/ports/0x20/77", 404},
      {"/v1/ports/{guid}/{port}", "/v1/ports/0x20/x", 400},
      {"/v1/routing", "/v1/routing"},
      {"/v1/routing", "/v1/routing?x=1", 400},
      {"/v1/events", "/v1/events"},
      {"/v1/events", "/v1/events?limit=1"},
      {"/v1/events", "/v1/events?kind=x", 400},
      {"/healthz", "/healthz"},
      {"/healthz", "/healthz?x", 400},
      {"/readyz", "/readyz"},
      {"/openapi.json", "/openapi.json"},
  };
  return kCases;
}

class RestSchema : public testing::TestWithParam<Case> {};

TEST_P(RestSchema, IsKeptByTheAnswer) {
  const Response response = get(sample_view(), GetParam().target, sample_events());
  EXPECT_EQ(response.status, GetParam().status);
  EXPECT_THAT(errors_of(GetParam().path, response), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, RestSchema, testing::ValuesIn(cases()));

TEST(RestSchemas, AreKeptBeforeTheFirstSweep) {
  const View view = empty_view();
  for (const char* path :
       {"/v1/fabric", "/v1/status", "/v1/nodes", "/v1/links", "/v1/events", "/readyz"}) {
    EXPECT_THAT(errors_of(path, get(view, path)), testing::IsEmpty()) << path;
  }
  EXPECT_THAT(errors_of("/v1/ports/{guid}/{port}", get(view, "/v1/ports/1/1")), testing::IsEmpty());
}

TEST(RestSchemas, AreKeptWithoutCountersTablesOrHistory) {
  View view = sample_view();
  view.counters = nullptr;
  view.tables = nullptr;
  view.history.clear();
  for (const Case& c : cases()) {
    EXPECT_THAT(errors_of(c.path, get(view, c.target)), testing::IsEmpty()) << c.target;
  }
}

TEST(RestSchemas, HaveACaseForEveryPathServed) {
  std::set<std::string> covered;
  for (const Case& c : cases()) covered.insert(c.path);
  for (const Route& route : routes()) EXPECT_TRUE(covered.contains(std::string(route.path)));
}

TEST(RestSchemas, DocumentExactlyTheRoutesAndTheMetrics) {
  std::set<std::string> served{"/metrics"};
  for (const Route& route : routes()) served.emplace(route.path);
  std::set<std::string> documented;
  for (const auto& path : document().at("paths").as_object()) documented.emplace(path.key());
  EXPECT_EQ(served, documented);
}

/// Every documented parameter is taken, with a value that its schema allows.
TEST(RestSchemas, DocumentOnlyParametersThatAreTaken) {
  for (const auto& [path, item] : document().at("paths").as_object()) {
    const json::value* parameters = item.at("get").as_object().if_contains("parameters");
    if (parameters == nullptr) continue;
    for (const json::value& parameter : parameters->as_array()) {
      if (parameter.at("in").as_string() != "query") continue;
      const std::string name(parameter.at("name").as_string());
      const json::value without_value = body_of(get(sample_view(), std::string(path) + "?" + name));
      if (const json::value* detail = without_value.as_object().if_contains("detail")) {
        EXPECT_EQ(std::string(detail->as_string()).find("not known here"), std::string::npos)
            << path << " " << name;
      }
    }
  }
}

TEST(SchemaCheck, FindsWhatIsWrong) {
  const json::value schema = json::parse(
      R"({"type":"object","required":["a"],"additionalProperties":false,"properties":{
          "a":{"type":["integer","null"],"minimum":1},
          "b":{"anyOf":[{"$ref":"#/s"},{"type":"null"}]},
          "c":{"type":"array","items":{"type":"string","pattern":"^x","enum":["x1"]}}}})");
  const json::value root = json::parse(R"({"s":{"type":"string","format":"date-time"}})");
  const auto errors = [&](const char* text) {
    return schema_errors(root, schema, json::parse(text)).size();
  };
  EXPECT_EQ(errors(R"({"a":1,"b":null,"c":["x1"]})"), 0U);
  EXPECT_EQ(errors(R"({"a":null,"b":"2026-01-01T00:00:00.000Z"})"), 0U);
  EXPECT_EQ(errors(R"({})"), 1U);
  EXPECT_EQ(errors(R"({"a":0})"), 1U);
  EXPECT_EQ(errors(R"({"a":1.5})"), 1U);
  EXPECT_EQ(errors(R"({"a":1,"b":"noon"})"), 1U);
  EXPECT_EQ(errors(R"({"a":1,"c":["y"]})"), 2U);
  EXPECT_EQ(errors(R"({"a":1,"d":1})"), 1U);
  EXPECT_EQ(errors(R"([])"), 1U);
  EXPECT_EQ(schema_errors(root, json::parse(R"({"oneOf":[]})"), nullptr).size(), 1U);
}

}  // namespace
}  // namespace heddle::exporter::test
