/* Claims of a paper: printing, and checking that no verdict depends on sampling, step or seed. */
#ifndef FF_CLI_PAPER_CLAIMS_H
#define FF_CLI_PAPER_CLAIMS_H

#include "papers/paper.h"

int paper_count_surprises(const ff_reproduction *study);
void paper_print_claims(ff_reproduction *study);
void paper_print_sheets(const ff_reproduction *study);
void paper_print_json(ff_reproduction *study, const char *output); /* output: the report, or NULL */
/* Reproduces a paper (NULL: all) in several variations; returns an exit code. */
int paper_check_claims(const ff_paper *paper, bool quick);

#endif
