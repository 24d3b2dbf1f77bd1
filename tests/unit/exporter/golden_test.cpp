#include <gtest/gtest.h>

#include <string>

#include "exporter/prometheus.hpp"
#include "support/golden.hpp"
#include "support/paths.hpp"
#include "unit/exporter/rest_client.hpp"

namespace heddle::exporter::test {
namespace {

void expect_golden(const std::string& name, const std::string& actual) {
  support::expect_golden(support::checkout_path("tests/golden/exporter") / name, actual);
}

/// Lines broken after each member and item, for diffs that people can read.
std::string broken_into_lines(const std::string& json) {
  std::string out;
  std::string indent = "\n";
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"' && (i == 0 || json[i - 1] != '\\' || (i > 1 && json[i - 2] == '\\'))) {
      in_text = !in_text;
    }
    const bool closes = !in_text && (c == '}' || c == ']');
    if (closes) {
      indent.resize(indent.size() - 1);
      out += indent;
    }
    out += c;
    if (in_text) continue;
    if (c == '{' || c == '[') indent += ' ';
    if (c == '{' || c == '[' || c == ',') out += indent;
  }
  return out + "\n";
}

TEST(Golden, MetricsAsTreydockHasThem) {
  expect_golden("metrics-treydock.txt",
                render_metrics(sample_view(), Compatibility::kTreydock).body);
}

TEST(Golden, MetricsAsSckyzoHasThem) {
  expect_golden("metrics-sckyzo.txt", render_metrics(sample_view(), Compatibility::kSckyzo).body);
}

TEST(Golden, MetricsOfRouting) {
  expect_golden("metrics-routing.txt", render_routing_metrics(sample_view()));
}

TEST(Golden, MetricsBeforeTheFirstSweep) {
  expect_golden("metrics-empty.txt", render_metrics(empty_view(), Compatibility::kTreydock).body);
}

struct Answer {
  std::string name;
  std::string target;
};
class GoldenRest : public testing::TestWithParam<Answer> {};

TEST_P(GoldenRest, AnswerIsAsItWas) {
  const Response response = get(sample_view(), GetParam().target, sample_events());
  expect_golden("rest-" + GetParam().name + ".json", broken_into_lines(response.body));
}

INSTANTIATE_TEST_SUITE_P(
    All, GoldenRest,
    testing::Values(Answer{"fabric", "/v1/fabric"}, Answer{"status", "/v1/status"},
                    Answer{"nodes", "/v1/nodes?limit=4"}, Answer{"node", "/v1/nodes/0x21"},
                    Answer{"tables", "/v1/nodes/0x10?lfts=true&sl2vl=true"},
                    Answer{"links", "/v1/links"}, Answer{"port", "/v1/ports/0x20/3"},
                    Answer{"events", "/v1/events"}, Answer{"routing", "/v1/routing"},
                    Answer{"problem", "/v1/nodes?limit=0"}),
    [](const auto& answer) { return answer.param.name; });

}  // namespace
}  // namespace heddle::exporter::test
