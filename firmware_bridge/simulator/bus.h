/* The SPI bus with eight readers, each with its own chip select, and a common reset line. */
#ifndef SIM_BUS_H
#define SIM_BUS_H

#include "mfrc522.h"

enum { READERS = 8 };

extern sim_mfrc522 chips[READERS];

void bus_wire(avr_t *avr);

#endif
