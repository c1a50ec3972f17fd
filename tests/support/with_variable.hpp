// An environment variable that a test sets.
#pragma once

#include <cstdlib>
#include <string>

/// Sets it during its lifetime.
class with_variable {
 public:
  with_variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~with_variable() { unsetenv(name_); }
  with_variable(const with_variable&) = delete;
  with_variable& operator=(const with_variable&) = delete;

 private:
  const char* name_;
};
