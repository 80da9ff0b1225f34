/* The events that the host has not stored yet, oldest first, numbered without a gap. */
#ifndef CT_QUEUE_H
#define CT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CT_QUEUE_SIZE = 32, CT_UID_MAX = 7 };

/* Kinds of events. `index` is a reader's number, or a button's. */
enum { CT_LAID = 1, CT_LIFTED = 2, CT_PRESSED = 3, CT_RELEASED = 4, CT_FAULT = 5, CT_WORKS = 6, CT_TESTED = 7 };

typedef struct {
    uint8_t kind;
    uint8_t index;
    uint8_t uid_length;
    uint8_t uid[CT_UID_MAX];
    uint32_t at;      /* milliseconds since the start, when it happened */
    uint16_t sent_at; /* low half of the time at which it was sent last */
    uint16_t stamp;   /* the how-manieth sending that was; 0: never sent */
    bool received;    /* the host has it, though not stored yet: no need to send it again */
    bool again;       /* it was certainly lost on the way */
} ct_event;

typedef struct {
    ct_event events[CT_QUEUE_SIZE];
    uint8_t first;
    uint8_t count;
    uint16_t oldest; /* number of the oldest event in it; the next new one gets oldest + count */
} ct_queue;

void ct_queue_init(ct_queue *queue);
bool ct_queue_full(const ct_queue *queue);
uint16_t ct_queue_next(const ct_queue *queue);

/* Put an event at the end; false, and nothing changed, where there is no room. */
bool ct_queue_put(ct_queue *queue, uint8_t kind, uint8_t index, const uint8_t *uid, uint8_t uid_length, uint32_t now);

/* The event that is `place` after the oldest. */
ct_event *ct_queue_at(ct_queue *queue, uint8_t place);

/* Let go what is older than `next`. Ignored where `next` is no number of this queue. */
bool ct_queue_release(ct_queue *queue, uint16_t next);

#ifdef __cplusplus
}
#endif
#endif
