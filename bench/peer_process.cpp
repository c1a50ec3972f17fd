#include "peer_process.hpp"

#include <system_error>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/process.hpp"

namespace bench {
namespace {

using skua::base::process_result;

std::filesystem::path program_of(const std::string& peer) { return peers_folder() / peer; }

std::vector<std::string> arguments_of(const job& wanted) {
  std::vector<std::string> words = {wanted.kernel,
                                    "--workers",
                                    std::to_string(wanted.workers),
                                    "--repeat",
                                    std::to_string(wanted.repeat),
                                    "--size",
                                    std::to_string(wanted.size)};
  if (wanted.threads != 1) words.insert(words.end(), {"--threads", std::to_string(wanted.threads)});
  for (const std::string& root : wanted.roots) words.insert(words.end(), {"--root", root});
  if (!wanted.expected.empty()) words.insert(words.end(), {"--expect", wanted.expected});
  return words;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::filesystem::path peers_folder() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / "bench";
}

bool peer_exists(const std::string& peer) { return access(program_of(peer).c_str(), X_OK) == 0; }

measurement run_peer(const job& wanted, int timeout_seconds) {
  const process_result end = skua::base::run_process({.program = program_of(wanted.peer).string(),
                                                      .arguments = arguments_of(wanted),
                                                      .max_seconds = static_cast<double>(timeout_seconds)});
  measurement result;
  if (!end.started || end.timed_out)
    result.complaint = end.ending();
  else if (end.signal != 0)
    result.complaint = end.ending() + ": " + first_line(end.output);
  if (!result.complaint.empty()) return result;

  try {
    const nlohmann::json line = nlohmann::json::parse(first_line(end.output));
    result.units = line.at("units");
    result.seconds = line.at("seconds").get<std::vector<double>>();
    result.check = line.at("check");
    result.verified = line.at("verified");
    result.peak_bytes = line.at("peak_bytes");
    result.steals = line.at("steals");
    result.remote_steals = line.at("remote_steals");
    if (result.seconds.empty()) result.complaint = "printed no measurements";
  } catch (const nlohmann::json::exception&) {
    result.complaint = end.output.empty() ? "printed nothing" : first_line(end.output);
  }
  return result;
}

}  // namespace bench
