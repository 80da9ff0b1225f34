#include "mfrc522.h"

#include <string.h>

enum {
    COMMAND = 0x01, COM_IRQ = 0x04, ERROR = 0x06, FIFO_DATA = 0x09, FIFO_LEVEL = 0x0A, BIT_FRAMING = 0x0D, COLL = 0x0E,
    TX_CONTROL = 0x14, T_MODE = 0x2A, T_PRESCALER = 0x2B, T_RELOAD_H = 0x2C, T_RELOAD_L = 0x2D, VERSION = 0x37
};
enum { TRANSCEIVE = 0x0C, SOFT_RESET = 0x0F };
enum { RX_IRQ = 0x20, TIMER_IRQ = 0x01, COLLISION_ERROR = 0x08 };

static const double BIT_US = 128 / 13.56;        /* 106 kbit/s */
static const double ANSWER_AFTER_US = 1172 / 13.56; /* frame delay time before an answer */
enum { WAKE_US = 5000 };                         /* time a tag needs in the field before it answers */
enum { START_US = 10000, RESTART_US = 150, POWER_DOWN = 0x10 };

static bool in_field(const sim_mfrc522 *chip) { return (chip->registers[TX_CONTROL] & 3) == 3; }

static uint16_t crc_a(const uint8_t *data, int length) {
    uint16_t crc = 0x6363;
    for (int i = 0; i < length; i++) {
        uint8_t byte = (uint8_t)(data[i] ^ (crc & 0xFF));
        byte ^= (uint8_t)(byte << 4);
        crc = (uint16_t)((crc >> 8) ^ (byte << 8) ^ (byte << 3) ^ (byte >> 4));
    }
    return crc;
}

/* The four bytes and the checksum of a tag at a cascade level. Returns whether its identifier continues after it. */
static bool part_of(const sim_tag *tag, uint8_t level, uint8_t *part) {
    bool more = tag->length == 7 && level == 0;
    if (more) {
        part[0] = 0x88;
        memcpy(part + 1, tag->uid, 3);
    } else {
        memcpy(part, tag->uid + (tag->length == 7 ? 3 : 0), 4);
    }
    part[4] = part[0] ^ part[1] ^ part[2] ^ part[3];
    return more;
}

static bool bit_at(const uint8_t *bytes, int bit) { return bytes[bit / 8] >> bit % 8 & 1; }

/* Superimpose the answers of several tags: the first bit that differs is a collision, and the bits after it are 0. */
static void merge(sim_mfrc522 *chip, const uint8_t *answer, int bytes, int known) {
    if (!chip->answered) {
        memcpy(chip->answer, answer, (size_t)bytes);
        chip->answer_length = (uint8_t)bytes;
        chip->answered = true;
        return;
    }
    int end = chip->answer_error ? (chip->answer_coll - 1) : 8 * bytes;
    for (int bit = known; bit < end; bit++) {
        if (bit_at(chip->answer, bit) == bit_at(answer, bit)) continue;
        chip->answer_error = COLLISION_ERROR;
        chip->answer_coll = (uint8_t)(bit + 1);
        for (int rest = bit; rest < 8 * bytes; rest++) chip->answer[rest / 8] &= (uint8_t)~(1 << rest % 8);
        return;
    }
}

static void request(sim_mfrc522 *chip) {
    for (int i = 0; i < chip->tag_count; i++) {
        sim_tag *tag = &chip->tags[i];
        if (tag->state == TAG_HALT) continue;
        if (tag->state != TAG_IDLE) {
            tag->state = TAG_IDLE;
            continue;
        }
        tag->state = TAG_READY;
        tag->level = 0;
        uint8_t answer[2] = {tag->length == 7 ? 0x44 : 0x04, 0x00};
        merge(chip, answer, 2, 0);
    }
}

