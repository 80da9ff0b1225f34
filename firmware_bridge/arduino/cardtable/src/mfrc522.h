/* Driver of one MFRC522 RFID reader on the SPI bus. Finds the tags in its field (ISO/IEC 14443-3 type A).
 * Registers and commands: NXP's data sheet of the MFRC522, rev. 3.9, section 9. */
#ifndef CT_MFRC522_H
#define CT_MFRC522_H

#include <stdint.h>

enum Answer : uint8_t { GOOD, TIMEOUT, COLLISION, DISTURBED, HUNG };

struct Uid {
    uint8_t length;
    uint8_t bytes[10];
};

class Mfrc522 {
  public:
    void set_pin(uint8_t select_pin);

    /* Initialise the chip. Returns false if it does not answer. */
    bool begin();

    /* Whether the chip answers and still has the settings of `begin`. */
    bool ready();

    /* The number by which the chip names itself. */
    uint8_t version();

    /* Switch the radio field. */
    void field(bool on);

    /* Find and halt one tag that is not halted yet. TIMEOUT: there is none. */
    Answer next_tag(Uid *uid);

  private:
    uint8_t pin_;
    uint8_t read(uint8_t reg);
    void write(uint8_t reg, uint8_t value);
    Answer exchange(const uint8_t *send, uint8_t length, uint8_t last_bits, uint8_t *receive, uint8_t *received);
    Answer select(Uid *uid);
    Answer resolve(uint8_t command, uint8_t *part);
};

#endif
