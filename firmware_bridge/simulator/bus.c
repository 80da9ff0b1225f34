#include "bus.h"

#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <stddef.h>

typedef struct {
    char port;
    int bit;
} pin;

/* Pins 10 to 3 of the Uno, and pin 2, as in firmware_bridge/arduino/cardtable/pins.h. */
static const pin SELECTS[READERS] = {{'B', 2}, {'B', 1}, {'B', 0}, {'D', 7}, {'D', 6}, {'D', 5}, {'D', 4}, {'D', 3}};
static const pin RESET = {'D', 2};
enum { SPCR = 0x4C, SPSR = 0x4D, SPDR = 0x4E };

sim_mfrc522 chips[READERS];
static avr_irq_t *spi_in;
static uint8_t spi_answer;

/* simavr's own SPI needs 100 us per byte at any clock rate. Here the duration follows from SPCR and SPSR. */
static avr_cycle_count_t spi_done(avr_t *self, avr_cycle_count_t when, void *param) {
    (void)self, (void)when, (void)param;
    avr_raise_irq(spi_in, spi_answer);
    return 0;
}

static void to_spi(struct avr_t *self, avr_io_addr_t address, uint8_t value, void *param) {
    static const uint8_t DIVIDERS[] = {4, 16, 64, 128};
    (void)address, (void)param;
    spi_answer = 0xFF;
    for (int i = 0; i < READERS; i++)
        if (chips[i].selected) spi_answer = sim_mfrc522_transfer(&chips[i], value);
    int divider = DIVIDERS[self->data[SPCR] & 3] >> (self->data[SPSR] & 1);
    self->data[SPSR] &= 0x7F;
    avr_cycle_timer_register(self, (avr_cycle_count_t)(8 * divider), spi_done, NULL);
}

static void on_select(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    sim_mfrc522_select(param, !value);
}

static void on_reset(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    for (int i = 0; !value && i < READERS; i++) {
        chips[i].dead = chips[i].deaf = false;
        sim_mfrc522_reset(&chips[i], true);
    }
}

static void on_pin(avr_t *avr, pin which, avr_irq_notify_t notify, void *param) {
    uint32_t port = (uint32_t)AVR_IOCTL_IOPORT_GETIRQ(which.port);
    avr_irq_register_notify(avr_io_getirq(avr, port, which.bit), notify, param);
}

void bus_wire(avr_t *avr) {
    spi_in = avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_INPUT);
    avr_register_io_write(avr, SPDR, to_spi, NULL);
    for (int i = 0; i < READERS; i++) {
        sim_mfrc522_init(&chips[i], avr);
        on_pin(avr, SELECTS[i], on_select, &chips[i]);
    }
    on_pin(avr, RESET, on_reset, NULL);
}