/* SEL and NVB with the first bits of an identifier: the tags whose identifiers begin with them answer. */
static void anticollision(sim_mfrc522 *chip, const uint8_t *sent, int known) {
    uint8_t level = (uint8_t)((sent[0] - 0x93) / 2);
    for (int i = 0; i < chip->tag_count; i++) {
        sim_tag *tag = &chip->tags[i];
        uint8_t part[5];
        bool fits = tag->state == TAG_READY && tag->level == level;
        part_of(tag, level, part);
        for (int bit = 0; fits && bit < known; bit++) fits = bit_at(part, bit) == bit_at(sent + 2, bit);
        if (!fits) continue;
        if (known == 40) {
            bool more = part_of(tag, level, part);
            tag->state = more ? TAG_READY : TAG_ACTIVE;
            tag->level++;
            uint8_t sak[3] = {more ? 0x04 : 0x00};
            uint16_t crc = crc_a(sak, 1);
            sak[1] = (uint8_t)crc;
            sak[2] = (uint8_t)(crc >> 8);
            merge(chip, sak, 3, 0);
        } else {
            merge(chip, part, 5, known);
        }
    }
    if (known < 40 && chip->answered) { /* the known bytes, and the known bits of the next one, are not received again */
        int whole = known / 8;
        memmove(chip->answer, chip->answer + whole, (size_t)(5 - whole));
        chip->answer_length = (uint8_t)(5 - whole);
        chip->answer[0] &= (uint8_t)~((1 << known % 8) - 1);
    } else if (known == 40) {
        for (int i = 0; i < chip->tag_count; i++) {
            sim_tag *tag = &chip->tags[i];
            if (tag->state == TAG_READY && tag->level == level) tag->state = TAG_IDLE;
        }
    }
}

static void air(sim_mfrc522 *chip, const uint8_t *sent, int length, int last_bits) {
    bool checked = length > 2 && crc_a(sent, length - 2) == (sent[length - 2] | sent[length - 1] << 8);
    if (length == 1 && last_bits == 7 && sent[0] == 0x26) {
        request(chip);
    } else if (length >= 2 && (sent[0] == 0x93 || sent[0] == 0x95 || sent[0] == 0x97)) {
        int known = (sent[1] >> 4) * 8 - 16 + (sent[1] & 7);
        if (known == 40 ? checked && length == 9 : known < 40 && length == 2 + (known + 7) / 8)
            anticollision(chip, sent, known);
    } else if (length == 4 && sent[0] == 0x50 && checked) {
        for (int i = 0; i < chip->tag_count; i++)
            if (chip->tags[i].state == TAG_ACTIVE) chip->tags[i].state = TAG_HALT;
    }
}

static avr_cycle_count_t arrived(avr_t *avr, avr_cycle_count_t when, void *param) {
    (void)avr, (void)when;
    sim_mfrc522 *chip = param;
    if (!chip->answered) {
        chip->registers[COM_IRQ] |= TIMER_IRQ;
        return 0;
    }
    memcpy(chip->fifo, chip->answer, chip->answer_length);
    chip->level = chip->answer_length;
    chip->taken = 0;
    chip->registers[ERROR] = chip->answer_error;
    chip->registers[COLL] = (uint8_t)((chip->registers[COLL] & 0x80) | (chip->answer_error ? chip->answer_coll & 31 : 32));
    chip->registers[COM_IRQ] |= RX_IRQ;
    return 0;
}

static void send(sim_mfrc522 *chip) {
    uint8_t sent[64];
    int length = chip->level, last_bits = chip->registers[BIT_FRAMING] & 7;
    memcpy(sent, chip->fifo, (size_t)length);
    chip->level = chip->taken = 0;
    chip->answered = false;
    chip->answer_error = chip->answer_length = 0;
    bool awake = chip->avr->cycle - chip->field_since >= avr_usec_to_cycles(chip->avr, WAKE_US);
    if (in_field(chip) && awake) air(chip, sent, length, last_bits);
    double us = (length * 9 - (last_bits ? 8 - last_bits : 0) + 2) * BIT_US;
    if (chip->answered) {
        us += ANSWER_AFTER_US + (chip->answer_length * 9 + 2) * BIT_US;
    } else {
        int ticks = chip->registers[T_RELOAD_H] << 8 | chip->registers[T_RELOAD_L];
        int prescaler = (chip->registers[T_MODE] & 15) << 8 | chip->registers[T_PRESCALER];
        if (!(chip->registers[T_MODE] & 0x80)) return; /* without the timer, nothing ends the wait */
        us += (ticks + 1) * (2 * prescaler + 1) / 13.56;
    }
    avr_cycle_timer_register_usec(chip->avr, (uint32_t)us, arrived, chip);
}

