// Random numbers as functions of a Philox key and counter; the streams' state lives in Python.
#pragma once

#include "ops/op.h"

namespace ef::ops {

// All take shape, dtype, key, counter_low, counter_high.
extern const Op philox_uniform;           // floating: in [0, 1)
extern const Op philox_normal;            // mean 0, standard deviation 1
extern const Op philox_truncated_normal;  // the same, within two standard deviations
extern const Op philox_uniform_int;       // and minval, maxval: in [minval, maxval)
extern const Op philox_uniform_full_int;  // all values of the integer type
extern const Op philox_shuffle;      // n, key, counter_low, counter_high: int32 permutation of n
extern const Op philox_categorical;  // logits; num_samples, dtype, key, counter_low, counter_high

}  // namespace ef::ops
