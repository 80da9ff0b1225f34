/* A simulated Arduino Uno that runs the real firmware: an ATmega328P (libsimavr), eight MFRC522 on its SPI bus, three
 * buttons and lights, and a pseudo-terminal as its USB port.
 *
 *     board FIRMWARE.elf LINK BOOT [stepped]
 *
 * LINK: path of a symbolic link to the port, which exists while the cable is plugged in. BOOT: number of the previous
 * start, in the EEPROM. The board runs in real time; a stepped board runs only during the command `run`, as fast as the
 * computer can. Commands come on standard input, one per line, each answered by one line: see `execute`. The simulator
 * ends with its parent. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <simavr/avr_eeprom.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_regbit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "bus.h"
#include "line.h"

enum { BUTTONS = 3, SLICE = HERTZ / 1000 };
enum { PINC = 0x26, DDRC = 0x27, PORTC = 0x28 }; /* A0 to A2 are bits 0 to 2 of port C, A3 to A5 bits 3 to 5 */

static avr_t *avr;
static bool off, stepped;
static uint8_t pressed;
static avr_cycle_count_t target; /* cycle up to which the board has run, or is to run now */

/* The firmware sleeps until an interrupt: just let its clock run. `main` keeps real time. */
static void no_sleep(avr_t *self, avr_cycle_count_t cycles) { (void)self, (void)cycles; }

static void quiet(avr_t *self, const int level, const char *format, va_list list) {
    (void)self;
    if (level <= LOG_ERROR) vfprintf(stderr, format, list);
}

/* Restore what the simulator loses when the chip is reset, also by the watchdog: pulled-up pins, and timers. */
static void restore_inputs(void) {
    avr->data[PINC] = (uint8_t)((avr->data[PINC] & ~7) | (~pressed & 7));
    line_restore_timer(avr);
}

/* Run the board for 1 ms. */
static void slice(void) {
    target += SLICE;
    line_read();
    restore_inputs();
    while (!off && avr->cycle < target) {
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "the firmware crashed\n");
            exit(1);
        }
    }
    if (off) {
        avr->cycle = target;
        line_drop();
    }
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

/* Jump into an endless loop at the end of the flash memory, which only the watchdog ends. */
static void wedge(void) {
    uint32_t at = avr->flashend - 1;
    avr->flash[at] = 0xFF;
    avr->flash[at + 1] = 0xCF; /* rjmp to itself */
    avr->pc = at;
}

/* Restart the chip; `cause` is the flag of its MCUSR that says why. */
static void restart(avr_regbit_t cause) {
    avr_reset(avr);
    avr_regbit_set(avr, cause);
}

static const char *execute(const char *line) {
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
    else if (!strcmp(word, "deafen") && reader) {
        sim_mfrc522_reset(&chips[n], false);
        chips[n].deaf = true;
    } else if (!strcmp(word, "remove") && reader) chips[n].gone = true;
    else if (!strcmp(word, "attach") && reader) chips[n].gone = false;
    else if (!strcmp(word, "copy") && reader) {
        chips[n].version = (uint8_t)strtoul(text, NULL, 16);
        sim_mfrc522_reset(&chips[n], true);
    } else if (!strcmp(word, "press") && button) pressed |= (uint8_t)(1 << n);
    else if (!strcmp(word, "release") && button) pressed &= (uint8_t)~(1 << n);
    else if (!strcmp(word, "reset")) restart(avr->reset_flags.extrf);
    else if (!strcmp(word, "wedge")) wedge();
    else if (!strcmp(word, "off")) off = true;
    else if (!strcmp(word, "on")) {
        if (off) restart(avr->reset_flags.porf);
        off = false;
    } else if (!strcmp(word, "unplug")) line_unplug();
    else if (!strcmp(word, "plug")) line_plug();
    else if (!strcmp(word, "noise")) line_noise(first, strtoull(text, NULL, 10));
    else if (!strcmp(word, "lights")) {
        snprintf(answer, sizeof answer, "%d", (avr->data[PORTC] & avr->data[DDRC]) >> 3 & 7);
        return answer;
    } else if (!strcmp(word, "scans")) {
        unsigned scans = 0;
        for (int i = 0; i < READERS; i++) scans += chips[i].scans;
        snprintf(answer, sizeof answer, "%u", scans);
        return answer;
    } else if (!strcmp(word, "time") || (!strcmp(word, "run") && stepped)) {
        uint64_t to_host, from_host;
        line_read_until(strtoull(text, NULL, 10));
        for (avr_cycle_count_t end = target + (avr_cycle_count_t)(first * HERTZ); target < end;) slice();
        line_counts(&to_host, &from_host);
        snprintf(answer, sizeof answer, "%.6f %" PRIu64 " %" PRIu64, (double)target / HERTZ, to_host, from_host);
        return answer;
    } else return "no such command";
    return "ok";
}

/* Execute the commands that have arrived; a stepped board waits for one. Returns false at the end of the input. */
static bool commands(void) {
    static char line[256];
    static int length;
    char byte;
    ssize_t count;
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    if (stepped) poll(&input, 1, -1);
    while ((count = read(STDIN_FILENO, &byte, 1)) == 1) {
        if (byte == '\n') {
            line[length] = 0;
            length = 0;
            printf("%s\n", execute(line));
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
    if (count < 4 || count > 5 || elf_read_firmware(arguments[1], &firmware)) {
        fprintf(stderr, "usage: board FIRMWARE.elf LINK BOOT [stepped]\n");
        return 2;
    }
    stepped = count == 5;
    uint8_t boot[2] = {(uint8_t)atoi(arguments[3]), (uint8_t)(atoi(arguments[3]) >> 8)};
    avr_global_logger_set(quiet);
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    firmware.frequency = HERTZ;
    avr_load_firmware(avr, &firmware);
    avr->sleep = no_sleep;
    avr_eeprom_desc_t eeprom = {.ee = boot, .offset = 0, .size = 2};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &eeprom);
    bus_wire(avr);
    line_wire(avr, arguments[2]);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    printf("ready\n");

    double began = wall();
    avr_cycle_count_t began_cycle = target = avr->cycle;
    while (commands()) {
        if (stepped) continue;
        slice();
        double ahead = (double)(target - began_cycle) / HERTZ - (wall() - began);
        if (ahead > 0) {
            sleep_for(ahead);
        } else if (ahead < -0.05) { /* too slow a computer: do not try to catch up */
            began = wall();
            began_cycle = target = avr->cycle;
        }
    }
    line_unplug();
    return 0;
}
