#define _GNU_SOURCE
#include "CEscapeProbes.h"
#include "probe.h"

#include <errno.h>
#include <unistd.h>

char nervous_probe_page[4096] __attribute__((aligned(4096)));

static const struct probe_list *const lists[] = {
    &file_probes, &network_probes, &process_probes, &memory_probes, &kernel_probes,
    &interface_probes,
};

enum { LISTS = sizeof lists / sizeof *lists };

static const struct probe *probe(size_t index) {
    for (size_t list = 0; list < LISTS; list++) {
        if (index < lists[list]->count) return &lists[list]->probes[index];
        index -= lists[list]->count;
    }
    return NULL;
}

size_t nervous_probe_count(void) {
    size_t count = 0;
    for (size_t list = 0; list < LISTS; list++) count += lists[list]->count;
    return count;
}

const char *nervous_probe_name(size_t index) { return probe(index)->name; }
const char *nervous_probe_family(size_t index) { return probe(index)->family; }
int nervous_probe_answer(size_t index) { return probe(index)->answer; }

int nervous_probe_attempt(size_t index) {
    const struct probe *way = probe(index);
    if (way->attempt) return way->attempt();
    const long *a = way->arguments;
    long result = syscall(way->number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result < 0 ? errno : 0;
}
