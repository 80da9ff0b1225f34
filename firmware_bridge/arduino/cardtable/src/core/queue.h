/* The queue of events that the host has not stored yet, oldest first, numbered without a gap. */
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
    uint32_t at;      /* when it happened, ms since the start */
    uint16_t sent_at; /* when it was sent last, ms, low 16 bits */
    uint16_t stamp;   /* number of its last transmission; 0: never sent */
    bool received;    /* the host has received it but not stored it: do not send it again */
    bool again;       /* it was lost on the line: send it again */
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

/* Append an event. Returns false, without any change, if the queue is full. */
bool ct_queue_put(ct_queue *queue, uint8_t kind, uint8_t index, const uint8_t *uid, uint8_t uid_length, uint32_t now);

/* The event at `place`; 0 is the oldest. */
ct_event *ct_queue_at(ct_queue *queue, uint8_t place);

/* Remove the events before number `next`. Returns false, without any change, if `next` is out of range. */
bool ct_queue_release(ct_queue *queue, uint16_t next);

#ifdef __cplusplus
}
#endif
#endif
