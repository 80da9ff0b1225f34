/* Firmware of the card table's RFID readers, for Arduino Nano, Uno and Mega.
 *
 * docs/how-to/rfid.md of cardtable describes wiring and flashing, docs/reference/protocol.md the serial protocol. */
#include <EEPROM.h>
#include <SPI.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "pins.h"
#include "src/core/link.h"
#include "src/scanner.h"

/* Old bootloaders of the Nano leave the watchdog running after it has reset the board, which then resets for ever: set
 * this to 0 for such a board. */
#ifndef CARDTABLE_WATCHDOG
#define CARDTABLE_WATCHDOG 1
#endif

template <typename T, size_t N> static constexpr uint8_t count_of(const T (&)[N]) { return N; }

static ct_queue queue;
static ct_readers readers;
static ct_link line;
static Scanner scanner;

static uint8_t cause __attribute__((section(".noinit")));

/* After a watchdog reset the watchdog runs on with its shortest period: stop it before anything else. */
extern "C" void stop_watchdog(void) __attribute__((naked, used, section(".init3")));
extern "C" void stop_watchdog(void) {
    cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

/* The number of this start, different at every start. The very first one is derived from uninitialised memory. */
static uint16_t next_boot() {
    extern uint8_t __heap_start;
    uint16_t boot;
    EEPROM.get(0, boot);
    if (boot == 0xFFFF) {
        for (const uint8_t *at = &__heap_start; at + 255 < (const uint8_t *)SP; at += 255) boot ^= ct_crc(at, 255);
    }
    boot++;
    if (boot == 0 || boot == 0xFFFF) boot = 1;
    EEPROM.put(0, boot);
    return boot;
}

void setup() {
    Serial.begin(115200);
    for (uint8_t pin : BUTTON_PINS) pinMode(pin, INPUT_PULLUP);
    for (uint8_t pin : LIGHT_PINS) pinMode(pin, OUTPUT);
    ct_queue_init(&queue);
    ct_readers_init(&readers, count_of(READER_PINS));
    ct_link_init(&line, &queue, &readers, next_boot(), millis());
    line.cause = cause;
    line.buttons = count_of(BUTTON_PINS);
    line.lights = count_of(LIGHT_PINS);
    scanner.begin(READER_PINS, count_of(READER_PINS), RESET_PIN, &readers, &queue);
    set_sleep_mode(SLEEP_MODE_IDLE);
#if CARDTABLE_WATCHDOG
    wdt_enable(WDTO_1S);
#endif
}

static bool exchange(uint32_t now) {
    uint8_t out[CT_FRAME_MAX], length;
    bool busy = false;
    while (Serial.available()) {
        ct_link_byte(&line, (uint8_t)Serial.read(), now);
        busy = true;
    }
    while ((length = ct_link_next(&line, out, (uint8_t)Serial.availableForWrite(), now))) {
        Serial.write(out, length);
        busy = true;
    }
    return busy;
}

static void update_buttons_and_lights(uint32_t now) {
    uint8_t down = 0;
    for (uint8_t i = 0; i < count_of(BUTTON_PINS); i++) down |= (uint8_t)(!digitalRead(BUTTON_PINS[i]) << i);
    ct_buttons(&readers, &queue, down, now);
    uint16_t shining = ct_link_lights(&line, now);
    for (uint8_t i = 0; i < count_of(LIGHT_PINS); i++) digitalWrite(LIGHT_PINS[i], shining >> i & 1);
}

void loop() {
    wdt_reset();
    uint32_t now = millis();
    bool busy = exchange(now);
    update_buttons_and_lights(now);
    busy = scanner.step() || busy;
    if (!busy) sleep_mode(); /* until the next timer tick (at most 1 ms) or the next byte */
}
