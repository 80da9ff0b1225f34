/* The reader board's end of the protocol: processes the host's frames and selects the next frame to send. */
#ifndef CT_LINK_H
#define CT_LINK_H

#include "frame.h"
#include "readers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CT_FIRMWARE_MAJOR = 1,
    CT_FIRMWARE_MINOR = 1,
    CT_HELLO_MS = 1000, /* interval between greetings */
    CT_DEAD_MS = 2500,  /* silence after which the host counts as disconnected */
    CT_RESEND_MS = 80   /* time without an answer after which an event is sent again */
};

typedef struct {
    ct_decoder decoder;
    ct_queue *queue;
    ct_readers *readers;
    uint16_t boot;
    uint8_t cause;   /* why it started: the AVR's MCUSR */
    uint8_t buttons, lights;
    uint16_t session;
    bool host;       /* a host with this protocol is connected */
    uint32_t heard, hello_at; /* times, ms */
    bool hello_due;
    uint8_t asked;   /* bit mask of the readers whose state was requested */
    uint16_t stamp, highest; /* transmission numbers: the last one, and the highest that has arrived */
    uint16_t tests;  /* test events still to be queued */
    uint16_t lit, blinking; /* bit masks of the lights, as the host wants them */
} ct_link;

void ct_link_init(ct_link *link, ct_queue *queue, ct_readers *readers, uint16_t boot, uint32_t now);

/* Process one byte from the line. */
void ct_link_byte(ct_link *link, uint8_t byte, uint32_t now);

/* Write the next frame to `out` (CT_FRAME_MAX bytes) unless it is longer than `room`. Returns its length, or 0. */
uint8_t ct_link_next(ct_link *link, uint8_t *out, uint8_t room, uint32_t now);

/* Bit mask of the lights that are on now; 0 without a host. */
uint16_t ct_link_lights(ct_link *link, uint32_t now);

#ifdef __cplusplus
}
#endif
#endif
