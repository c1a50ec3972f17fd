// Reads RNA from files: one molecule, in FASTA (a line that begins with '>' names it) or as letters alone, over any
// number of lines.
#pragma once

#include <cctype>
#include <string>

#include "workloads/common/text_file.hpp"
#include "workloads/kernels/gtfold_model.hpp"

namespace workloads {

struct rna_molecule {
  std::string name, letters;
};

/// Letters may be lower case, and T means U. Throws skua::bad_input.
inline rna_molecule read_rna(const std::string& file_name, std::size_t longest) {
  text_file file(file_name);
  rna_molecule molecule;
  for (std::string line; file.next(line);) {
    if (line.starts_with('>')) {
      if (!molecule.letters.empty()) file.refuse("one molecule", "a second one");
      molecule.name = line.substr(1);
      continue;
    }
    for (const char given : line) {
      if (std::isspace(static_cast<unsigned char>(given))) continue;
      char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(given)));
      if (letter == 'T') letter = 'U';
      if (rna_letters.find(letter) == std::string_view::npos)
        file.refuse("the letters A, C, G and U (or T)", file.shown(given));
      molecule.letters += letter;
    }
    if (molecule.letters.size() > longest)
      file.refuse("at most " + std::to_string(longest) + " bases", "more");
  }
  if (molecule.letters.empty()) file.refuse_end("the letters of a molecule");
  return molecule;
}

}  // namespace workloads
