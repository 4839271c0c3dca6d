// Random values as functions of a Philox key and counter; Python stores the state of streams.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

// The start of a random stream.
struct StreamAttrs {
  int64_t key;
  int64_t counter_low;
  int64_t counter_high;
};

struct SampleAttrs {
  Ints shape;
  DType dtype;
  StreamAttrs stream;
};
extern const Op philox_uniform;           // floating: in [0, 1)
extern const Op philox_normal;            // mean 0, standard deviation 1
extern const Op philox_truncated_normal;  // the same, within two standard deviations
extern const Op philox_uniform_full_int;  // all values of the integer type

struct UniformIntAttrs {
  SampleAttrs sample;
  int64_t minval;
  int64_t maxval;
};
extern const Op philox_uniform_int;  // in [minval, maxval)

struct ShuffleAttrs {
  int64_t n;
  StreamAttrs stream;
};
extern const Op philox_shuffle;  // an int32 permutation of n

struct CategoricalAttrs {
  int64_t num_samples;
  DType dtype;
  StreamAttrs stream;
};
extern const Op philox_categorical;  // logits

// Sampled by rejection: each element has its own stream.
extern const Op philox_gamma;  // alpha

struct PoissonAttrs {
  StreamAttrs stream;
  double highest;
};
extern const Op philox_poisson;   // rate
extern const Op philox_binomial;  // counts, probs

}  // namespace ef::ops
