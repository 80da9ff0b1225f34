/* A simulated Arduino Uno that runs the real firmware: an ATmega328P (libsimavr), eight MFRC522 on its SPI bus, three
 * buttons and lights, and a pseudo-terminal as its USB port.
 *
 *     board FIRMWARE.elf LINK BOOT
 *
 * LINK: a symbolic link to the port, there while it is plugged in. BOOT: the number of the last start, in the EEPROM.
 * Commands come on standard input, one a line, each answered by one line: see `obey`. It ends with its parent. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "mfrc522.h"

enum { READERS = 8, BUTTONS = 3, HERTZ = 16000000, BYTE_CYCLES = HERTZ / 11520, SLICE = HERTZ / 1000, PENDING = 4096 };

typedef struct {
    char port;
    int bit;
} pin;

/* Pins 10 to 3 of the Uno, and 2: as firmware_bridge/arduino/cardtable/pins.h has them. */
static const pin SELECTS[READERS] = {{'B', 2}, {'B', 1}, {'B', 0}, {'D', 7}, {'D', 6}, {'D', 5}, {'D', 4}, {'D', 3}};
static const pin RESET = {'D', 2};
enum { SPCR = 0x4C, SPSR = 0x4D, SPDR = 0x4E };
enum { PINC = 0x26, DDRC = 0x27, PORTC = 0x28 }; /* A0 to A2 are bits 0 to 2 of port C, A3 to A5 bits 3 to 5 */

static avr_t *avr;
static sim_mfrc522 chips[READERS];
static avr_irq_t *spi_in, *uart_in;
static int master = -1;
static bool off, can_take = true;
static uint8_t pressed, spi_answer;
static const char *link_path;
static uint8_t to_board[PENDING];
static int to_board_count;
static double noise;
static uint64_t chance = 1;

static double draw(void) { /* xorshift64*: the same faults for the same seed */
    chance ^= chance >> 12;
    chance ^= chance << 25;
    chance ^= chance >> 27;
    return (double)(chance * 2685821657736338717ULL >> 11) / 9007199254740992.0;
}

/* What becomes of a byte on a bad line: dropped, flipped, or one more before it. The bytes in `out`, how many. */
static int disturb(uint8_t byte, uint8_t out[2]) {
    double at = noise > 0 ? draw() : 1;
    out[0] = byte;
    if (at >= noise) return 1;
    if (at < noise / 3) return 0;
    if (at < noise * 2 / 3) {
        out[0] ^= (uint8_t)(1 << (int)(draw() * 8));
        return 1;
    }
    out[0] = (uint8_t)(draw() * 256);
    out[1] = byte;
    return 2;
}

static void plug(void) {
    int slave;
    struct termios raw;
    char name[128], temporary[4096];
    if (master >= 0 || openpty(&master, &slave, name, NULL, NULL)) return;
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    close(slave);
    fcntl(master, F_SETFL, O_NONBLOCK);
    snprintf(temporary, sizeof temporary, "%s.new", link_path);
    unlink(temporary);
    if (symlink(name, temporary) == 0) rename(temporary, link_path);
}

static void unplug(void) {
    if (master < 0) return;
    unlink(link_path);
    close(master);
    master = -1;
    to_board_count = 0;
}

static void from_uart(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    uint8_t bytes[2];
    int count = disturb((uint8_t)value, bytes);
    /* With nobody listening the system's buffer fills up, and the rest is lost as on a real port. */
    if (master >= 0 && count && write(master, bytes, (size_t)count) < 0 && errno != EAGAIN && errno != EIO) unplug();
}

static void uart_room(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value;
    can_take = param != NULL;
}

static avr_cycle_count_t next_byte(avr_t *self, avr_cycle_count_t when, void *param) {
    (void)self, (void)param;
    if (to_board_count && can_take) {
        avr_raise_irq(uart_in, to_board[0]);
        memmove(to_board, to_board + 1, (size_t)--to_board_count);
    }
    return when + BYTE_CYCLES;
}

static void from_port(void) {
    uint8_t bytes[256], out[2];
    if (master < 0 || to_board_count > PENDING - 2 * (int)sizeof bytes) return;
    ssize_t count = read(master, bytes, sizeof bytes);
    for (ssize_t i = 0; i < count; i++) {
        int copies = disturb(bytes[i], out);
        for (int k = 0; k < copies; k++) to_board[to_board_count++] = out[k];
    }
}

/* The simulator's own SPI takes 100 us for a byte whatever its clock. A byte takes as long as SPCR and SPSR say. */
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
        chips[i].dead = false;
        sim_mfrc522_reset(&chips[i]);
    }
}

static avr_irq_t *pin_irq(pin which) {
    return avr_io_getirq(avr, (uint32_t)AVR_IOCTL_IOPORT_GETIRQ(which.port), which.bit);
}

/* The firmware sleeps until an interrupt: the clock just goes on. Pace is kept in `main`. */
static void no_sleep(avr_t *self, avr_cycle_count_t cycles) { (void)self, (void)cycles; }

static void quiet(avr_t *self, const int level, const char *format, va_list list) {
    (void)self;
    if (level <= LOG_ERROR) vfprintf(stderr, format, list);
}

