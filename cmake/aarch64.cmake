# A toolchain file to cross-compile for aarch64:  cmake --toolchain cmake/aarch64.cmake
# SKUA_AARCH64_ROOT, a variable of the environment, is the folder of tools/aarch64_root.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
find_program(compiler NAMES aarch64-linux-gnu-g++ aarch64-linux-gnu-g++-14 aarch64-linux-gnu-g++-13 aarch64-linux-gnu-g++-12
  REQUIRED)
set(CMAKE_CXX_COMPILER ${compiler})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH $ENV{SKUA_AARCH64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(Boost_NO_BOOST_CMAKE ON)  # Boost's own files would look for all of Boost
set(ENV{PKG_CONFIG_LIBDIR} $ENV{SKUA_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $ENV{SKUA_AARCH64_ROOT})
