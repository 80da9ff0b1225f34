#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <simavr/avr_uart.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { BYTE_CYCLES = HERTZ / 11520, PENDING = 4096 };

static avr_irq_t *uart_in;
static int master = -1;
static bool can_take = true;
static const char *link_path;
static uint8_t to_board[PENDING];
static int to_board_count;
static uint64_t sent, received; /* number of bytes written to the port, and read from it */
static double noise;
static uint64_t chance = 1;

static double draw(void) { /* xorshift64*: the same faults for the same seed */
    chance ^= chance >> 12;
    chance ^= chance << 25;
    chance ^= chance >> 27;
    return (double)(chance * 2685821657736338717ULL >> 11) / 9007199254740992.0;
}

/* Apply noise to a byte: drop it, flip a bit, or insert another one before it. Returns the length of `out`. */
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

void line_noise(double share, uint64_t seed) {
    noise = share;
    chance = seed * 2 + 1;
}

void line_plug(void) {
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

void line_unplug(void) {
    if (master < 0) return;
    unlink(link_path);
    close(master);
    master = -1;
    to_board_count = 0;
}

/* Whether a program has opened the port. */
static bool open_somewhere(void) {
    struct pollfd port = {master, 0, 0};
    return master >= 0 && poll(&port, 1, 0) >= 0 && !(port.revents & POLLHUP);
}

static void from_uart(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    uint8_t bytes[2];
    int count = disturb((uint8_t)value, bytes);
    if (!count || !open_somewhere()) return; /* without a listener it is lost, as on a real port */
    ssize_t written = write(master, bytes, (size_t)count);
    if (written > 0) sent += (uint64_t)written;
    else if (written < 0 && errno != EAGAIN && errno != EIO) line_unplug();
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

void line_read(void) {
    uint8_t bytes[256], out[2];
    if (master < 0 || to_board_count > PENDING - 2 * (int)sizeof bytes) return;
    ssize_t count = read(master, bytes, sizeof bytes);
    if (count > 0) received += (uint64_t)count;
    for (ssize_t i = 0; i < count; i++) {
        int copies = disturb(bytes[i], out);
        for (int k = 0; k < copies; k++) to_board[to_board_count++] = out[k];
    }
}

void line_read_until(uint64_t total) {
    while (master >= 0 && received < total) {
        struct pollfd port = {master, POLLIN, 0};
        if (poll(&port, 1, 1000) <= 0) return;
        uint64_t before = received;
        line_read();
        if (received == before) return;
    }
}

void line_counts(uint64_t *to_host, uint64_t *from_host) {
    *to_host = sent;
    *from_host = received;
}

void line_drop(void) { to_board_count = 0; }

void line_wire(avr_t *avr, const char *link) {
    link_path = link;
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), from_uart, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), uart_room, &can_take);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), uart_room, NULL);
    uint32_t flags = 0; /* no echo on standard output, no delays of simavr's own */
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    line_plug();
}

void line_restore_timer(avr_t *avr) {
    if (avr_cycle_timer_status(avr, next_byte, NULL)) return;
    can_take = true;
    avr_cycle_timer_register(avr, BYTE_CYCLES, next_byte, NULL);
}
