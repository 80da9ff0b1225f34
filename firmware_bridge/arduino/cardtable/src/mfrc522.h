/* One MFRC522 RFID reader on the SPI bus, and ISO/IEC 14443-3 type A: which tags are in its field.
 * Registers and commands: NXP's data sheet of the MFRC522, rev. 3.9, section 9. */
#ifndef CT_MFRC522_H
#define CT_MFRC522_H

#include <stdint.h>

enum Answer : uint8_t { GOOD, NOBODY, COLLISION, DISTURBED, HUNG };

struct Uid {
    uint8_t length;
    uint8_t bytes[10];
};

class Mfrc522 {
  public:
    void wired_to(uint8_t select_pin);

    /* Set the chip up anew; false where none answers. */
    bool begin();

    /* Whether the chip is there and still as `begin` left it. */
    bool ready();

    void field(bool on);

    /* Find one more tag that is not halted, and halt it. NOBODY: there is none. */
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
