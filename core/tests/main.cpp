// Runs all registered tests, or those whose names contain one of the arguments.
#include <cstdio>
#include <cstring>
#include <exception>

#include "tests/check.h"

int main(int argc, char** argv) {
  int run = 0;
  for (const auto& test : ef::test::cases()) {
    bool chosen = argc == 1;
    for (int i = 1; i < argc; ++i) chosen = chosen || std::strstr(test.name, argv[i]);
    if (!chosen) continue;
    ++run;
    const int before = ef::test::failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      ef::test::report(test.name, 0, std::string("uncaught: ") + error.what());
    }
    if (ef::test::failures() != before) std::fprintf(stderr, "FAILED: %s\n", test.name);
  }
  std::printf("%d tests, %d failures\n", run, ef::test::failures());
  return ef::test::failures() == 0 && run > 0 ? 0 : 1;
}
