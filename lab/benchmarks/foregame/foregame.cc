// OpenSpiel's german_whist_foregame on standard input and output.
//
// `new` begins a deal; a number is an action, a card of chance or of a player. After each line the program prints the
// player on turn (-1: chance, -4: nobody, the deal is over) and the actions that are legal.
#include <iostream>
#include <memory>
#include <string>

#include "open_spiel/spiel.h"

int main() {
  std::cout.setstate(std::ios::failbit);  // the game reports on the table that it loads
  std::shared_ptr<const open_spiel::Game> game = open_spiel::LoadGame("german_whist_foregame");
  std::cout.clear();
  std::unique_ptr<open_spiel::State> state = game->NewInitialState();
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "new") {
      state = game->NewInitialState();
    } else {
      state->ApplyAction(std::stol(line));
    }
    std::cout << state->CurrentPlayer();
    for (const open_spiel::Action action : state->LegalActions()) std::cout << ' ' << action;
    std::cout << std::endl;
  }
}
