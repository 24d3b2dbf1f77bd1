#include "daemon/config_documents.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace heddle::daemon {
namespace {

/// Takes nothing of a document but where it begins.
class DocumentStart final : public YAML::EventHandler {
 public:
  YAML::Mark mark;

  void OnDocumentStart(const YAML::Mark& start) override { mark = start; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}
};

}  // namespace

std::optional<DocumentProblem> document_problem(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentStart first;
  DocumentStart second;
  if (!parser.HandleNextDocument(first) || !parser.HandleNextDocument(second)) return std::nullopt;
  const std::uint32_t line =
      second.mark.line < 0 ? 1U : static_cast<std::uint32_t>(second.mark.line) + 1U;
  // yaml-cpp takes nothing of a comma or bracket that no document can begin with, and makes empty
  // documents of it without end; YAML::LoadAll never returns from that.
  if (second.mark.pos == first.mark.pos) {
    return DocumentProblem{line, "not YAML: no document begins like this"};
  }
  return DocumentProblem{line, "more than one YAML document"};
}

}  // namespace heddle::daemon
