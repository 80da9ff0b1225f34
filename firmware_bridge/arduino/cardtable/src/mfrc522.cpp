#include "mfrc522.h"

#include <Arduino.h>
#include <SPI.h>
#include <string.h>

enum Register : uint8_t {
    COMMAND = 0x01,
    COM_IRQ = 0x04,
    ERROR = 0x06,
    FIFO_DATA = 0x09,
    FIFO_LEVEL = 0x0A,
    BIT_FRAMING = 0x0D,
    COLL = 0x0E,
    MODE = 0x11,
    TX_CONTROL = 0x14,
    TX_ASK = 0x15,
    RF_CFG = 0x26,
    T_MODE = 0x2A,
    T_PRESCALER = 0x2B,
    T_RELOAD_H = 0x2C,
    T_RELOAD_L = 0x2D,
    VERSION = 0x37
};

static const uint8_t IDLE = 0x00, TRANSCEIVE = 0x0C, SOFT_RESET = 0x0F, POWER_DOWN = 0x10;
static const uint8_t REQA = 0x26, HLTA = 0x50, SELECT_1 = 0x93, CASCADE_TAG = 0x88;
/* The chip's timer, the time-out for an answer: 13.56 MHz / (2 * 169 + 1) = 40 kHz, so 40 ticks are 1 ms. */
static const uint8_t PRESCALER = 169, TICKS = 40;
/* A chip without an answer or a time-out after this time hangs. The longest exchange takes 2 ms. */
static const uint32_t HUNG_US = 8000;

static const SPISettings SPI_SETTINGS(4000000, MSBFIRST, SPI_MODE0);

void Mfrc522::set_pin(uint8_t select_pin) {
    pin_ = select_pin;
    digitalWrite(pin_, HIGH);
    pinMode(pin_, OUTPUT);
}

uint8_t Mfrc522::read(uint8_t reg) {
    SPI.beginTransaction(SPI_SETTINGS);
    digitalWrite(pin_, LOW);
    SPI.transfer((uint8_t)(0x80 | (reg << 1)));
    uint8_t value = SPI.transfer(0);
    digitalWrite(pin_, HIGH);
    SPI.endTransaction();
    return value;
}

void Mfrc522::write(uint8_t reg, uint8_t value) {
    SPI.beginTransaction(SPI_SETTINGS);
    digitalWrite(pin_, LOW);
    SPI.transfer((uint8_t)(reg << 1));
    SPI.transfer(value);
    digitalWrite(pin_, HIGH);
    SPI.endTransaction();
}

bool Mfrc522::begin() {
    write(COMMAND, SOFT_RESET);
    for (uint8_t i = 0; i < 40 && (read(COMMAND) & POWER_DOWN); i++) delayMicroseconds(100); /* it restarts */
    uint8_t version = read(VERSION);
    if (version == 0x00 || version == 0xFF) return false; /* the line is not driven; clones have other numbers */
    write(T_MODE, 0x80); /* the timer starts when sending ends */
    write(T_PRESCALER, PRESCALER);
    write(T_RELOAD_H, 0);
    write(T_RELOAD_L, TICKS);
    write(TX_ASK, 0x40); /* 100 % amplitude modulation */
    write(MODE, 0x3D);
    write(RF_CFG, 0x70); /* highest receiver gain: a tag may lie under a card or two */
    write(COLL, 0x00);   /* bits after a collision read 0 */
    field(false);
    return ready();
}

bool Mfrc522::ready() {
    uint8_t version = read(VERSION);
    return version != 0x00 && version != 0xFF && read(T_RELOAD_L) == TICKS && read(T_PRESCALER) == PRESCALER;
}

uint8_t Mfrc522::version() { return read(VERSION); }

void Mfrc522::field(bool on) { write(TX_CONTROL, on ? 0x83 : 0x80); }

/* `received`: in: the size of `receive`, out: the number of bytes received. */
Answer Mfrc522::exchange(const uint8_t *send, uint8_t length, uint8_t last_bits, uint8_t *receive, uint8_t *received) {
    uint8_t framing = (uint8_t)(last_bits << 4 | last_bits);
    if (length == 1) framing = last_bits; /* REQA: sends seven bits, receives whole bytes */
    write(COMMAND, IDLE);
    write(COM_IRQ, 0x7F);
    write(FIFO_LEVEL, 0x80);
    for (uint8_t i = 0; i < length; i++) write(FIFO_DATA, send[i]);
    write(BIT_FRAMING, framing);
    write(COMMAND, TRANSCEIVE);
    write(BIT_FRAMING, (uint8_t)(framing | 0x80));
    uint32_t start = micros();
    uint8_t irq;
    do {
        irq = read(COM_IRQ);
        if (irq & 0x30) break;
        if (irq & 0x01) return TIMEOUT;
        if (micros() - start > HUNG_US) return HUNG;
    } while (true);
    uint8_t error = read(ERROR);
    uint8_t level = read(FIFO_LEVEL);
    if (level > *received) return DISTURBED;
    for (uint8_t i = 0; i < level; i++) receive[i] = read(FIFO_DATA);
    *received = level;
    if (error & 0x13) return DISTURBED; /* FIFO overflow, parity or protocol error */
    return error & 0x08 ? COLLISION : GOOD;
}

