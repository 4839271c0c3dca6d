// A small test framework: TEST registers a function, the CHECK macros note what fails and go on.
#pragma once

#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "tensor/error.h"

namespace ef::test {

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}

struct Registration {
  Registration(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline void report(const char* file, int line, const std::string& text) {
  ++failures();
  std::fprintf(stderr, "%s:%d: %s\n", file, line, text.c_str());
}

template <class A, class B>
void check_equal(const char* file, int line, const char* expression, const A& a, const B& b) {
  if (a == b) return;
  std::ostringstream text;
  text << expression << ": " << a << " != " << b;
  report(file, line, text.str());
}

// NaN is near NaN, and infinities are near themselves.
inline void check_near(const char* file, int line, const char* expression, double a, double b,
                       double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance) return;
  std::ostringstream text;
  text.precision(17);
  text << expression << ": " << a << " is not within " << tolerance << " of " << b;
  report(file, line, text.str());
}

template <class Body>
void check_throws(const char* file, int line, Code code, const char* part, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.code() != code) {
      report(file, line, std::string("another error code: ") + error.what());
    } else if (std::string(error.what()).find(part) == std::string::npos) {
      report(file, line, std::string("another message: ") + error.what());
    }
    return;
  }
  report(file, line, std::string("no error: expected ") + part);
}

}  // namespace ef::test

#define EF_JOIN2(a, b) a##b
#define EF_JOIN(a, b) EF_JOIN2(a, b)

#define TEST(name)                                                                               \
  static void EF_JOIN(test_, name)();                                                            \
  static const ef::test::Registration EF_JOIN(registration_, name)(#name, EF_JOIN(test_, name)); \
  static void EF_JOIN(test_, name)()

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) ef::test::report(__FILE__, __LINE__, "not true: " #condition); \
  } while (false)
#define CHECK_EQUAL(a, b) ef::test::check_equal(__FILE__, __LINE__, #a " == " #b, (a), (b))
#define CHECK_NEAR(a, b, tolerance) \
  ef::test::check_near(__FILE__, __LINE__, #a " near " #b, (a), (b), (tolerance))
// The call throws ef::Error with this code and a message that contains `part`.
#define CHECK_THROWS(code, part, ...) \
  ef::test::check_throws(__FILE__, __LINE__, (code), (part), [&] { __VA_ARGS__; })