static void write_register(sim_mfrc522 *chip, uint8_t address, uint8_t value) {
    bool had_field = in_field(chip);
    switch (address) {
    case COMMAND:
        avr_cycle_timer_cancel(chip->avr, arrived, chip);
        if ((value & 15) == SOFT_RESET) {
            sim_mfrc522_reset(chip, false);
            return;
        }
        break;
    case COM_IRQ: /* bit 7: set or clear the others */
        if (value & 0x80) chip->registers[COM_IRQ] |= value & 0x7F;
        else chip->registers[COM_IRQ] &= (uint8_t)~value;
        return;
    case FIFO_DATA:
        if (chip->level < sizeof chip->fifo) chip->fifo[chip->level++] = value;
        return;
    case FIFO_LEVEL:
        if (value & 0x80) chip->level = chip->taken = 0;
        return;
    case VERSION:
        return;
    default:
        break;
    }
    chip->registers[address] = value;
    if (address == BIT_FRAMING && (value & 0x80) && chip->registers[COMMAND] == TRANSCEIVE) send(chip);
    if (had_field && !in_field(chip))
        for (int i = 0; i < chip->tag_count; i++) chip->tags[i].state = TAG_IDLE;
    if (had_field || !in_field(chip)) return;
    chip->field_since = chip->avr->cycle;
    chip->scans++;
}

static uint8_t read_register(sim_mfrc522 *chip, uint8_t address) {
    if (address == FIFO_LEVEL) return (uint8_t)(chip->level - chip->taken);
    if (address != FIFO_DATA) return chip->registers[address];
    return chip->taken < chip->level ? chip->fifo[chip->taken++] : 0;
}

void sim_mfrc522_init(sim_mfrc522 *chip, avr_t *avr) {
    memset(chip, 0, sizeof *chip);
    chip->avr = avr;
    chip->version = 0x92;
    sim_mfrc522_reset(chip, true);
}

void sim_mfrc522_reset(sim_mfrc522 *chip, bool by_pin) {
    chip->starts_at = chip->avr->cycle + avr_usec_to_cycles(chip->avr, by_pin ? START_US : RESTART_US);
    avr_cycle_timer_cancel(chip->avr, arrived, chip);
    memset(chip->registers, 0, sizeof chip->registers);
    chip->registers[COMMAND] = 0x20;
    chip->registers[TX_CONTROL] = 0x80;
    chip->registers[COLL] = 0x80;
    chip->registers[VERSION] = chip->version;
    chip->level = chip->taken = 0;
    for (int i = 0; i < chip->tag_count; i++) chip->tags[i].state = TAG_IDLE;
}

void sim_mfrc522_select(sim_mfrc522 *chip, bool selected) {
    chip->selected = selected;
    chip->transfers = 0;
}

uint8_t sim_mfrc522_transfer(sim_mfrc522 *chip, uint8_t out) {
    if (chip->gone) return 0xFF;
    if (chip->transfers++ == 0) {
        chip->address = out;
        return 0;
    }
    uint8_t address = chip->address >> 1 & 0x3F;
    if (chip->avr->cycle < chip->starts_at) return address == COMMAND ? POWER_DOWN : 0;
    /* A chip that hangs still returns its registers, as real ones do, but does nothing. */
    if (chip->address & 0x80) return chip->dead && address == COM_IRQ ? 0 : read_register(chip, address);
    if (!chip->dead && !chip->deaf) write_register(chip, address, out);
    return 0;
}

static int find(const sim_mfrc522 *chip, const uint8_t *uid, uint8_t length) {
    for (int i = 0; i < chip->tag_count; i++)
        if (chip->tags[i].length == length && memcmp(chip->tags[i].uid, uid, length) == 0) return i;
    return -1;
}

bool sim_mfrc522_lay(sim_mfrc522 *chip, const uint8_t *uid, uint8_t length) {
    if (chip->tag_count == SIM_TAGS || find(chip, uid, length) >= 0) return false;
    sim_tag *tag = &chip->tags[chip->tag_count++];
    memset(tag, 0, sizeof *tag);
    memcpy(tag->uid, uid, length);
    tag->length = length;
    return true;
}

bool sim_mfrc522_lift(sim_mfrc522 *chip, const uint8_t *uid, uint8_t length) {
    int at = find(chip, uid, length);
    if (at < 0) return false;
    chip->tags[at] = chip->tags[--chip->tag_count];
    return true;
}