/* CRC_A of ISO/IEC 14443-3, annex B. */
static uint16_t crc_a(const uint8_t *data, uint8_t length) {
    uint16_t crc = 0x6363;
    while (length--) {
        crc ^= *data++;
        for (uint8_t bit = 0; bit < 8; bit++) crc = crc & 1 ? (uint16_t)(crc >> 1 ^ 0x8408) : (uint16_t)(crc >> 1);
    }
    return crc;
}

static void append_crc(uint8_t *data, uint8_t length) {
    uint16_t crc = crc_a(data, length);
    data[length] = (uint8_t)crc;
    data[length + 1] = (uint8_t)(crc >> 8);
}

/* Anticollision: select one tag at this cascade level. `part`: its four bytes and their checksum. */
Answer Mfrc522::resolve(uint8_t command, uint8_t *part) {
    uint8_t send[7], receive[5];
    uint8_t known = 0; /* number of known bits of `part` */
    memset(part, 0, 5);
    while (true) {
        uint8_t whole = known / 8, bits = known % 8;
        uint8_t sent = (uint8_t)(2 + whole + (bits ? 1 : 0));
        send[0] = command;
        send[1] = (uint8_t)((2 + whole) << 4 | bits);
        memcpy(send + 2, part, (size_t)(sent - 2));
        uint8_t received = sizeof receive;
        Answer answer = exchange(send, sent, bits, receive, &received);
        if (answer != GOOD && answer != COLLISION) return answer;
        if (whole + received > 5) return DISTURBED;
        uint8_t kept = (uint8_t)(part[whole] & ((1 << bits) - 1));
        memcpy(part + whole, receive, received);
        part[whole] = (uint8_t)((part[whole] & ~((1 << bits) - 1)) | kept);
        if (answer == GOOD) {
            bool right = whole + received == 5 && (part[0] ^ part[1] ^ part[2] ^ part[3]) == part[4];
            return right ? GOOD : DISTURBED;
        }
        /* At the bit where the tags differ, continue with those that have a 1. Positions count from 1 in `part`. */
        uint8_t coll = read(COLL);
        uint8_t position = coll & 0x1F ? coll & 0x1F : 32;
        if (coll & 0x20 || position <= known) return DISTURBED;
        part[(position - 1) / 8] |= (uint8_t)(1 << (position - 1) % 8);
        known = position;
        for (uint8_t bit = known; bit < 40; bit++) part[bit / 8] &= (uint8_t)~(1 << bit % 8);
    }
}

Answer Mfrc522::select(Uid *uid) {
    uid->length = 0;
    for (uint8_t level = 0; level < 3; level++) {
        uint8_t send[9];
        send[0] = (uint8_t)(SELECT_1 + 2 * level);
        send[1] = 0x70;
        Answer answer = resolve(send[0], send + 2);
        if (answer != GOOD) return answer;
        append_crc(send, 7);
        uint8_t sak[3], received = sizeof sak;
        answer = exchange(send, 9, 0, sak, &received);
        if (answer != GOOD) return answer;
        if (received != 3 || crc_a(sak, 1) != (sak[1] | (uint16_t)sak[2] << 8)) return DISTURBED;
        bool more = sak[0] & 0x04; /* the identifier continues at the next level */
        if (more && send[2] != CASCADE_TAG) return DISTURBED;
        memcpy(uid->bytes + uid->length, send + (more ? 3 : 2), more ? 3 : 4);
        uid->length = (uint8_t)(uid->length + (more ? 3 : 4));
        if (!more) return GOOD;
    }
    return DISTURBED;
}

Answer Mfrc522::next_tag(Uid *uid) {
    uint8_t answer_to_request[2], received = sizeof answer_to_request;
    Answer answer = exchange(&REQA, 1, 7, answer_to_request, &received);
    if (answer != GOOD && answer != COLLISION) return answer; /* several tags may give different answers */
    answer = select(uid);
    if (answer != GOOD) return answer == TIMEOUT ? DISTURBED : answer;
    uint8_t halt[4] = {HLTA, 0};
    append_crc(halt, 2);
    received = 0;
    answer = exchange(halt, 4, 0, halt, &received); /* a halted tag does not answer */
    return answer == HUNG ? HUNG : GOOD;
}
