/* A simulated Arduino Uno that runs the real firmware: an ATmega328P (libsimavr), eight MFRC522 on its SPI bus, three
 * buttons and lights, and a pseudo-terminal as its USB port.
 *
 *     board FIRMWARE.elf LINK BOOT [stepped]
 *
 * LINK: a symbolic link to the port, there while it is plugged in. BOOT: the number of the last start, in the EEPROM.
 * It keeps the pace of a real board; `stepped`, it stands still but for the times that `run` gives it, and goes through
 * those as fast as the computer can. Commands come on standard input, one a line, each answered by one line: see
 * `obey`. It ends with its parent. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <simavr/avr_eeprom.h>
#include <simavr/sim_elf.h>
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
static avr_cycle_count_t target; /* so far the board has run, or is to run now */

/* The firmware sleeps until an interrupt: the clock just goes on. Pace is kept in `main`. */
static void no_sleep(avr_t *self, avr_cycle_count_t cycles) { (void)self, (void)cycles; }

static void quiet(avr_t *self, const int level, const char *format, va_list list) {
    (void)self;
    if (level <= LOG_ERROR) vfprintf(stderr, format, list);
}

/* What the simulator forgets when it resets the chip, by the watchdog too: pulled-up pins, and its timers. */
static void surroundings(void) {
    avr->data[PINC] = (uint8_t)((avr->data[PINC] & ~7) | (~pressed & 7));
    line_go_on(avr);
}

/* A millisecond of the board's time. */
static void slice(void) {
    target += SLICE;
    line_read();
    surroundings();
    while (!off && avr->cycle < target) {
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "the firmware crashed\n");
            exit(1);
        }
    }
    if (off) {
        avr->cycle = target;
        line_forget();
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
    else if (!strcmp(word, "deafen") && reader) {
        sim_mfrc522_reset(&chips[n], false);
        chips[n].deaf = true;
    } else if (!strcmp(word, "remove") && reader) chips[n].gone = true;
    else if (!strcmp(word, "attach") && reader) chips[n].gone = false;
    else if (!strcmp(word, "press") && button) pressed |= (uint8_t)(1 << n);
    else if (!strcmp(word, "release") && button) pressed &= (uint8_t)~(1 << n);
    else if (!strcmp(word, "reset")) avr_reset(avr);
    else if (!strcmp(word, "wedge")) wedge();
    else if (!strcmp(word, "off")) off = true;
    else if (!strcmp(word, "on")) {
        if (off) avr_reset(avr);
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
        line_await(strtoull(text, NULL, 10));
        for (avr_cycle_count_t end = target + (avr_cycle_count_t)(first * HERTZ); target < end;) slice();
        line_counts(&to_host, &from_host);
        snprintf(answer, sizeof answer, "%.6f %" PRIu64 " %" PRIu64, (double)target / HERTZ, to_host, from_host);
        return answer;
    } else return "no such command";
    return "ok";
}

/* Obey what has come, in a stepped board after waiting for it; false at its end. */
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
        } else if (ahead < -0.05) { /* a computer too slow has nothing to catch up with */
            began = wall();
            began_cycle = target = avr->cycle;
        }
    }
    line_unplug();
    return 0;
}
