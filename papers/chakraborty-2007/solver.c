/* Statistics of the solver. */
#include "chakraborty.h"

#include <math.h>

enum { MOST = 16 };

struct solver_part {
  const char *names[MOST];
  const ff_trace *traces[MOST];
  int count;
};

static void *compute_part(ff_reproduction *study) {
  return ff_reproduction_alloc(study, 1, sizeof(solver_part));
}

void solver_note(solver_part *part, const char *name, const ff_trace *trace) {
  if (part->count < MOST) {
    part->names[part->count] = name;
    part->traces[part->count++] = trace;
  }
}

/* Sum over all runs. */
static ff_solver_info sum_of(const solver_part *part) {
  ff_solver_info sum = {0};
  for (int i = 0; i < part->count; i++) {
    const ff_solver_info *one = &part->traces[i]->solver;
    sum.problems += one->problems;
    sum.iterations += one->iterations;
    sum.most = one->most > sum.most ? one->most : sum.most;
    sum.residual = fmax(sum.residual, one->residual);
    sum.fallbacks += one->fallbacks;
    sum.cut_steps += one->cut_steps;
  }
  return sum;
}

/* Violation of the contact conditions, relative to the largest force in a run. */
static double off_by(const ff_audit *audit) {
  double worst = fmax(audit->contact.complementarity, audit->contact.cone);
  return audit->contact_force > 0 ? worst / audit->contact_force : 0;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const solver_part *part = computed;
  ff_solver_info sum = sum_of(part);
  double off = 0, unused = 0;
  for (int i = 0; i < part->count; i++) {
    off = fmax(off, off_by(&part->traces[i]->audit));
    unused = fmax(unused, part->traces[i]->audit.contact.dissipation);
  }
  ff_reproduction_number(study, "solver.problems", (double)sum.problems, "1");
  ff_reproduction_number(study, "solver.iterations", (double)sum.iterations, "1");
  ff_reproduction_number(study, "solver.residual", sum.residual, "1");
  ff_reproduction_judge(study, "solved",
                        ff_reproduction_text(study,
                                             "%ld problems, %.2f iterations each, %ld not by the "
                                             "first method, %ld steps subdivided",
                                             sum.problems,
                                             (double)sum.iterations / (double)sum.problems,
                                             sum.fallbacks, sum.cut_steps),
                        (double)sum.cut_steps, sum.residual);
  ff_reproduction_judge(study, "conditions",
                        ff_reproduction_text(study,
                                             "violated by at most %.1g of the largest force, %.1g "
                                             "W; by the audit",
                                             off, unused),
                        off, unused);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const solver_part *part = computed;
  static const char *const columns[] = {"run",  "steps",     "problems",         "iterations each",
                                        "most", "fallbacks", "subdivided steps", "residual"};
  ff_page_section(study->page, "The solver");
  ff_page_text(
      study->page,
      "A step in free flight needs no solution. Fallbacks are problems that the first method "
      "did not solve: another start, another weight of friction, a friction "
      "homotopy. The residual is that of the rows of a problem, "
      "relative to the magnitude of their terms.");
  ff_reproduction_table(study, "Solver statistics", columns, 8);
  for (int i = 0; i < part->count; i++) {
    const ff_solver_info *one = &part->traces[i]->solver;
    const char *const cells[] = {
        part->names[i],
        ff_reproduction_text(study, "%ld", part->traces[i]->audit.steps),
        ff_reproduction_text(study, "%ld", one->problems),
        ff_reproduction_text(study, "%.2f",
                             (double)one->iterations / fmax((double)one->problems, 1)),
        ff_reproduction_text(study, "%d", one->most),
        ff_reproduction_text(study, "%ld", one->fallbacks),
        ff_reproduction_text(study, "%ld", one->cut_steps),
        ff_reproduction_text(study, "%.1g", one->residual)};
    ff_reproduction_row(study, cells);
  }
}

const ff_paper_part chakraborty_solver = {
    .compute = compute_part, .report = report_part, .show = show_part};
