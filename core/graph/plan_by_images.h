// Convolutions of a plan that go together through a few images of the batch at a time.
#pragma once

#include <vector>

#include "graph/plan.h"

namespace ef::graph {

struct Plan::ByImages {
  int64_t images = 0;  // at a time
  // For each member and each of its inputs: the member that computes it, or -1.
  std::vector<InlineVector<int32_t, 4>> sources;
  // Which members' results other steps read.
  std::vector<char> kept;
};

}  // namespace ef::graph
