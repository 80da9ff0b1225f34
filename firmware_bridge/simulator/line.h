/* The board's USB port: a pseudo-terminal, byte for byte at 115200 baud, and as bad a line as is asked for. */
#ifndef SIM_LINE_H
#define SIM_LINE_H

#include <simavr/sim_avr.h>
#include <simavr/sim_cycle_timers.h>
#include <stdbool.h>
#include <stdint.h>

enum { HERTZ = 16000000 };

/* Connect the microcontroller's UART, and plug the cable in. `link`: a symbolic link to the port, there while it is. */
void line_wire(avr_t *avr, const char *link);

void line_plug(void);
void line_unplug(void);

/* From now on this share of all bytes, both ways, is dropped, flipped, or comes with another one before it. */
void line_noise(double share, uint64_t seed);

/* Take what the host has written; to be called again and again. */
void line_read(void);

/* Take what the host has written until it is `total` bytes since the start: the system may take its time with them. */
void line_await(uint64_t total);

/* Bytes since the start, both ways. */
void line_counts(uint64_t *to_host, uint64_t *from_host);

/* What has come and is not with the microcontroller yet is lost. */
void line_forget(void);

/* The simulator forgets its timers when it resets the chip: those of the line run on. */
void line_go_on(avr_t *avr);

#endif
