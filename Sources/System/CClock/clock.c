#include "CClock.h"

#include <sys/timex.h>

int nervous_read_clock(struct nervous_clock_state *state) {
    struct timex kernel = {.modes = 0};
    const int result = adjtimex(&kernel);
    if (result < 0) return -1;
    state->is_synchronised = result != TIME_ERROR && (kernel.status & STA_UNSYNC) == 0;
    state->offset = (double)kernel.offset / (kernel.status & STA_NANO ? 1e9 : 1e6);
    state->estimated_error = (double)kernel.esterror / 1e6;
    state->maximum_error = (double)kernel.maxerror / 1e6;
    // A fixed-point number with 16 bits after the point.
    state->frequency = (double)kernel.freq / 65536;
    return 0;
}
