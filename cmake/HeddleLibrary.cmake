# heddle_library(NAME SOURCES … HEADERS … LINK … [PRIVATE_LINK …])
# One static library a room: heddle_NAME, alias heddle::NAME. LINK follows the arrows of ARCHITECTURE.md.
function(heddle_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINK;PRIVATE_LINK" ${ARGN})
  add_library(heddle_${name} STATIC ${ARG_SOURCES})
  add_library(heddle::${name} ALIAS heddle_${name})
  target_sources(heddle_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src
                 FILES ${ARG_HEADERS})
  target_compile_features(heddle_${name} PUBLIC cxx_std_20)
  set_target_properties(heddle_${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(heddle_${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK}
                        heddle::build_flags)
endfunction()

# heddle_unit_test(ROOM SOURCES … LINK …): one test program a room, its cases registered with ctest as `unit`.
function(heddle_unit_test room)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${room}_test ${ARG_SOURCES})
  set_target_properties(${room}_test PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${room}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${room}_test PRIVATE ${ARG_LINK} heddle_test_paths GTest::gmock_main heddle::build_flags)
  set(environment)
  if(HEDDLE_SHARED)
    set(environment ENVIRONMENT "HEDDLE_SHARED=${HEDDLE_SHARED}")
  endif()
  gtest_discover_tests(${room}_test TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS unit TIMEOUT 120 ${environment})
endfunction()
