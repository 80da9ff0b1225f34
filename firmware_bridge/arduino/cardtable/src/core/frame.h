/* Frames: 00 | COBS(type, boot, seq, payload, CRC-16) | 00, see docs/reference/protocol.md. The host's counterpart is
 * firmware_bridge/frames.py. Portable C99, built for the AVR and for the tests on the host. */
#ifndef CT_FRAME_H
#define CT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CT_PROTOCOL = 1,
    CT_HEADER = 5,       /* type, boot (2), seq (2) */
    CT_PAYLOAD_MAX = 50,
    CT_BODY_MAX = CT_HEADER + CT_PAYLOAD_MAX + 2,
    CT_FRAME_MAX = CT_BODY_MAX + 3 /* one byte of COBS, a zero before and after */
};

/* Frame types: the host sends those below 0x80, the reader board those from 0x80 on. */
enum {
    CT_HELLO = 0x01,
    CT_ACK = 0x02,
    CT_ASK = 0x03,
    CT_LIGHTS = 0x04,
    CT_TEST = 0x05,
    CT_BOARD_HELLO = 0x81,
    CT_EVENT = 0x82,
    CT_STATE = 0x83
};

typedef struct {
    uint8_t type;
    uint16_t boot;
    uint16_t seq;
    uint8_t length; /* of the payload */
    uint8_t payload[CT_PAYLOAD_MAX];
} ct_message;

/* Collects bytes until a zero ends a frame. `bad`: number of invalid frames (damaged, too long or incomplete). */
typedef struct {
    uint8_t bytes[CT_BODY_MAX + 1];
    uint8_t length;
    bool too_long;
    uint16_t bad;
} ct_decoder;

/* CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF; Python's binascii.crc_hqx(data, 0xFFFF). */
uint16_t ct_crc(const uint8_t *data, uint8_t length);

/* Consistent overhead byte stuffing (Cheshire and Baker, 1999) of at most 254 bytes. Returns the length of `out`. */
uint8_t ct_cobs_encode(const uint8_t *data, uint8_t length, uint8_t *out);

/* The reverse, in place. Returns the new length, or -1 for invalid COBS. */
int16_t ct_cobs_decode(uint8_t *data, uint8_t length);

/* Write `message` as a frame to `out` (CT_FRAME_MAX bytes). Returns the frame's length. */
uint8_t ct_encode(const ct_message *message, uint8_t *out);

void ct_decoder_init(ct_decoder *decoder);

/* Process one byte from the line. Returns true if it completes a valid frame, which is then in `message`. */
bool ct_decode(ct_decoder *decoder, uint8_t byte, ct_message *message);

/* Numbers on the line are little-endian. */
static inline uint16_t ct_get16(const uint8_t *at) { return (uint16_t)(at[0] | ((uint16_t)at[1] << 8)); }

static inline uint32_t ct_get32(const uint8_t *at) { return ct_get16(at) | ((uint32_t)ct_get16(at + 2) << 16); }

static inline void ct_put16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

#ifdef __cplusplus
}
#endif
#endif
