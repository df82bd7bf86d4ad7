// SPDX-License-Identifier: MIT
// Adds its arguments up, and gives up at one that is no number.
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Account {
  std::string name;
  double balance = 0;
  bool closed = false;
};

double number(const std::string& word) {
  if (word.find_first_not_of("0123456789.") != std::string::npos) throw std::invalid_argument(word);
  return std::stod(word);
}

void add(Account& account, const std::vector<std::string>& words) {
  for (const std::string& word : words) account.balance += number(word);
}

}  // namespace

int main(int argc, char** argv) {
  Account account{.name = "all"};
  std::map<std::string, int> seen;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (const std::string& word : words) ++seen[word];
  try {
    add(account, words);
  } catch (const std::exception& error) {
    std::cerr << "no number: " << error.what() << "\n";
    return 1;
  }
  std::cout << account.balance << " of " << seen.size() << "\n";
  return 0;
}
