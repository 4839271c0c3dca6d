// GNU libmvec's vector forms of libm's functions, looked up in the C library at run time. glibc has
// all of them since 2.35 and the first few since 2.22; other C libraries have none. A wheel that is
// built on an old system thus uses the functions of a new one.
#pragma once

#include "device/isa.h"

// X(name, kind) for each function; the kind is `v` with one argument and `vv` with two.
#define EF_MVEC_FUNCTIONS(X) \
  X(acos, v)                 \
  X(acosh, v)                \
  X(asin, v)                 \
  X(asinh, v)                \
  X(atan, v)                 \
  X(atan2, vv)               \
  X(atanh, v)                \
  X(cos, v)                  \
  X(cosh, v)                 \
  X(erf, v)                  \
  X(erfc, v)                 \
  X(exp, v)                  \
  X(expm1, v)                \
  X(log, v)                  \
  X(log1p, v)                \
  X(pow, vv)                 \
  X(sin, v)                  \
  X(sinh, v)                 \
  X(tan, v)                  \
  X(tanh, v)

namespace ef::cpu {

enum class Mvec {
#define EF_MVEC_ENTRY(name, kind) name,
  EF_MVEC_FUNCTIONS(EF_MVEC_ENTRY)
#undef EF_MVEC_ENTRY
      kCount
};

// Indexed by instruction set, then 0 for floats or 1 for doubles, then function; null if missing.
extern void* mvec_functions[3][2][static_cast<int>(Mvec::kCount)];

}  // namespace ef::cpu
