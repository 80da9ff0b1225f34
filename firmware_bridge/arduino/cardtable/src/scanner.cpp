#include "scanner.h"

#include <Arduino.h>
#include <SPI.h>

/* ISO/IEC 14443-3, 5.1: a tag is ready at the latest 5 ms after the field is switched on. */
static const uint32_t WARM_US = 5100;
/* Start-up time of the chip's crystal after a reset (data sheet, 8.8.2). Some modules need several milliseconds. */
static const uint32_t START_US = 50000;
static const uint32_t RETRY_MS = 1000;
/* Most tags in one scan. With more, a scan is incomplete, and does not show which tags were lifted. */
static const uint8_t MOST = CT_TAGS_MAX + 2;
static const uint8_t ERRORS = 4; /* disturbed exchanges after which a scan is abandoned */

void Scanner::begin(const uint8_t *pins, uint8_t count, uint8_t reset_pin, ct_readers *readers, ct_queue *queue) {
    count_ = count;
    reset_pin_ = reset_pin;
    readers_ = readers;
    queue_ = queue;
    reader_ = (uint8_t)(count - 1);
    pinMode(reset_pin, OUTPUT);
    for (uint8_t i = 0; i < count; i++) {
        chips_[i].set_pin(pins[i]);
        retry_at_[i] = millis();
    }
    SPI.begin();
    reset_all();
}

/* Reset all chips: they share one reset line. Each is initialised again at its next turn, when `ready` fails. */
void Scanner::reset_all() {
    digitalWrite(reset_pin_, LOW);
    delayMicroseconds(10);
    digitalWrite(reset_pin_, HIGH);
    since_ = micros();
    stage_ = START;
}

/* Select the next reader. One that does not answer is tried once a second. */
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
        readers_->readers[reader_].chip = chips_[reader_].version();
        /* One field at a time: neighbours disturb each other, and the power supply is enough for one. */
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
    case TIMEOUT:
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

/* `hard`: the chip needs a reset. A reset interrupts all readers, so for a chip that does not answer it is done once,
 * not at every attempt. */
void Scanner::broken(bool hard) {
    hard = hard || readers_->readers[reader_].status == CT_WORKING;
    ct_reader_broken(readers_, queue_, reader_, millis());
    retry_at_[reader_] = millis() + RETRY_MS;
    stage_ = CHOOSE;
    if (hard) reset_all();
}
