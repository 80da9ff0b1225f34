/* Pin assignment, by the numbers printed on the boards. docs/how-to/rfid.md has a drawing. Change it as you like. */
#ifndef CT_PINS_H
#define CT_PINS_H

#include <Arduino.h>

#if defined(ARDUINO_AVR_MEGA2560) || defined(ARDUINO_AVR_ADK)
/* SPI: MISO 50, MOSI 51, SCK 52. */
static const uint8_t READER_PINS[] = {53, 49, 48, 47, 46, 45, 44, 43}; /* SDA (chip select) of readers 0 to 7 */
static const uint8_t RESET_PIN = 42;                                   /* RST of all readers */
static const uint8_t BUTTON_PINS[] = {A0, A1, A2, A3, A4, A5};         /* to ground */
static const uint8_t LIGHT_PINS[] = {22, 23, 24, 25, 26, 27};
#else
/* Uno and Nano. SPI: MOSI 11, MISO 12, SCK 13. */
static const uint8_t READER_PINS[] = {10, 9, 8, 7, 6, 5, 4, 3};
static const uint8_t RESET_PIN = 2;
static const uint8_t BUTTON_PINS[] = {A0, A1, A2};
static const uint8_t LIGHT_PINS[] = {A3, A4, A5};
#endif

#endif
