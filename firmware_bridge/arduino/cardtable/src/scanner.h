/* Scans the readers one after the other, and passes the tags on them to the core. */
#ifndef CT_SCANNER_H
#define CT_SCANNER_H

#include "core/readers.h"
#include "mfrc522.h"

class Scanner {
  public:
    void begin(const uint8_t *pins, uint8_t count, uint8_t reset_pin, ct_readers *readers, ct_queue *queue);

    /* Do the next piece of work: at most one tag, about 10 ms. Returns false if there is nothing to do yet. */
    bool step();

  private:
    enum Stage : uint8_t { START, CHOOSE, WARM, HUNT };
    Mfrc522 chips_[CT_READERS_MAX];
    uint32_t retry_at_[CT_READERS_MAX];
    ct_readers *readers_;
    ct_queue *queue_;
    uint32_t since_;
    uint8_t count_, reset_pin_, reader_, found_, errors_;
    Stage stage_;
    bool choose();
    void finish(bool complete);
    void broken(bool hard);
    void reset_all();
};

#endif
