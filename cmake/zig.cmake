# For toolchain files that set ZIG_TARGET, the name of another system: compiles for it by Zig's C++ compiler,
# which has the headers and libraries of all of them. The package ziglang has it.
find_program(ZIG NAMES zig python-zig REQUIRED)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG)
set(CMAKE_CXX_COMPILER ${ZIG} c++)
set(CMAKE_CXX_COMPILER_TARGET ${ZIG_TARGET})
set(CMAKE_CXX_ARCHIVE_CREATE "${ZIG} ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "${ZIG} ranlib <TARGET>")
# Programs of this system serve the build, but none of its headers and libraries.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
