/* The reader board's USB port: a pseudo-terminal at the pace of 115200 baud, with optional noise. */
#ifndef SIM_LINE_H
#define SIM_LINE_H

#include <simavr/sim_avr.h>
#include <simavr/sim_cycle_timers.h>
#include <stdbool.h>
#include <stdint.h>

enum { HERTZ = 16000000 };

/* Connect the microcontroller's UART and plug the cable in. `link`: path of the symbolic link to the port. */
void line_wire(avr_t *avr, const char *link);

void line_plug(void);
void line_unplug(void);

/* From now on drop, flip or precede with a random byte this share (0 to 1) of the bytes in both directions. */
void line_noise(double share, uint64_t seed);

/* Read what the host has written. Call this often. */
void line_read(void);

/* Read what the host has written until it is `total` bytes since the start: the system may deliver them late. */
void line_read_until(uint64_t total);

/* Number of bytes since the start, in each direction. */
void line_counts(uint64_t *to_host, uint64_t *from_host);

/* Drop the bytes that have not reached the microcontroller yet. */
void line_drop(void);

/* Restart the line's timer, which the simulator deletes when the chip is reset. */
void line_restore_timer(avr_t *avr);

#endif
