#include "frame.h"

#include <string.h>

uint16_t ct_crc(const uint8_t *data, uint8_t length) {
    uint16_t crc = 0xFFFF;
    while (length--) {
        crc ^= (uint16_t)(*data++ << 8);
        for (uint8_t bit = 0; bit < 8; bit++) {
            crc = (uint16_t)((crc & 0x8000) ? (uint16_t)(crc << 1) ^ 0x1021 : crc << 1);
        }
    }
    return crc;
}

uint8_t ct_cobs_encode(const uint8_t *data, uint8_t length, uint8_t *out) {
    uint8_t code_at = 0, at = 1;
    for (uint8_t i = 0; i < length; i++) {
        if (data[i]) {
            out[at++] = data[i];
        } else {
            out[code_at] = (uint8_t)(at - code_at);
            code_at = at++;
        }
    }
    out[code_at] = (uint8_t)(at - code_at);
    return at;
}

int16_t ct_cobs_decode(uint8_t *data, uint8_t length) {
    uint8_t from = 0, to = 0;
    if (length == 0) return -1;
    while (from < length) {
        uint8_t code = data[from++];
        if (code == 0 || code - 1 > length - from) return -1;
        for (uint8_t i = 1; i < code; i++) {
            if (data[from] == 0) return -1;
            data[to++] = data[from++];
        }
        /* No zero follows a block of 254 bytes, nor the last block. */
        if (code != 0xFF && from < length) data[to++] = 0;
    }
    return to;
}

uint8_t ct_encode(const ct_message *message, uint8_t *out) {
    uint8_t body[CT_BODY_MAX];
    uint8_t length = (uint8_t)(CT_HEADER + message->length);
    body[0] = message->type;
    ct_put16(body + 1, message->boot);
    ct_put16(body + 3, message->seq);
    memcpy(body + CT_HEADER, message->payload, message->length);
    ct_put16(body + length, ct_crc(body, length));
    out[0] = 0;
    uint8_t coded = ct_cobs_encode(body, (uint8_t)(length + 2), out + 1);
    out[coded + 1] = 0;
    return (uint8_t)(coded + 2);
}

void ct_decoder_init(ct_decoder *decoder) { memset(decoder, 0, sizeof *decoder); }

bool ct_decode(ct_decoder *decoder, uint8_t byte, ct_message *message) {
    if (byte) {
        if (decoder->length < sizeof decoder->bytes) {
            decoder->bytes[decoder->length++] = byte;
        } else {
            decoder->too_long = true;
        }
        return false;
    }
    uint8_t coded = decoder->length;
    bool too_long = decoder->too_long;
    decoder->length = 0;
    decoder->too_long = false;
    if (coded == 0) return false; /* two zeros in a row: end of one frame, start of the next */
    int16_t length = too_long ? -1 : ct_cobs_decode(decoder->bytes, coded);
    uint8_t *body = decoder->bytes;
    if (length < CT_HEADER + 2 || ct_crc(body, (uint8_t)(length - 2)) != ct_get16(body + length - 2)) {
        decoder->bad++;
        return false;
    }
    message->type = body[0];
    message->boot = ct_get16(body + 1);
    message->seq = ct_get16(body + 3);
    message->length = (uint8_t)(length - CT_HEADER - 2);
    memcpy(message->payload, body + CT_HEADER, message->length);
    return true;
}
