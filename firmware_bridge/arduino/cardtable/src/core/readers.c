#include "readers.h"

#include <string.h>

void ct_readers_init(ct_readers *readers, uint8_t count) {
    memset(readers, 0, sizeof *readers);
    readers->count = count;
}

void ct_scan_begin(ct_readers *readers) { readers->seen = 0; }

void ct_scan_saw(ct_readers *readers, ct_queue *queue, uint8_t index, const uint8_t *uid, uint8_t length, uint32_t now) {
    ct_reader *reader = &readers->readers[index];
    /* ISO/IEC 14443-3, 6.5.4: four bytes that begin with 08 are a random identifier, as phones and passports use. */
    if (length == 4 && uid[0] == 0x08) return;
    for (uint8_t i = 0; i < reader->count; i++) {
        if (reader->tags[i].length == length && memcmp(reader->tags[i].uid, uid, length) == 0) {
            reader->tags[i].misses = 0;
            readers->seen |= (uint8_t)(1 << i);
            return;
        }
    }
    /* If the queue is full, the tag stays unknown and is reported at a later scan. */
    if (length > CT_UID_MAX || reader->count == CT_TAGS_MAX) return;
    if (!ct_queue_put(queue, CT_LAID, index, uid, length, now)) return;
    ct_tag *tag = &reader->tags[reader->count];
    tag->length = length;
    memcpy(tag->uid, uid, length);
    tag->misses = 0;
    readers->seen |= (uint8_t)(1 << reader->count++);
}

/* A reader that works from the start is not reported; one that fails is, and so is each later change. A reader that
 * answers again counts as working once its state is known, so that a loose contact does not cause a flood of events. */
static void report_status(ct_reader *reader, ct_queue *queue, uint8_t index, uint32_t now) {
    bool broken = reader->status == CT_BROKEN;
    if (reader->status == CT_SCANNING || broken == reader->reported_broken) return;
    if (ct_queue_put(queue, broken ? CT_FAULT : CT_WORKS, index, 0, 0, now)) reader->reported_broken = broken;
}

void ct_scan_end(ct_readers *readers, ct_queue *queue, uint8_t index, bool complete, uint32_t now) {
    ct_reader *reader = &readers->readers[index];
    /* One scan may miss a tag, so wait for several. Disturbed ones count too: a noisy reader must not block the rest. */
    if (reader->status == CT_BROKEN) {
        reader->status = CT_SCANNING;
        reader->scans = 0;
    }
    if (reader->scans < CT_SCANS) reader->scans = (uint8_t)(reader->scans + (complete ? 4 : 1));
    if (reader->scans >= CT_SCANS) reader->status = CT_WORKING;
    report_status(reader, queue, index, now);
    if (!complete) return;
    for (uint8_t i = 0; i < reader->count;) {
        ct_tag *tag = &reader->tags[i];
        if (!(readers->seen & (1 << i)) && tag->misses < CT_MISSES) tag->misses++;
        if (tag->misses == CT_MISSES && ct_queue_put(queue, CT_LIFTED, index, tag->uid, tag->length, now)) {
            reader->count--;
            memmove(tag, tag + 1, (size_t)(reader->count - i) * sizeof *tag);
            uint8_t below = (uint8_t)((1 << i) - 1);
            readers->seen = (uint8_t)((readers->seen & below) | ((readers->seen >> 1) & ~below));
        } else {
            i++;
        }
    }
}

void ct_reader_broken(ct_readers *readers, ct_queue *queue, uint8_t index, uint32_t now) {
    readers->readers[index].status = CT_BROKEN;
    report_status(&readers->readers[index], queue, index, now);
}

void ct_buttons(ct_readers *readers, ct_queue *queue, uint8_t down, uint32_t now) {
    for (uint8_t i = 0; i < CT_BUTTONS_MAX; i++) {
        uint8_t bit = (uint8_t)(1 << i);
        if ((down ^ readers->candidate) & bit) {
            readers->candidate ^= bit;
            readers->changing_since[i] = (uint16_t)now;
        }
        if (((readers->pressed ^ readers->candidate) & bit) == 0) continue;
        if ((uint16_t)((uint16_t)now - readers->changing_since[i]) < CT_DEBOUNCE_MS) continue;
        uint8_t kind = readers->candidate & bit ? CT_PRESSED : CT_RELEASED;
        if (ct_queue_put(queue, kind, i, 0, 0, now)) readers->pressed ^= bit;
    }
}
