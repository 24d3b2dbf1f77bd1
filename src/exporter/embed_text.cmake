# cmake -DINPUT=… -DOUTPUT=… -P embed_text.cmake: openapi.json as a C++ source file.
file(READ "${INPUT}" text)
if(text MATCHES "\\)openapi\"")
  message(FATAL_ERROR "${INPUT} holds the end mark of the raw string")
endif()
file(WRITE "${OUTPUT}" "#include \"exporter/openapi.hpp\"

namespace heddle::exporter {

std::string_view openapi_document() noexcept {
  static constexpr std::string_view kText = R\"openapi(${text})openapi\";
  return kText;
}

}  // namespace heddle::exporter
")
