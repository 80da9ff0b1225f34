/* The board's end of the line: takes the host's frames, and says which frame is to be sent next. */
#ifndef CT_LINK_H
#define CT_LINK_H

#include "frame.h"
#include "readers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CT_FIRMWARE_MAJOR = 1,
    CT_FIRMWARE_MINOR = 0,
    CT_HELLO_MS = 1000, /* between heartbeats */
    CT_DEAD_MS = 3000,  /* a host not heard for so long has gone */
    CT_RESEND_MS = 80   /* an event unanswered for so long is sent again */
};

typedef struct {
    ct_decoder decoder;
    ct_queue *queue;
    ct_readers *readers;
    uint16_t boot;
    uint8_t cause;   /* why the board started: the AVR's MCUSR */
    uint8_t buttons, lights;
    uint16_t session;
    bool host;       /* a host of this protocol is there */
    uint32_t heard, hello_at;
    bool hello_due;
    uint8_t asked;   /* bits of the readers whose state is to be told */
    uint16_t stamp, highest; /* of sendings: the last one, and the latest that arrived */
    uint16_t tests;  /* test events still to be made */
    uint16_t lit, blinking; /* what the host wants of the lights, a bit each */
} ct_link;

void ct_link_init(ct_link *link, ct_queue *queue, ct_readers *readers, uint16_t boot, uint32_t now);

/* Take one byte from the line. */
void ct_link_byte(ct_link *link, uint8_t byte, uint32_t now);

/* Write the frame to be sent now to `out` (CT_FRAME_MAX bytes), if it is not longer than `room`; its length, or 0. */
uint8_t ct_link_next(ct_link *link, uint8_t *out, uint8_t room, uint32_t now);

/* The lights that are to shine now, a bit each; none without a host. */
uint16_t ct_link_lights(ct_link *link, uint32_t now);

#ifdef __cplusplus
}
#endif
#endif
