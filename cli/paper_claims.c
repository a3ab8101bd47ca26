#include "paper_claims.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "grid.h"
#include "json.h"

/* ---- outcome --------------------------------------------------------------------------------- */

static const char *paper_verdict_word(ff_claim_verdict verdict) {
  static const char *const words[] = {[FF_CLAIM_NOT_TESTED] = "not tested",
                                      [FF_CLAIM_HOLDS] = "holds",
                                      [FF_CLAIM_PARTLY] = "in part",
                                      [FF_CLAIM_DIFFERS] = "differs"};
  return words[verdict];
}

int paper_count_surprises(const ff_reproduction *study) {
  int count = 0;
  for (int i = 0; i < study->outcome_count; i++) {
    count += ff_outcome_surprises(&study->outcomes[i]);
  }
  return count;
}

static int paper_count_verdicts(const ff_reproduction *study, ff_claim_verdict verdict) {
  int count = 0;
  for (int i = 0; i < study->outcome_count; i++) {
    count += study->outcomes[i].verdict == verdict;
  }
  return count;
}

void paper_print_claims(ff_reproduction *study) {
  static const ff_grid grid = {.columns = 5, .widths = {38, 24, 44, 34, 12}};
  ff_grid_row(
      &grid, stdout,
      (const char *[]){"claim", "paper says", "criterion [its source]", "found", "verdict"});
  ff_grid_line(&grid, stdout);
  for (int i = 0; i < study->outcome_count; i++) {
    const ff_outcome *outcome = &study->outcomes[i];
    const ff_paper_claim *c = outcome->claim;
    const char *claim = ff_reproduction_text(study, "%s (%s)", c->claim, c->source);
    const char *criterion = ff_claim_criterion_text(study, c);
    const char *judged =
        c->basis ? ff_reproduction_text(study, "%s [%s]", criterion, c->basis) : "";
    const char *marked = ff_reproduction_text(study, "%s%s", paper_verdict_word(outcome->verdict),
                                              ff_outcome_surprises(outcome) ? " !" : "");
    ff_grid_row(&grid, stdout, (const char *[]){claim, c->paper, judged, outcome->found, marked});
  }
  printf("\n%d claims: %d hold, %d in part, %d differ, %d not tested; ", study->outcome_count,
         paper_count_verdicts(study, FF_CLAIM_HOLDS), paper_count_verdicts(study, FF_CLAIM_PARTLY),
         paper_count_verdicts(study, FF_CLAIM_DIFFERS),
         paper_count_verdicts(study, FF_CLAIM_NOT_TESTED));
  int surprises = paper_count_surprises(study);
  if (surprises > 0) {
    printf("%d NOT AS EXPECTED (marked !)\n", surprises);
  } else {
    puts("all as expected");
  }
}

static void paper_print_sheet(const ff_sheet *sheet) {
  ff_grid grid = {.columns = sheet->columns};
  for (int i = 0; i < sheet->columns; i++) {
    grid.widths[i] = i == 0 ? 30 : 14;
  }
  printf("\n%s\n\n", sheet->caption);
  ff_grid_row(&grid, stdout, sheet->cells);
  ff_grid_line(&grid, stdout);
  for (int i = 1; i <= sheet->rows; i++) {
    ff_grid_row(&grid, stdout, sheet->cells + (ptrdiff_t)i * sheet->columns);
  }
}

void paper_print_sheets(const ff_reproduction *study) {
  for (int i = 0; i < study->sheet_count; i++) {
    paper_print_sheet(&study->sheets[i]);
  }
}

static void paper_print_criterion_json(ff_json *json, const ff_criterion *c, double value) {
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "quantity", c->what);
  ff_json_text(json, "unit", c->unit);
  if (isfinite(c->low)) {
    ff_json_number(json, "least", c->low);
  }
  if (isfinite(c->high)) {
    ff_json_number(json, "most", c->high);
  }
  ff_json_number(json, "measured", value);
  ff_json_flag(json, "met", value >= c->low && value <= c->high);
  ff_json_close(json, '}');
}

static void paper_print_claim_json(ff_json *json, const ff_outcome *outcome) {
  const ff_paper_claim *claim = outcome->claim;
  bool judged = outcome->verdict != FF_CLAIM_NOT_TESTED;
  ff_json_open(json, NULL, '{');
  ff_json_text(json, "key", claim->key);
  ff_json_text(json, "claim", claim->claim);
  ff_json_text(json, "source", claim->source);
  ff_json_text(json, "paper", claim->paper);
  ff_json_text(json, "basis", claim->basis);
  ff_json_text(json, "found", outcome->found);
  if (judged) {
    ff_json_number(json, "value", outcome->values[0]);
    ff_json_text(json, "unit", claim->criteria[0].unit);
  }
  ff_json_text(json, "verdict", paper_verdict_word(outcome->verdict));
  ff_json_flag(json, "expected", !ff_outcome_surprises(outcome));
  ff_json_text(json, "note", claim->note);
  ff_json_open(json, "criteria", '[');
  for (int i = 0; i < ff_claim_criteria(claim); i++) {
    paper_print_criterion_json(json, &claim->criteria[i],
                               judged ? outcome->values[i] : (double)NAN);
  }
  ff_json_close(json, ']');
  ff_json_close(json, '}');
}

