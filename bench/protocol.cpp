#include "protocol.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>

namespace bench {
namespace {

std::int64_t number(const std::string& option, const char* text, std::int64_t min) {
  std::size_t used = 0;
  std::int64_t value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || text[used] != '\0' || value < min)
    throw std::invalid_argument(option + " must be a whole number of at least " + std::to_string(min) +
                                ", not \"" + text + "\"");
  return value;
}

request parse(int argc, char** argv) {
  request asked;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--")) {
      asked.kernel = argument;
      continue;
    }
    if (argument == "--list") {
      asked.kernel = argument;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(argument + " needs a value");
    if (argument == "--workers")
      asked.workers = static_cast<int>(number(argument, argv[i], 1));
    else if (argument == "--repeat")
      asked.repeat = static_cast<int>(number(argument, argv[i], 1));
    else if (argument == "--size")
      asked.size = number(argument, argv[i], 0);
    else if (argument == "--threads")
      asked.threads = static_cast<int>(number(argument, argv[i], 0));
    else if (argument == "--root")
      asked.roots.emplace_back(argv[i]);
    else if (argument == "--expect")
      asked.expected = argv[i];
    else
      throw std::invalid_argument(
          "unknown option " + argument +
          "; allowed: --workers, --repeat, --size, --threads, --root, --expect, --list");
  }
  return asked;
}

std::string names(const std::map<std::string, kernel>& kernels) {
  std::string all;
  for (const auto& [name, unused] : kernels) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void print(const std::string& peer, const request& asked, const outcome& result, const steal_counts& steals) {
  std::ostringstream line;
  line.precision(9);
  line << "{\"kernel\":\"" << asked.kernel << "\",\"peer\":\"" << peer << "\",\"workers\":" << asked.workers
       << ",\"size\":" << asked.size << ",\"units\":" << result.units << ",\"seconds\":[";
  for (std::size_t i = 0; i < result.seconds.size(); ++i) line << (i ? "," : "") << result.seconds[i];
  line << "],\"check\":\"" << result.check << "\",\"verified\":" << (result.verified ? "true" : "false")
       << ",\"peak_bytes\":" << bench_peak_bytes() << ",\"resident_bytes\":" << bench_resident_bytes()
       << ",\"steals\":" << steals.steals << ",\"remote_steals\":" << steals.remote << "}\n";
  std::fputs(line.str().c_str(), stdout);
}

}  // namespace

int peer_main(int argc, char** argv, const std::string& peer,
              const std::function<std::map<std::string, kernel>(const request&)>& make,
              const std::function<steal_counts()>& steals) {
  try {
    request asked = parse(argc, argv);
    const std::map<std::string, kernel> kernels = make(asked);
    if (asked.kernel == "--list") {
      for (const auto& [name, unused] : kernels) std::cout << name << '\n';
      return 0;
    }
    const auto found = kernels.find(asked.kernel);
    if (found == kernels.end())
      throw std::invalid_argument("no kernel \"" + asked.kernel + "\"; allowed: " + names(kernels));
    if (asked.size == 0) asked.size = found->second.size;
    const outcome result = found->second.run(asked);
    print(peer, asked, result, steals());
    return result.verified ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    std::cerr << "peer_" << peer << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace bench
