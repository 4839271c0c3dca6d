// Quotas of Linux's control groups, versions 1 and 2. Other systems do not have their files.
#include "platform/quota.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace ef::platform {
namespace {

using std::filesystem::path;

// The processors that a group may keep busy. A negative quota, or the word "max", is none.
double quota_of(const path& group) {
  double quota = -1, period = 0;
  if (std::ifstream file(group / "cpu.max"); file) {
    file >> quota >> period;
  } else {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : kNoQuota;
}

// The least quota of a group and of those around it. In a container the group's path may be the
// host's, which does not exist here; the container's own group is then what is mounted.
double quota_along(const path& mounted, const path& group) {
  double least = quota_of(mounted);
  path inside = mounted;
  for (const path& name : group.relative_path()) least = std::min(least, quota_of(inside /= name));
  return least;
}

}  // namespace

double processor_quota(const std::string& root) {
  double least = kNoQuota;
  // Lines are `number:controllers:path`; that of version 2 has no controllers.
  std::ifstream groups(path(root) / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    const path mounted = path(root) / "sys/fs/cgroup" / (unified ? "" : "cpu");
    least = std::min(least, quota_along(mounted, line.substr(second + 1)));
  }
  return least;
}

int quota_processors(const std::string& root) {
  return std::max(1, static_cast<int>(std::ceil(processor_quota(root))));
}

}  // namespace ef::platform
