// An empty source for the library that owns the precompiled headers of the GoogleTest tests. CMake requires a source.
