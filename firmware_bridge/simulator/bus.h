/* The SPI bus with its eight readers, each with a chip select of its own, and one reset line for all. */
#ifndef SIM_BUS_H
#define SIM_BUS_H

#include "mfrc522.h"

enum { READERS = 8 };

extern sim_mfrc522 chips[READERS];

void bus_wire(avr_t *avr);

#endif
