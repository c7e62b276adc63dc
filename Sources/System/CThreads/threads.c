#define _GNU_SOURCE
#include "CThreads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

typedef void *routine(void *);
typedef int create(pthread_t *, const pthread_attr_t *, routine *, void *);

enum { MOST = 8 };

static struct {
    routine *routine;
    void *argument;
} held[MOST];
static int count;
static int holds;

static create *original(void) { return (create *)dlsym(RTLD_NEXT, "pthread_create"); }

static void *wait_forever(void *nothing) {
    (void)nothing;
    for (;;) pause();
}

/// Takes the place of the C library's function for every library of the process.
__attribute__((visibility("default"))) int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, routine *routine, void *argument) {
    create *create = original();
    if (!create) return ENOSYS;
    if (!holds) return create(thread, attributes, routine, argument);
    if (count == MOST) return EAGAIN;
    // A signal of the process must not go to a thread that only waits.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = create(thread, attributes, wait_forever, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) return failed;
    held[count].routine = routine;
    held[count].argument = argument;
    count++;
    return 0;
}

void nervous_threads_hold(void) { holds = 1; }

int nervous_threads_release(void) {
    holds = 0;
    create *create = original();
    if (!create) return ENOSYS;
    for (int index = 0; index < count; index++) {
        pthread_t thread;
        int failed = create(&thread, NULL, held[index].routine, held[index].argument);
        if (failed) return failed;
        pthread_detach(thread);
    }
    count = 0;
    return 0;
}
