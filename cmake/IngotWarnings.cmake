# Compiler flags for every target: warnings, floating point that is the same on each machine, sanitizers.
include_guard()

add_library(ingot_flags INTERFACE)
target_compile_options(ingot_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes
  -Wold-style-definition -Wvla -Wundef -Wcast-qual -Wcast-align -Wwrite-strings -Wformat=2 -Wimplicit-fallthrough
  -Wdouble-promotion -Wswitch-enum -Wpointer-arith -Wredundant-decls -Wnull-dereference
  -fno-common -ffp-contract=off -fno-math-errno "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(ingot_flags INTERFACE
    -Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wjump-misses-init)
elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
  target_compile_options(ingot_flags INTERFACE
    -Wcomma -Wunreachable-code-aggressive -Wconditional-uninitialized)
endif()
# Functions that nothing of the library calls (the reference interpreter is for tests) are left out at the link.
target_compile_options(ingot_flags INTERFACE -ffunction-sections -fdata-sections)
if(INGOT_WERROR)
  target_compile_options(ingot_flags INTERFACE -Werror)
endif()
# Build type "Sanitize": asserts on, quick enough to run every test; of debugging information the lines that traces show, which
# halves what the tests' programs take.
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1")
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE "")
set(CMAKE_SHARED_LINKER_FLAGS_SANITIZE "")
if(INGOT_SANITIZE)
  add_compile_options(-fsanitize=${INGOT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${INGOT_SANITIZE})
endif()
if(INGOT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
