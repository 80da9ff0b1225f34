/* The firmware's portable core on the host, controlled by tests/firmware_bridge/core.py. The test sets the time. Each
 * command line is answered by one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"

static ct_queue queue;
static ct_readers readers;
static ct_link board;
static uint32_t now;

static int read_hex(const char *text, uint8_t *out, int room) {
    int length = 0;
    unsigned byte;
    while (length < room && sscanf(text + 2 * length, "%2x", &byte) == 1) out[length++] = (uint8_t)byte;
    return length;
}

static void print_hex(const uint8_t *data, int length) {
    for (int i = 0; i < length; i++) printf("%02x", data[i]);
    printf("\n");
}

static void start(uint16_t boot) {
    ct_queue_init(&queue);
    ct_readers_init(&readers, CT_READERS_MAX);
    ct_link_init(&board, &queue, &readers, boot, now);
}

/* Encode a frame of the test with the firmware's encoder. */
static void encode(const uint8_t *body, int length) {
    ct_message message;
    uint8_t out[CT_FRAME_MAX];
    message.type = body[0];
    message.boot = ct_get16(body + 1);
    message.seq = ct_get16(body + 3);
    message.length = (uint8_t)(length - 5);
    memcpy(message.payload, body + 5, message.length);
    print_hex(out, ct_encode(&message, out));
}

/* Print the frames that the firmware's decoder finds in the bytes, separated by commas. */
static void decode(const uint8_t *data, int length) {
    ct_decoder decoder;
    ct_message message;
    ct_decoder_init(&decoder);
    for (int i = 0; i < length; i++) {
        if (!ct_decode(&decoder, data[i], &message)) continue;
        printf("%02x%02x%02x%02x%02x", message.type, message.boot & 255, message.boot >> 8, message.seq & 255, message.seq >> 8);
        for (int k = 0; k < message.length; k++) printf("%02x", message.payload[k]);
        printf(",");
    }
    printf("%u\n", decoder.bad);
}

int main(void) {
    static char line[20000], text[20000];
    static uint8_t data[10000];
    setvbuf(stdout, NULL, _IOLBF, 0);
    start(1);
    while (fgets(line, sizeof line, stdin)) {
        char word[16] = "";
        unsigned number = 0;
        text[0] = 0;
        sscanf(line, "%15s %u %19999s", word, &number, text);
        int length = read_hex(text, data, sizeof data);
        if (!strcmp(word, "start")) start((uint16_t)number), printf("ok\n");
        else if (!strcmp(word, "time")) now = number, printf("ok\n");
        else if (!strcmp(word, "oldest")) queue.oldest = (uint16_t)number, printf("ok\n");
        else if (!strcmp(word, "encode")) encode(data, length);
        else if (!strcmp(word, "decode")) decode(data, length);
        else if (!strcmp(word, "cobs")) {
            uint8_t out[256];
            print_hex(out, ct_cobs_encode(data, (uint8_t)length, out));
        } else if (!strcmp(word, "uncobs")) {
            uint8_t exact[256];
            uint8_t *copy = malloc((size_t)(length ? length : 1)); /* exact length: the sanitizer detects overruns */
            memcpy(copy, data, (size_t)length);
            int16_t plain = ct_cobs_decode(copy, (uint8_t)length);
            if (plain > 0) memcpy(exact, copy, (size_t)plain);
            if (plain < 0) printf("no\n");
            else print_hex(exact, plain);
            free(copy);
        } else if (!strcmp(word, "take")) { /* bytes from the host */
            for (int i = 0; i < length; i++) ct_link_byte(&board, data[i], now);
            printf("ok\n");
        } else if (!strcmp(word, "next")) { /* the next frame, if the line has room for it */
            uint8_t out[CT_FRAME_MAX];
            print_hex(out, ct_link_next(&board, out, (uint8_t)number, now));
        } else if (!strcmp(word, "begin")) ct_scan_begin(&readers), printf("ok\n");
        else if (!strcmp(word, "saw")) ct_scan_saw(&readers, &queue, (uint8_t)number, data, (uint8_t)length, now), printf("ok\n");
        else if (!strcmp(word, "end")) ct_scan_end(&readers, &queue, (uint8_t)number, text[0] != 'x', now), printf("ok\n");
        else if (!strcmp(word, "broken")) ct_reader_broken(&readers, &queue, (uint8_t)number, now), printf("ok\n");
        else if (!strcmp(word, "buttons")) ct_buttons(&readers, &queue, (uint8_t)number, now), printf("ok\n");
        else if (!strcmp(word, "lights")) printf("%u\n", ct_link_lights(&board, now));
        else if (!strcmp(word, "queue")) printf("%u %u\n", queue.oldest, queue.count);
        else printf("no such command\n");
    }
    return 0;
}
