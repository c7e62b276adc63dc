#define _GNU_SOURCE
#include "CSpawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int add_actions(
    posix_spawn_file_actions_t *actions, const char *directory, const char *terminal,
    const int descriptors[], size_t count) {
    int failure = 0;
    if (terminal) {
        // The leader of a new session that opens a terminal gets it as its own.
        count = 3;
        failure = posix_spawn_file_actions_addopen(actions, 0, terminal, O_RDWR, 0);
        for (int number = 1; number < 3 && failure == 0; number++)
            failure = posix_spawn_file_actions_adddup2(actions, 0, number);
    } else {
        // One that stays at its place is then not closed on `exec`.
        for (size_t number = 0; number < count && failure == 0; number++)
            failure = posix_spawn_file_actions_adddup2(actions, descriptors[number], (int)number);
    }
    if (failure == 0) failure = posix_spawn_file_actions_addclosefrom_np(actions, (int)count);
    if (failure == 0 && directory)
        failure = posix_spawn_file_actions_addchdir_np(actions, directory);
    return failure;
}

static int set_attributes(posix_spawnattr_t *attributes, const char *terminal) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failure = posix_spawnattr_setsigmask(attributes, &none);
    if (failure == 0) failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (failure == 0) failure = posix_spawnattr_setpgroup(attributes, 0);
    if (failure != 0) return failure;
    int leads = terminal ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    return posix_spawnattr_setflags(
        attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | leads));
}

int test_spawn(
    pid_t *child, const char *program, char *const words[], char *const variables[],
    const char *directory, const char *terminal, const int descriptors[], size_t count) {
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0) return failure;
    posix_spawnattr_t attributes;
    failure = posix_spawnattr_init(&attributes);
    if (failure == 0) {
        failure = add_actions(&actions, directory, terminal, descriptors, count);
        if (failure == 0) failure = set_attributes(&attributes, terminal);
        if (failure == 0)
            failure = posix_spawn(
                child, program, &actions, &attributes, words, variables ? variables : environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}
