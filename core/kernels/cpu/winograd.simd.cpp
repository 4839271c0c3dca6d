// The transforms of Winograd's convolution.
#include "kernels/cpu/winograd_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

void image(float* to, int64_t plane, const float* x, int64_t row, int64_t n) {
#pragma omp simd
  for (int64_t c = 0; c < n; ++c) {
    float t[4][4];
    for (int j = 0; j < 4; ++j) {
      const float a = x[j * n + c];
      const float b = x[row + j * n + c];
      const float d = x[2 * row + j * n + c];
      const float e = x[3 * row + j * n + c];
      t[0][j] = a - d;
      t[1][j] = b + d;
      t[2][j] = d - b;
      t[3][j] = b - e;
    }
    for (int i = 0; i < 4; ++i) {
      float* const out = to + 4 * i * plane + c;
      out[0] = t[i][0] - t[i][2];
      out[plane] = t[i][1] + t[i][2];
      out[2 * plane] = t[i][2] - t[i][1];
      out[3 * plane] = t[i][1] - t[i][3];
    }
  }
}

void result(float* y, int64_t row, const float* from, int64_t plane, int64_t n) {
#pragma omp simd
  for (int64_t c = 0; c < n; ++c) {
    float t[2][4];
    for (int j = 0; j < 4; ++j) {
      const float a = from[j * plane + c];
      const float b = from[(4 + j) * plane + c];
      const float d = from[(8 + j) * plane + c];
      const float e = from[(12 + j) * plane + c];
      t[0][j] = a + b + d;
      t[1][j] = b - d - e;
    }
    for (int i = 0; i < 2; ++i) {
      y[i * row + c] = t[i][0] + t[i][1] + t[i][2];
      y[i * row + n + c] = t[i][1] - t[i][2] - t[i][3];
    }
  }
}

void result_grad(float* to, int64_t plane, const float* dy, int64_t row, int64_t n) {
#pragma omp simd
  for (int64_t c = 0; c < n; ++c) {
    float t[4][2];
    for (int j = 0; j < 2; ++j) {
      const float a = dy[j * n + c];
      const float b = dy[row + j * n + c];
      t[0][j] = a;
      t[1][j] = a + b;
      t[2][j] = a - b;
      t[3][j] = -b;
    }
    for (int i = 0; i < 4; ++i) {
      float* const out = to + 4 * i * plane + c;
      out[0] = t[i][0];
      out[plane] = t[i][0] + t[i][1];
      out[2 * plane] = t[i][0] - t[i][1];
      out[3 * plane] = -t[i][1];
    }
  }
}

void filter(float* to, const float* filter, int64_t total, int64_t n, bool turned) {
  const int64_t first = turned ? 8 * total : 0;
  const int64_t step = turned ? -total : total;
  const float* const from = filter + first;
#pragma omp simd
  for (int64_t c = 0; c < n; ++c) {
    float t[4][3];
    for (int j = 0; j < 3; ++j) {
      const float a = from[j * step + c];
      const float b = from[(3 + j) * step + c];
      const float d = from[(6 + j) * step + c];
      t[0][j] = a;
      t[1][j] = 0.5f * (a + d + b);
      t[2][j] = 0.5f * (a + d - b);
      t[3][j] = d;
    }
    for (int i = 0; i < 4; ++i) {
      float* const out = to + 4 * i * total + c;
      out[0] = t[i][0];
      out[total] = 0.5f * (t[i][0] + t[i][2] + t[i][1]);
      out[2 * total] = 0.5f * (t[i][0] + t[i][2] - t[i][1]);
      out[3 * total] = t[i][2];
    }
  }
}

void filter_grad(float* filter, const float* from, int64_t total, int64_t n) {
#pragma omp simd
  for (int64_t c = 0; c < n; ++c) {
    float t[3][4];
    for (int j = 0; j < 4; ++j) {
      const float a = from[j * total + c];
      const float b = from[(4 + j) * total + c];
      const float d = from[(8 + j) * total + c];
      const float e = from[(12 + j) * total + c];
      t[0][j] = a + 0.5f * (b + d);
      t[1][j] = 0.5f * (b - d);
      t[2][j] = 0.5f * (b + d) + e;
    }
    for (int i = 0; i < 3; ++i) {
      float* const out = filter + 3 * i * total + c;
      out[0] = t[i][0] + 0.5f * (t[i][1] + t[i][2]);
      out[total] = 0.5f * (t[i][1] - t[i][2]);
      out[2 * total] = 0.5f * (t[i][1] + t[i][2]) + t[i][3];
    }
  }
}

}  // namespace

const WinogradLoops& winograd_loops() {
  static constexpr WinogradLoops kLoops{image, result, result_grad, filter, filter_grad};
  return kLoops;
}

}  // namespace ef::cpu::EF_ISA
