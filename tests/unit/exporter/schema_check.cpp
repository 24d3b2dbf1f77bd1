#include "unit/exporter/schema_check.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <regex>
#include <string_view>

namespace heddle::exporter::test {
namespace {

namespace json = boost::json;

class Checker {
 public:
  explicit Checker(const json::value& document) : document_(document) {}

  void check(const json::object& schema, const json::value& value, const std::string& where) {
    for (const auto& [keyword, rule] : schema) {
      if (keyword == "description" || keyword == "default") continue;
      apply(schema, keyword, rule, value, where);
    }
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(errors_); }

 private:
  void wrong(const std::string& where, const std::string& what) {
    errors_.push_back(where + ": " + what);
  }

  void apply(const json::object& schema, std::string_view keyword, const json::value& rule,
             const json::value& value, const std::string& where) {
    if (keyword == "$ref") return check(referred(rule), value, where);
    if (keyword == "type") return check_type(rule, value, where);
    if (keyword == "enum") return check_enum(rule.as_array(), value, where);
    if (keyword == "anyOf") return check_any(rule.as_array(), value, where);
    if (keyword == "pattern") return check_pattern(rule, value, where);
    if (keyword == "format") return check_format(rule, value, where);
    if (keyword == "minimum" || keyword == "maximum") {
      return check_bound(keyword, rule, value, where);
    }
    if (keyword == "required") return check_required(rule.as_array(), value, where);
    if (keyword == "properties") return check_properties(rule.as_object(), value, where);
    if (keyword == "additionalProperties") return check_others(schema, rule, value, where);
    if (keyword == "items") return check_items(rule.as_object(), value, where);
    wrong(where, "keyword " + std::string(keyword) + " is not known to this checker");
  }

  const json::object& referred(const json::value& pointer) {
    const std::string_view text = pointer.as_string();
    return document_.at_pointer(text.substr(1)).as_object();  // without the #
  }

  static bool has_type(std::string_view type, const json::value& value) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_bool();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    return type == "number" && value.is_number();
  }

  void check_type(const json::value& rule, const json::value& value, const std::string& where) {
    const bool good = rule.is_string()
                          ? has_type(rule.as_string(), value)
                          : std::ranges::any_of(rule.as_array(), [&](const json::value& type) {
                              return has_type(type.as_string(), value);
                            });
    if (!good) wrong(where, "is not of type " + json::serialize(rule));
  }

  void check_enum(const json::array& words, const json::value& value, const std::string& where) {
    if (std::ranges::find(words, value) == words.end()) {
      wrong(where, json::serialize(value) + " is none of " + json::serialize(words));
    }
  }

  void check_any(const json::array& schemas, const json::value& value, const std::string& where) {
    std::string reasons;
    for (const json::value& schema : schemas) {
      Checker attempt(document_);
      attempt.check(schema.as_object(), value, where);
      const std::vector<std::string> errors = attempt.take();
      if (errors.empty()) return;
      reasons += " [" + errors.front() + "]";
    }
    wrong(where, "fits no alternative:" + reasons);
  }

  void check_pattern(const json::value& rule, const json::value& value, const std::string& where) {
    if (!value.is_string()) return;
    const std::string text(value.as_string());
    if (!std::regex_search(text, std::regex(std::string(rule.as_string())))) {
      wrong(where, "'" + text + "' does not match " + json::serialize(rule));
    }
  }

  void check_format(const json::value& rule, const json::value& value, const std::string& where) {
    if (rule.as_string() != "date-time") return wrong(where, "format not known to this checker");
    check_pattern(json::value(R"(^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$)"), value, where);
  }

  void check_bound(std::string_view keyword, const json::value& rule, const json::value& value,
                   const std::string& where) {
    if (!value.is_number()) return;
    const auto bound = rule.to_number<double>();
    const auto number = value.to_number<double>();
    const bool good = keyword == "minimum" ? number >= bound : number <= bound;
    if (!good) wrong(where, "is out of bounds");
  }

  void check_required(const json::array& names, const json::value& value,
                      const std::string& where) {
    if (!value.is_object()) return;
    for (const json::value& name : names) {
      if (!value.as_object().contains(name.as_string())) {
        wrong(where, "lacks " + json::serialize(name));
      }
    }
  }

  void check_properties(const json::object& properties, const json::value& value,
                        const std::string& where) {
    if (!value.is_object()) return;
    for (const auto& [name, member] : value.as_object()) {
      const auto rule = properties.find(name);
      if (rule != properties.end()) {
        check(rule->value().as_object(), member, where + "." + std::string(name));
      }
    }
  }

  void check_others(const json::object& schema, const json::value& rule, const json::value& value,
                    const std::string& where) {
    if (!value.is_object()) return;
    const json::value* const known = schema.if_contains("properties");
    for (const auto& [name, member] : value.as_object()) {
      if (known != nullptr && known->as_object().contains(name)) continue;
      if (rule.is_object()) {
        check(rule.as_object(), member, where + "." + std::string(name));
      } else if (!rule.as_bool()) {
        wrong(where, "has a member " + std::string(name) + " that is not documented");
      }
    }
  }

  void check_items(const json::object& schema, const json::value& value, const std::string& where) {
    if (!value.is_array()) return;
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      check(schema, value.as_array()[i], where + "[" + std::to_string(i) + "]");
    }
  }

  const json::value& document_;
  std::vector<std::string> errors_;
};

}  // namespace

std::vector<std::string> schema_errors(const json::value& document, const json::value& schema,
                                       const json::value& value) {
  Checker checker(document);
  checker.check(schema.as_object(), value, "$");
  return checker.take();
}

}  // namespace heddle::exporter::test
