/* What lies on each reader, made from scans: laid, lifted, debounced, and never reported into a full queue. */
#ifndef CT_READERS_H
#define CT_READERS_H

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CT_READERS_MAX = 8,
    CT_TAGS_MAX = 6,   /* on one reader; they fit into one STATE frame */
    CT_MISSES = 3,     /* a tag not seen in so many scans in a row has been lifted */
    CT_LOOKS = 12,     /* after so many disturbed scans, or a third as many complete ones, what lies there is known */
    CT_BUTTONS_MAX = 8,
    CT_DEBOUNCE_MS = 20
};

enum { CT_LOOKING = 0, CT_WORKING = 1, CT_BROKEN = 2 };

typedef struct {
    uint8_t length;
    uint8_t uid[CT_UID_MAX];
    uint8_t misses;
} ct_tag;

typedef struct {
    uint8_t status;
    uint8_t looks; /* scans since it began to answer, a complete one counts for four; up to CT_LOOKS */
    bool told_broken; /* the host was told by an event that it does not answer, and not that it works again */
    uint8_t count;
    ct_tag tags[CT_TAGS_MAX];
} ct_reader;

typedef struct {
    uint8_t count; /* readers */
    ct_reader readers[CT_READERS_MAX];
    uint8_t seen;  /* bits of the tags seen in the scan under way */
    uint8_t pressed, candidate;
    uint16_t changing_since[CT_BUTTONS_MAX]; /* low half of the time; each on its own: one may bounce all day */
} ct_readers;

void ct_readers_init(ct_readers *readers, uint8_t count);

/* A scan of reader `index` begins, sees tags, and ends: complete, or broken off by a disturbance or too many tags. */
void ct_scan_begin(ct_readers *readers);
void ct_scan_saw(ct_readers *readers, ct_queue *queue, uint8_t index, const uint8_t *uid, uint8_t length, uint32_t now);
void ct_scan_end(ct_readers *readers, ct_queue *queue, uint8_t index, bool complete, uint32_t now);

/* Reader `index` does not answer. What lay there is not lifted: nobody can know. */
void ct_reader_broken(ct_readers *readers, ct_queue *queue, uint8_t index, uint32_t now);

/* The buttons that are down now, a bit each; to be called often. */
void ct_buttons(ct_readers *readers, ct_queue *queue, uint8_t down, uint32_t now);

#ifdef __cplusplus
}
#endif
#endif
