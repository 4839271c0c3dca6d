// Quotas on processor time, as both versions of control groups and containers show them.
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "platform/process.h"
#include "platform/quota.h"
#include "tests/check.h"

namespace ef {
namespace {

using std::filesystem::path;

// The system's files below a folder of their own.
class System {
 public:
  System()
      : root_(std::filesystem::temp_directory_path() /
              ("quota_" + std::to_string(platform::process_id()))) {}
  ~System() { std::filesystem::remove_all(root_); }

  void write(const char* file, const char* text) {
    const path whole = root_ / file;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  int processors() const { return platform::quota_processors(root_.string()); }

 private:
  path root_;
};

constexpr int kAll = std::numeric_limits<int>::max();

TEST(no_groups_mean_no_quota) { CHECK_EQUAL(System().processors(), kAll); }

TEST(quotas_of_version_2) {
  System system;
  system.write("proc/self/cgroup", "0::/work/job\n");
  system.write("sys/fs/cgroup/work/job/cpu.max", "max 100000\n");
  CHECK_EQUAL(system.processors(), kAll);
  system.write("sys/fs/cgroup/work/job/cpu.max", "250000 100000\n");
  CHECK_EQUAL(system.processors(), 3);
  system.write("sys/fs/cgroup/work/cpu.max", "150000 100000\n");  // of the group around it
  CHECK_EQUAL(system.processors(), 2);
  system.write("sys/fs/cgroup/cpu.max", "20000 100000\n");
  CHECK_EQUAL(system.processors(), 1);
}

TEST(quotas_of_version_1) {
  System system;
  system.write("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/job\n0::/\n");
  system.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  system.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  CHECK_EQUAL(system.processors(), kAll);
  system.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000");
  system.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000");
  CHECK_EQUAL(system.processors(), 4);
}

TEST(containers_see_their_own_group) {
  System system;
  system.write("proc/self/cgroup", "2:cpu:/docker/0123456789\n");
  system.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000");
  system.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  CHECK_EQUAL(system.processors(), 1);
}

TEST(damaged_files_are_no_quota) {
  System system;
  system.write("proc/self/cgroup", "nonsense\n0::/../..\n:::\n");
  system.write("sys/fs/cgroup/cpu.max", "");
  CHECK_EQUAL(system.processors(), kAll);
  system.write("sys/fs/cgroup/cpu.max", "100000 0");
  CHECK_EQUAL(system.processors(), kAll);
}

}  // namespace
}  // namespace ef
