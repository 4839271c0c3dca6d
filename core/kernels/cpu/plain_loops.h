// Elementwise loops for functions that do not vectorise.
#pragma once

#include <cstdint>

#include "kernels/cpu/elementwise_loops.h"

namespace ef::cpu {

template <class In, class Out, auto function>
void plain_unary(void* out, const void* x, int64_t count, double) {
  auto* to = static_cast<Out*>(out);
  const auto* from = static_cast<const In*>(x);
  for (int64_t i = 0; i < count; ++i) to[i] = function(from[i]);
}

template <class In, class Out, auto function>
void plain_binary(void* out, const void* x, const void* y, int64_t count, Form form, double) {
  auto* to = static_cast<Out*>(out);
  const auto* xs = static_cast<const In*>(x);
  const auto* ys = static_cast<const In*>(y);
  const int64_t x_step = form == Form::kScalarX ? 0 : 1;
  const int64_t y_step = form == Form::kScalarY ? 0 : 1;
  for (int64_t i = 0; i < count; ++i) to[i] = function(xs[i * x_step], ys[i * y_step]);
}

}  // namespace ef::cpu
