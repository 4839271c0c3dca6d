// Functions that C libraries name differently.
#pragma once

#include <cmath>

namespace ef::platform {

// log |gamma(x)|, without the sign that some libraries write to a variable of all threads.
#if defined(_WIN32)
inline float log_gamma(float x) { return std::lgamma(x); }
inline double log_gamma(double x) { return std::lgamma(x); }
#else
inline float log_gamma(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}
inline double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
#endif

}  // namespace ef::platform
