#include "scanner.h"

#include <Arduino.h>
#include <SPI.h>

/* ISO/IEC 14443-3, 5.1: a tag answers at the latest 5 ms after the field has come. */
static const uint32_t WARM_US = 5100;
/* After a reset the chip's crystal has to start: datasheet, 8.8.2. Modules have been seen to take milliseconds. */
static const uint32_t START_US = 50000;
static const uint32_t RETRY_MS = 1000;
/* So many tags are looked for; beyond, a scan cannot say who has gone. */
static const uint8_t MOST = CT_TAGS_MAX + 2;
static const uint8_t ERRORS = 4; /* exchanges of one scan that may be disturbed */

void Scanner::begin(const uint8_t *pins, uint8_t count, uint8_t reset_pin, ct_readers *readers, ct_queue *queue) {
    count_ = count;
    reset_pin_ = reset_pin;
    readers_ = readers;
    queue_ = queue;
    reader_ = (uint8_t)(count - 1);
    pinMode(reset_pin, OUTPUT);
    for (uint8_t i = 0; i < count; i++) {
        chips_[i].wired_to(pins[i]);
        retry_at_[i] = millis();
    }
    SPI.begin();
    reset_all();
}

/* The chips share one reset line. Those that worked are set up again when their turn comes: `ready` notices. */
void Scanner::reset_all() {
    digitalWrite(reset_pin_, LOW);
    delayMicroseconds(10);
    digitalWrite(reset_pin_, HIGH);
    since_ = micros();
    stage_ = START;
}

/* The next reader whose turn it is; one that does not answer is asked once a second. */
bool Scanner::choose() {
    for (uint8_t i = 0; i < count_; i++) {
        reader_ = (uint8_t)(reader_ + 1 == count_ ? 0 : reader_ + 1);
        if (readers_->readers[reader_].status != CT_BROKEN) return true;
        if ((int32_t)(millis() - retry_at_[reader_]) >= 0) return true;
    }
    return false;
}

bool Scanner::step() {
    switch (stage_) {
    case START:
        if (micros() - since_ < START_US) return false;
        stage_ = CHOOSE;
        return true;
    case CHOOSE:
        if (!choose()) return false;
        if (!chips_[reader_].ready() && !chips_[reader_].begin()) {
            broken(false);
            return true;
        }
        /* One field at a time: neighbours disturb each other, and the supply carries one. */
        chips_[reader_].field(true);
        ct_scan_begin(readers_);
        since_ = micros();
        found_ = errors_ = 0;
        stage_ = WARM;
        return true;
    case WARM:
        if (micros() - since_ < WARM_US) return false;
        stage_ = HUNT;
        return true;
    default:
        break;
    }
    Uid uid;
    switch (chips_[reader_].next_tag(&uid)) {
    case GOOD:
        if (uid.length <= CT_UID_MAX) {
            ct_scan_saw(readers_, queue_, reader_, uid.bytes, uid.length, millis());
        }
        if (++found_ > MOST) finish(false);
        break;
    case NOBODY:
        finish(true);
        break;
    case HUNG:
        broken(true);
        break;
    default:
        if (++errors_ == ERRORS) finish(false);
        break;
    }
    return true;
}

void Scanner::finish(bool complete) {
    chips_[reader_].field(false);
    ct_scan_end(readers_, queue_, reader_, complete, millis());
    stage_ = CHOOSE;
}

/* `hard`: only the reset line helps. It stops all readers for a moment, so where a chip has merely gone it is pulled
 * once, not at every try. */
void Scanner::broken(bool hard) {
    hard = hard || readers_->readers[reader_].status == CT_WORKING;
    ct_reader_broken(readers_, queue_, reader_, millis());
    retry_at_[reader_] = millis() + RETRY_MS;
    stage_ = CHOOSE;
    if (hard) reset_all();
}
