/* A simulated MFRC522 with the tags in its field: the parts of NXP's data sheet (rev. 3.9) and of ISO/IEC 14443-3 type
 * A that are needed to read identifiers, with their timing. */
#ifndef SIM_MFRC522_H
#define SIM_MFRC522_H

#include <simavr/sim_avr.h>
#include <simavr/sim_cycle_timers.h>
#include <simavr/sim_time.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIM_TAGS = 16 };

typedef struct {
    uint8_t uid[7], length;
    enum { TAG_IDLE, TAG_READY, TAG_ACTIVE, TAG_HALT } state;
    uint8_t level;
} sim_tag;

typedef struct {
    avr_t *avr;
    uint8_t registers[64], fifo[64], level, taken;
    sim_tag tags[SIM_TAGS];
    uint8_t tag_count;
    bool selected, dead;        /* dead: hangs until it is reset by its pin */
    bool deaf;                  /* its registers cannot be written until it is reset by its pin */
    uint8_t version;            /* VersionReg: 0x92 unless it is a copy */
    bool gone;                  /* not connected */
    avr_cycle_count_t starts_at; /* end of the start-up after a reset; until then it answers 0, or "power-down" */
    uint8_t transfers, address; /* of the present SPI exchange */
    avr_cycle_count_t field_since;
    unsigned scans; /* how often the field was switched on */
    uint8_t answer[8], answer_length, answer_error, answer_coll;
    bool answered;
} sim_mfrc522;

void sim_mfrc522_init(sim_mfrc522 *chip, avr_t *avr);

/* Reset by the reset pin, or by the command, which is quicker. */
void sim_mfrc522_reset(sim_mfrc522 *chip, bool by_pin);
void sim_mfrc522_select(sim_mfrc522 *chip, bool selected);
uint8_t sim_mfrc522_transfer(sim_mfrc522 *chip, uint8_t out);
bool sim_mfrc522_lay(sim_mfrc522 *chip, const uint8_t *uid, uint8_t length);
bool sim_mfrc522_lift(sim_mfrc522 *chip, const uint8_t *uid, uint8_t length);

#endif
