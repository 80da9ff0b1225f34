#include "link.h"

#include <string.h>

void ct_link_init(ct_link *link, ct_queue *queue, ct_readers *readers, uint16_t boot, uint32_t now) {
    memset(link, 0, sizeof *link);
    ct_decoder_init(&link->decoder);
    link->queue = queue;
    link->readers = readers;
    link->boot = boot;
    link->hello_due = true;
    link->hello_at = now;
}

/* A new host has neither the events that an earlier one received and did not store, nor its lights. */
static void begin_session(ct_link *link, uint16_t session) {
    link->session = session;
    for (uint8_t i = 0; i < link->queue->count; i++) {
        ct_event *event = ct_queue_at(link->queue, i);
        event->received = event->again = false;
        event->stamp = 0;
    }
    link->stamp = link->highest = 0;
    link->asked = 0;
    link->tests = 0;
    link->lit = link->blinking = 0;
}

/* The line preserves the order: an event that was sent before one that has arrived, and has not arrived itself, was
 * lost. */
static void acknowledged(ct_link *link, uint16_t next, uint32_t received) {
    ct_queue *queue = link->queue;
    uint16_t stored = (uint16_t)(next - queue->oldest);
    if (stored > queue->count) return;
    for (uint8_t i = 0; i < queue->count; i++) {
        ct_event *event = ct_queue_at(queue, i);
        event->received = i < stored || (received >> (i - stored) & 1);
        if (!event->received) continue;
        if ((int16_t)(event->stamp - link->highest) > 0) link->highest = event->stamp;
    }
    ct_queue_release(queue, next);
    for (uint8_t i = 0; i < queue->count; i++) {
        ct_event *event = ct_queue_at(queue, i);
        bool lost = event->stamp && (int16_t)(event->stamp - link->highest) < 0;
        event->again = event->again || (!event->received && lost);
    }
}

static void process(ct_link *link, const ct_message *message, uint32_t now) {
    if (message->type == CT_HELLO && message->length >= 3) {
        link->hello_due = true; /* answer any protocol version: the host reports a mismatch to its user */
        link->host = message->payload[0] == CT_PROTOCOL;
        link->heard = now;
        uint16_t session = ct_get16(message->payload + 1);
        if (link->host && session != link->session) begin_session(link, session);
        return;
    }
    if (!link->host || message->boot != link->boot) return;
    link->heard = now;
    switch (message->type) {
    case CT_ACK:
        if (message->length == 4) acknowledged(link, message->seq, ct_get32(message->payload));
        break;
    case CT_ASK:
        if (message->length == 1) link->asked |= message->payload[0];
        break;
    case CT_LIGHTS:
        if (message->length == 4) {
            link->lit = ct_get16(message->payload);
            link->blinking = ct_get16(message->payload + 2);
        }
        break;
    case CT_TEST:
        if (message->length == 2) link->tests = ct_get16(message->payload);
        break;
    default:
        break;
    }
}

void ct_link_byte(ct_link *link, uint8_t byte, uint32_t now) {
    ct_message message;
    if (ct_decode(&link->decoder, byte, &message)) process(link, &message, now);
}

static void fill_hello(ct_link *link, ct_message *message) {
    uint8_t *payload = message->payload;
    message->type = CT_BOARD_HELLO;
    message->seq = ct_queue_next(link->queue);
    payload[0] = CT_PROTOCOL;
    payload[1] = CT_FIRMWARE_MAJOR;
    payload[2] = CT_FIRMWARE_MINOR;
    payload[3] = link->readers->count;
    payload[4] = link->buttons;
    payload[5] = link->lights;
    payload[6] = link->cause;
    ct_put16(payload + 7, link->session);
    ct_put16(payload + 9, link->queue->oldest);
    ct_put16(payload + 11, link->decoder.bad);
    for (uint8_t i = 0; i < link->readers->count; i++) payload[13 + i] = link->readers->readers[i].chip;
    message->length = (uint8_t)(13 + link->readers->count);
}

static void fill_state(ct_link *link, uint8_t index, ct_message *message) {
    const ct_reader *reader = &link->readers->readers[index];
    uint8_t *at = message->payload;
    message->type = CT_STATE;
    message->seq = ct_queue_next(link->queue);
    *at++ = index;
    *at++ = reader->status;
    for (uint8_t i = 0; i < reader->count; i++) {
        *at++ = reader->tags[i].length;
        memcpy(at, reader->tags[i].uid, reader->tags[i].length);
        at += reader->tags[i].length;
    }
    message->length = (uint8_t)(at - message->payload);
}

static void fill_event(const ct_event *event, uint16_t seq, ct_message *message, uint32_t now) {
    uint32_t age = now - event->at;
    message->type = CT_EVENT;
    message->seq = seq;
    message->payload[0] = event->kind;
    message->payload[1] = event->index;
    ct_put16(message->payload + 2, age > 0xFFFF ? 0xFFFF : (uint16_t)age);
    memcpy(message->payload + 4, event->uid, event->uid_length);
    message->length = (uint8_t)(4 + event->uid_length);
}

static int8_t event_due(ct_link *link, uint32_t now) {
    for (uint8_t i = 0; i < link->queue->count; i++) {
        ct_event *event = ct_queue_at(link->queue, i);
        if (event->received) continue;
        if (!event->stamp || event->again || (uint16_t)((uint16_t)now - event->sent_at) >= CT_RESEND_MS) return (int8_t)i;
    }
    return -1;
}

uint8_t ct_link_next(ct_link *link, uint8_t *out, uint8_t room, uint32_t now) {
    ct_message message;
    message.boot = link->boot;
    if (link->host && now - link->heard >= CT_DEAD_MS) link->host = false;
    if (now - link->hello_at >= CT_HELLO_MS) link->hello_due = true;
    while (link->tests && ct_queue_put(link->queue, CT_TESTED, 0, (const uint8_t *)"test", 4, now)) link->tests--;

    int8_t place = -1;
    uint8_t index = 0;
    if (link->hello_due) {
        fill_hello(link, &message);
    } else if (link->host && link->asked) {
        while (!(link->asked >> index & 1)) index++;
        if (index >= link->readers->count) {
            link->asked = 0;
            return 0;
        }
        fill_state(link, index, &message);
    } else if (link->host && (place = event_due(link, now)) >= 0) {
        fill_event(ct_queue_at(link->queue, (uint8_t)place), (uint16_t)(link->queue->oldest + place), &message, now);
    } else {
        return 0;
    }

    uint8_t length = ct_encode(&message, out);
    if (length > room) return 0;
    if (message.type == CT_BOARD_HELLO) {
        link->hello_due = false;
        link->hello_at = now;
    } else if (message.type == CT_STATE) {
        link->asked &= (uint8_t)~(1 << index);
    } else {
        ct_event *event = ct_queue_at(link->queue, (uint8_t)place);
        if (++link->stamp == 0) link->stamp = 1;
        event->stamp = link->stamp;
        event->sent_at = (uint16_t)now;
        event->again = false;
    }
    return length;
}

uint16_t ct_link_lights(ct_link *link, uint32_t now) {
    if (!link->host || now - link->heard >= CT_DEAD_MS) return 0;
    return (uint16_t)(link->lit & ~((now & 0x200) ? link->blinking : 0));
}
