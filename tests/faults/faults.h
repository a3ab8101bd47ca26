/* Shared by the parts of the fault campaign: processes, files, counts. */
#ifndef FF_FAULTS_FAULTS_H
#define FF_FAULTS_FAULTS_H

#include "footfall/footfall.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { TEXT = 1024, WORDS = 24, LIMIT = 60, WORKERS = 2 };

/* Of one part; shared by the workers. */
typedef struct tally {
  atomic_long cases, signals, hangs, blamed, wrong;
} tally;

extern const char *program, *shim, *source; /* paths */
extern char work[TEXT];                     /* folder */
extern long wanted;                         /* cases of each part; 0: all */
extern tally *now;

_Noreturn void die(const char *what);
__attribute__((format(printf, 2, 3))) void note(atomic_long *count, const char *format, ...);

/* Random numbers that repeat: splitmix64. */
extern uint64_t random_state;
uint64_t draw(uint64_t below);
double seconds(void);

/* ---- files ----------------------------------------------------------------------------------- */

unsigned char *read_whole(const char *path, size_t *size);
void write_whole(const char *path, const void *bytes, size_t size);
void copy(const char *from, const char *to);
bool exists(const char *path);
bool same_files(const char *a, const char *b);
/* Everything in the present folder. */
void empty_folder(void);
/* Temporary files of the program in the present folder, which it should not leave. They go. */
int remove_temporaries(void);

/* ---- processes ------------------------------------------------------------------------------- */

typedef struct fault {
  const char *name; /* variable of the shim; NULL: none */
  long at;
  bool rest;
} fault;

/* Starts `footfall WORDS`; its messages go to the file "said". */
pid_t start(const char *words, fault with);
/* Waits for at most so many seconds; then the process is killed. False: it was. */
bool finish_within(pid_t child, double limit, int *status);
/* Waits; a process that takes too long is killed and counted. */
int finish(pid_t child, const char *what);
/* Runs it under a fault: 0 or 1, or it is noted. Returns the exit code; -1: none. */
int suffer(const char *words, fault with);
/* Numbers of allocations and of writes of a command, and its status. */
int count_calls(const char *words, long *allocations, long *writes);

/* ---- parts ----------------------------------------------------------------------------------- */

/* Each of WORKERS workers runs its share in a folder of its own. */
void part_allocations(int worker);
void part_writes(int worker);
void part_full_disk(int worker);
void part_kills(int worker);
void part_signals(int worker);
void part_mutations(int worker);
void part_flips(int worker);
void part_resume(int worker);
void part_sweeps(int worker);

/* Inputs of the parts in the present folder, and what they give undisturbed. */
void prepare(void);

#define BALL   "run ball.yaml -q --set duration=0.05 --set record.every=0.005 "
#define NARROW "--set record.channels=[body.*.position.*,contact.*.*.*] "

#endif
