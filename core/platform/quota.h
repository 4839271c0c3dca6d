// Limits on processor time.
#pragma once

#include <string>

namespace ef::platform {

// The number of processors that the quota of this process keeps busy, at least 1; a very large
// number if there is no quota. Containers limit time, not processors: threads beyond the quota only
// wait for the next period. `root` is where the system's files are.
int quota_processors(const std::string& root = "/");

}  // namespace ef::platform
