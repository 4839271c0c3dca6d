// Limits on processor time.
#pragma once

#include <limits>
#include <string>

namespace ef::platform {

constexpr double kNoQuota = std::numeric_limits<int>::max();

// The processors that this process may keep busy, such as 1.5; kNoQuota if nothing limits it.
// Containers limit time, not processors: threads beyond the quota only wait for the next period.
// `root` is where the system's files are.
double processor_quota(const std::string& root = "/");

// The same as a number of threads, at least 1.
int quota_processors(const std::string& root = "/");

}  // namespace ef::platform