void paper_print_json(ff_reproduction *study, const char *output) {
  ff_json json = {.out = stdout};
  ff_json_open(&json, NULL, '{');
  ff_json_text(&json, "paper", study->paper->key);
  ff_json_text(&json, "title", study->paper->title);
  ff_json_number(&json, "year", study->paper->year);
  ff_json_text(&json, "version", ff_version());
  ff_json_flag(&json, "good", paper_count_surprises(study) == 0);
  ff_json_text(&json, "report", output);
  ff_json_open(&json, "claims", '[');
  for (int i = 0; i < study->outcome_count; i++) {
    paper_print_claim_json(&json, &study->outcomes[i]);
  }
  ff_json_close(&json, ']');
  ff_json_open(&json, "numbers", '{');
  for (int i = 0; i < study->number_count; i++) {
    const ff_quantity *number = &study->numbers[i];
    ff_json_open(&json, number->key, '{');
    ff_json_number(&json, "value", number->value);
    ff_json_text(&json, "unit", number->unit);
    ff_json_close(&json, '}');
  }
  ff_json_close(&json, '}');
  ff_json_close(&json, '}');
}

/* ---- check ----------------------------------------------------------------------------------- */

static const ff_variation variations[] = {
    {.name = "as published"},
    {.name = "finer samples", .sampling = 1.7},
    {.name = "coarser samples", .sampling = 0.6},
    {.name = "shorter steps", .step = 0.7},
    {.name = "longer steps", .step = 1.3},
    {.name = "other seed", .seed = 20},
    {.name = "all three", .sampling = 1.3, .step = 0.85, .seed = 3},
};

enum { VARIATIONS = sizeof variations / sizeof *variations };

typedef struct check_job {
  ff_reproduction study[VARIATIONS];
  char scratch[FF_CLI_FOLDER];
  const char *running; /* the variation */
  int flips, without;  /* verdicts that change, claims without a criterion or its source */
} check_job;

static void check_clean_up(check_job *job) {
  for (int i = 0; i < VARIATIONS; i++) {
    ff_page_destroy(&job->study[i].page);
    ff_reproduction_free(&job->study[i]);
    job->study[i] = (ff_reproduction){0};
  }
  if (job->scratch[0]) {
    rmdir(job->scratch);
  }
}

static void check_fail(void *context, ff_status status, const ff_report *report) {
  const check_job *job = context;
  fprintf(stderr, "footfall: %s, with %s:\n", job->study[0].paper->key, job->running);
  ff_cli_fail(status, report);
  check_clean_up(context);
  exit(FF_EXIT_FAILED);
}

static bool check_basis(const char *basis) {
  static const char *const kinds[] = {
      "paper: ", "derivation: ", "convergence: ", "rounding: ", "reading: ", "chosen: "};
  bool known = false;
  for (size_t i = 0; basis && i < sizeof kinds / sizeof *kinds; i++) {
    known = known || strncmp(basis, kinds[i], strlen(kinds[i])) == 0;
  }
  return known;
}

/* Has it a criterion with its source, or a reason not to be tested? */
static bool check_is_stated(const ff_paper_claim *claim) {
  return ff_claim_criteria(claim) > 0 ? check_basis(claim->basis) : claim->note != NULL;
}

static void check_print_claim(check_job *job, int index) {
  ff_reproduction *first = &job->study[0];
  const ff_paper_claim *claim = first->outcomes[index].claim;
  bool flips = false, stated = check_is_stated(claim);
  printf("%s: %s\n  criterion: %s\n  from: %s\n  verdict:", claim->key, claim->claim,
         stated ? ff_claim_criterion_text(first, claim) : "NONE",
         claim->basis  ? claim->basis
         : claim->note ? claim->note
                       : "NOWHERE");
  for (int i = 0; i < VARIATIONS; i++) {
    if (!job->study[i].paper) { /* left out */
      continue;
    }
    ff_claim_verdict verdict = job->study[i].outcomes[index].verdict;
    if (i == 0 || verdict != first->outcomes[index].verdict) {
      printf(" %s%s%s%s", paper_verdict_word(verdict), i ? " with " : "",
             i ? variations[i].name : "", i ? " (CHANGES)" : "");
      flips = flips || i > 0;
      if (i > 0) {
        printf(" [%s]", job->study[i].outcomes[index].found);
      }
    }
  }
  putchar('\n');
  job->flips += flips;
  job->without += !stated;
}

static int check_one(check_job *job, const ff_paper *paper, bool quick) {
  ff_report report = {0};
  ff_status status = ff_cli_make_folder(job->scratch, &report);
  for (int i = 0; i < VARIATIONS && status == FF_OK; i += quick ? VARIATIONS - 1 : 1) {
    ff_reproduction *study = &job->study[i];
    job->running = variations[i].name;
    *study = (ff_reproduction){.quick = quick,
                               .fail = check_fail,
                               .context = job,
                               .scratch = job->scratch,
                               .variation = variations[i]};
    status = ff_page_create(&study->page, paper->title);
    if (status == FF_OK) {
      ff_reproduction_reproduce(study, paper);
    }
  }
  if (status != FF_OK) {
    check_clean_up(job);
    return ff_cli_fail(status, &report);
  }
  printf("## %s (%d)\n\n", paper->title, paper->year);
  for (int i = 0; i < job->study[0].outcome_count; i++) {
    check_print_claim(job, i);
  }
  putchar('\n');
  check_clean_up(job);
  return FF_EXIT_GOOD;
}

int paper_check_claims(const ff_paper *paper, bool quick) {
  check_job job = {.flips = 0};
  int claims = 0;
  for (int i = 0; i < ff_paper_count(); i++) {
    const ff_paper *one = ff_paper_at(i);
    if (paper && one != paper) {
      continue;
    }
    int code = check_one(&job, one, quick);
    if (code != FF_EXIT_GOOD) {
      return code;
    }
    for (int k = 0; one->claims[k].key; k++) {
      claims++;
    }
  }
  printf("%d claims in %d variations: %d verdicts change, %d without criterion or its source\n",
         claims, quick ? 2 : VARIATIONS, job.flips, job.without);
  return job.flips + job.without > 0 ? FF_EXIT_FAILED : FF_EXIT_GOOD;
}
