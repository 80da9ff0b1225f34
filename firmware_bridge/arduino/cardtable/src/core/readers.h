/* Tags on each reader and pressed buttons, debounced, with an event for each change. A change that does not fit into
 * the full queue is reported later, if it still holds. */
#ifndef CT_READERS_H
#define CT_READERS_H

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CT_READERS_MAX = 8,
    CT_TAGS_MAX = 6,   /* per reader; they fit into one STATE frame */
    CT_MISSES = 3,     /* number of consecutive scans without a tag after which it counts as lifted */
    CT_SCANS = 12,     /* disturbed scans (or a third as many complete ones) after which a reader's state is known */
    CT_BUTTONS_MAX = 8,
    CT_DEBOUNCE_MS = 20
};

enum { CT_SCANNING = 0, CT_WORKING = 1, CT_BROKEN = 2 };

typedef struct {
    uint8_t length;
    uint8_t uid[CT_UID_MAX];
    uint8_t misses;
} ct_tag;

typedef struct {
    uint8_t status;
    uint8_t chip;  /* the chip's VersionReg: 0x91 or 0x92, other numbers are copies; 0 before it has answered */
    uint8_t scans; /* scans since the reader began to answer, up to CT_SCANS; a complete one counts as four */
    bool reported_broken; /* whether the last event about its status was CT_FAULT */
    uint8_t count;
    ct_tag tags[CT_TAGS_MAX];
} ct_reader;

typedef struct {
    uint8_t count; /* readers */
    ct_reader readers[CT_READERS_MAX];
    uint8_t seen;  /* bit mask of the tags seen in the present scan */
    uint8_t pressed, candidate;
    uint16_t changing_since[CT_BUTTONS_MAX]; /* ms, low 16 bits; one that bounces for ever must not block the others */
} ct_readers;

void ct_readers_init(ct_readers *readers, uint8_t count);

/* A scan of reader `index` begins, sees tags, and ends: complete, or cut short by disturbances or too many tags. */
void ct_scan_begin(ct_readers *readers);
void ct_scan_saw(ct_readers *readers, ct_queue *queue, uint8_t index, const uint8_t *uid, uint8_t length, uint32_t now);
void ct_scan_end(ct_readers *readers, ct_queue *queue, uint8_t index, bool complete, uint32_t now);

/* Reader `index` does not answer. Its tags are kept: whether they are still there is unknown. */
void ct_reader_broken(ct_readers *readers, ct_queue *queue, uint8_t index, uint32_t now);

/* Update the buttons. `down`: bit mask of those that are pressed now. Call this often. */
void ct_buttons(ct_readers *readers, ct_queue *queue, uint8_t down, uint32_t now);

#ifdef __cplusplus
}
#endif
#endif
