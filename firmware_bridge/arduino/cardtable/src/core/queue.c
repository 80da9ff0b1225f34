#include "queue.h"

#include <string.h>

void ct_queue_init(ct_queue *queue) { memset(queue, 0, sizeof *queue); }

bool ct_queue_full(const ct_queue *queue) { return queue->count == CT_QUEUE_SIZE; }

uint16_t ct_queue_next(const ct_queue *queue) { return (uint16_t)(queue->oldest + queue->count); }

ct_event *ct_queue_at(ct_queue *queue, uint8_t place) {
    return &queue->events[(uint8_t)(queue->first + place) % CT_QUEUE_SIZE];
}

bool ct_queue_put(ct_queue *queue, uint8_t kind, uint8_t index, const uint8_t *uid, uint8_t uid_length, uint32_t now) {
    if (ct_queue_full(queue) || uid_length > CT_UID_MAX) return false;
    ct_event *event = ct_queue_at(queue, queue->count++);
    memset(event, 0, sizeof *event);
    event->kind = kind;
    event->index = index;
    event->uid_length = uid_length;
    if (uid_length) memcpy(event->uid, uid, uid_length);
    event->at = now;
    return true;
}

bool ct_queue_release(ct_queue *queue, uint16_t next) {
    uint16_t stored = (uint16_t)(next - queue->oldest);
    if (stored > queue->count) return false;
    queue->first = (uint8_t)((queue->first + stored) % CT_QUEUE_SIZE);
    queue->count = (uint8_t)(queue->count - stored);
    queue->oldest = next;
    return true;
}
