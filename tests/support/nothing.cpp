// GoogleTest's tests share precompiled headers, which a library with a source must own.
