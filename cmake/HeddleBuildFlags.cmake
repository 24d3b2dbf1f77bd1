# What every target of the project is compiled with; linked PRIVATE, so it never reaches users of the libraries.
add_library(heddle_build_flags INTERFACE)
add_library(heddle::build_flags ALIAS heddle_build_flags)

# GCC 12 takes a moved std::optional for uninitialised at -O2 (false alarm, GCC bug 80635 and others).
set(_gcc_only -Wduplicated-cond -Wlogical-op -Wuseless-cast -Wno-maybe-uninitialized)
target_compile_options(heddle_build_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align -Wdouble-promotion
  -Wformat=2 -Wimplicit-fallthrough
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:${_gcc_only}>
  $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)

if(HEDDLE_SANITIZE)
  target_compile_options(heddle_build_flags INTERFACE
    -fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(heddle_build_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE})
  # g++ 12 sees its own checks as part of expressions and warns of conversions that are not there; the
  # plain build warns of those that are.
  target_compile_options(heddle_build_flags INTERFACE -Wno-conversion -Wno-sign-conversion)
  # Asio's fences are no instructions that ThreadSanitizer knows, of which g++ warns; what they order
  # is also under mutexes.
  if(HEDDLE_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(heddle_build_flags INTERFACE -Wno-tsan)
  endif()
  if(HEDDLE_SANITIZE MATCHES "undefined")
    target_compile_options(heddle_build_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
# Invariants (HEDDLE_ASSERT) are checked in debug and sanitizer builds.
if(HEDDLE_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_definitions(heddle_build_flags INTERFACE HEDDLE_CHECK_INVARIANTS=1)
endif()
# libFuzzer is led by what it sees of the code under test: the libraries are instrumented too.
if(HEDDLE_BUILD_FUZZ)
  target_compile_options(heddle_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