static void wire(void) {
    spi_in = avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_INPUT);
    avr_register_io_write(avr, SPDR, to_spi, NULL);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), from_uart, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), uart_room, &can_take);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), uart_room, NULL);
    uint32_t flags = 0; /* no echo on standard output, no sleeping of its own */
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    for (int i = 0; i < READERS; i++) {
        sim_mfrc522_init(&chips[i], avr);
        avr_irq_register_notify(pin_irq(SELECTS[i]), on_select, &chips[i]);
    }
    avr_irq_register_notify(pin_irq(RESET), on_reset, NULL);
}

/* What the simulator forgets when it resets the chip, by the watchdog too: pulled-up pins, and its timers. */
static void surroundings(void) {
    avr->data[PINC] = (uint8_t)((avr->data[PINC] & ~7) | (~pressed & 7));
    if (avr_cycle_timer_status(avr, next_byte, NULL)) return;
    can_take = true;
    avr_cycle_timer_register(avr, BYTE_CYCLES, next_byte, NULL);
}

static int read_uid(const char *text, uint8_t *uid) {
    int length = (int)strlen(text) / 2;
    if (strlen(text) % 2 || (length != 4 && length != 7)) return 0;
    for (int i = 0; i < length; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) return 0;
        uid[i] = (uint8_t)byte;
    }
    return length;
}

/* An endless loop at the end of the flash memory: only the watchdog gets the program out of it. */
static void wedge(void) {
    uint32_t at = avr->flashend - 1;
    avr->flash[at] = 0xFF;
    avr->flash[at + 1] = 0xCF; /* rjmp to itself */
    avr->pc = at;
}

static const char *obey(const char *line) {
    static char answer[64];
    char word[16] = "", text[32] = "";
    double first = 0;
    sscanf(line, "%15s %lf %31s", word, &first, text);
    int n = (int)first;
    bool reader = n >= 0 && n < READERS, button = n >= 0 && n < BUTTONS;
    uint8_t uid[7];
    if ((!strcmp(word, "lay") || !strcmp(word, "lift")) && reader) {
        int length = read_uid(text, uid);
        bool done = length && (word[2] == 'y' ? sim_mfrc522_lay : sim_mfrc522_lift)(&chips[n], uid, (uint8_t)length);
        return done ? "ok" : "no such tag";
    }
    if (!strcmp(word, "hang") && reader) chips[n].dead = true;
    else if (!strcmp(word, "remove") && reader) chips[n].gone = true;
    else if (!strcmp(word, "attach") && reader) chips[n].gone = false;
    else if (!strcmp(word, "press") && button) pressed |= (uint8_t)(1 << n);
    else if (!strcmp(word, "release") && button) pressed &= (uint8_t)~(1 << n);
    else if (!strcmp(word, "reset")) avr_reset(avr);
    else if (!strcmp(word, "wedge")) wedge();
    else if (!strcmp(word, "off")) off = true;
    else if (!strcmp(word, "on")) {
        if (off) avr_reset(avr);
        off = false;
    } else if (!strcmp(word, "unplug")) unplug();
    else if (!strcmp(word, "plug")) plug();
    else if (!strcmp(word, "noise")) {
        noise = first;
        chance = strtoull(text, NULL, 10) * 2 + 1;
    } else if (!strcmp(word, "lights")) {
        snprintf(answer, sizeof answer, "%d", (avr->data[PORTC] & avr->data[DDRC]) >> 3 & 7);
        return answer;
    } else if (!strcmp(word, "time")) {
        snprintf(answer, sizeof answer, "%.6f", (double)avr->cycle / HERTZ);
        return answer;
    } else return "no such command";
    return "ok";
}

static bool commands(void) {
    static char line[256];
    static int length;
    char byte;
    ssize_t count;
    while ((count = read(STDIN_FILENO, &byte, 1)) == 1) {
        if (byte == '\n') {
            line[length] = 0;
            length = 0;
            printf("%s\n", obey(line));
        } else if (length < (int)sizeof line - 1) {
            line[length++] = byte;
        }
    }
    return count != 0;
}

static double wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_for(double seconds) {
    struct timespec wait = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&wait, NULL);
}

int main(int count, char **arguments) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    if (count != 4 || elf_read_firmware(arguments[1], &firmware)) {
        fprintf(stderr, "usage: board FIRMWARE.elf LINK BOOT\n");
        return 2;
    }
    link_path = arguments[2];
    uint8_t boot[2] = {(uint8_t)atoi(arguments[3]), (uint8_t)(atoi(arguments[3]) >> 8)};
    avr_global_logger_set(quiet);
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    firmware.frequency = HERTZ;
    avr_load_firmware(avr, &firmware);
    avr->sleep = no_sleep;
    avr_eeprom_desc_t eeprom = {.ee = boot, .offset = 0, .size = 2};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &eeprom);
    wire();
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    plug();
    printf("ready\n");

    double began = wall();
    avr_cycle_count_t began_cycle = avr->cycle, target = avr->cycle;
    while (commands()) {
        from_port();
        surroundings();
        for (target += SLICE; !off && avr->cycle < target;) {
            int state = avr_run(avr);
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "the firmware crashed\n");
                return 1;
            }
        }
        double ahead = (double)(target - began_cycle) / HERTZ - (wall() - began);
        if (off || ahead < -0.05) { /* a computer too slow, or a board without power, has nothing to catch up with */
            if (off) sleep_for(0.001);
            began = wall();
            began_cycle = target = avr->cycle;
        } else if (ahead > 0) {
            sleep_for(ahead);
        }
    }
    unlink(link_path);
    return 0;
}
