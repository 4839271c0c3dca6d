# For -DCMAKE_TOOLCHAIN_FILE: compiles for 64-bit Arm under Linux on another processor, and runs tests by
# QEMU. Debian's g++-aarch64-linux-gnu and qemu-user are what it needs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_STRIP aarch64-linux-gnu-strip)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
