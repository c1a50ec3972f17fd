// The hwloc XML files of real and modelled machines in the folder of further test data. The list is empty without that
// folder.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

inline std::vector<std::filesystem::path> machine_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"topologies", "machines"})
    if (const auto path = std::filesystem::path(SKUA_SHARED) / folder; std::filesystem::exists(path))
      for (const auto& file : std::filesystem::directory_iterator(path))
        if (file.path().extension() == ".xml") files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}
