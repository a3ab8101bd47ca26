/* What a user of the program meets daily: help, completion, colour, pipes. */
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <unistd.h>

#include "program.h"

enum { OUTPUT = 1 << 17 };

static const char *const verbs[] = {"run",      "check",    "new",    "laws",     "materials",
                                    "steppers", "findings", "impact", "volume",   "channels",
                                    "paper",    "sweep",    "fit",    "validate", "view"};
enum { VERBS = sizeof verbs / sizeof *verbs };

static char first[OUTPUT], second[OUTPUT];

/* What a command of the shell prints on both streams; FF stands for the program. */
static int shell(const char *command, char *output) {
  char text[2048];
  snprintf(text, sizeof text, "export FF='%s'; { %s ; } 2>&1", FF_PROGRAM, command);
  FILE *pipe = popen(text, "r");
  assert_non_null(pipe);
  size_t used = fread(output, 1, OUTPUT - 1, pipe);
  output[used] = '\0';
  int status = pclose(pipe);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void help_has_three_spellings(void **state) {
  (void)state;
  for (int i = 0; i < VERBS; i++) {
    assert_int_equal(call(verbs[i], "--help", first, OUTPUT), 0);
    assert_int_equal(call("help", verbs[i], second, OUTPUT), 0);
    assert_string_equal(first, second);
    assert_int_equal(call(verbs[i], "-h", second, OUTPUT), 0);
    assert_string_equal(first, second);
  }
  assert_int_equal(call("help", "runn", first, OUTPUT), 2);
  assert_non_null(strstr(first, "did you mean 'run'?"));
  assert_int_equal(call("-V", "", first, OUTPUT), 0);
  assert_int_equal(call("--version", "", second, OUTPUT), 0);
  assert_string_equal(first, second);
}

/* One that is broken by the width of the page cannot be copied. */
static void examples_are_on_one_line(void **state) {
  (void)state;
  for (int i = 0; i < VERBS; i++) {
    assert_int_equal(call(verbs[i], "--help", first, OUTPUT), 0);
    char *at = strstr(first, "\n  footfall ");
    at = at ? at : strstr(first, "  footfall ");
    if (!at) {
      print_error("footfall %s --help has no example\n", verbs[i]);
    }
    assert_non_null(at);
    char *end = strstr(at, "\n\n"); /* of the examples */
    assert_non_null(end);
    *end = '\0';
    for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n")) {
      if (strncmp(line, "  ", 2) != 0) {
        print_error("footfall %s --help: '%s'\n", verbs[i], line);
        fail();
      }
    }
  }
}

static void a_reader_that_has_seen_enough_is_no_error(void **state) {
  (void)state;
  const char *const commands[] = {
      "\"$FF\" check '" FF_SOURCE_DIR "/scenes/mixed-pile.yaml' --all | head -n 1",
      "\"$FF\" check '" FF_SOURCE_DIR "/scenes/mixed-pile.yaml' --json | head -n 1",
      "\"$FF\" run '" FF_SOURCE_DIR "/scenes/bouncing-ball.yaml' -q --csv - | head -n 1"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(shell(commands[i], first), 0);
    assert_null(strstr(first, "ipe"));
    assert_null(strstr(first, "footfall:"));
    assert_ptr_equal(strchr(first, '\n'), first + strlen(first) - 1); /* one line */
  }
}

/* Runs it on a terminal of its own and gives what that shows. */
static void on_terminal(const char *no_color, char *output) {
  int master;
  pid_t child = forkpty(&master, NULL, NULL, NULL);
  assert_true(child >= 0);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", no_color, 1);
    execl(FF_PROGRAM, "footfall", "run", FF_SOURCE_DIR "/scenes/bouncing-ball.yaml", "--set",
          "duration=0.05", (char *)NULL);
    _exit(127);
  }
  size_t used = 0;
  for (ssize_t got;
       used < OUTPUT - 1 && (got = read(master, output + used, OUTPUT - 1 - used)) > 0;) {
    used += (size_t)got;
  }
  output[used] = '\0';
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  close(master);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void colour_is_for_terminals_that_want_it(void **state) {
  (void)state;
  on_terminal("", first);
  assert_non_null(strstr(first, "\033[32mgood"));
  on_terminal("1", first);
  assert_null(strstr(first, "\033["));
  assert_int_equal(
      call("run", FF_SOURCE_DIR "/scenes/bouncing-ball.yaml --set duration=0.05", first, OUTPUT),
      0);
  assert_null(strchr(first, '\033'));
}

static void bash_completes_verbs_options_and_laws(void **state) {
  (void)state;
  if (system("command -v bash >/dev/null") != 0) {
    skip();
  }
  const char *const words[][3] = {{"footfall ch", "check", "channels"},
                                  {"footfall help ste", "steppers", "steppers"},
                                  {"footfall run --chec", "--checkpoint", "--checkpoint-every"},
                                  {"footfall laws hunt", "hunt-crossley", "hunt-crossley"}};
  for (int i = 0; i < 4; i++) {
    char command[1024];
    snprintf(command, sizeof command,
             "bash -c 'footfall() { \"$FF\" \"$@\"; }; . \"" FF_SOURCE_DIR
             "/cli/completions/footfall.bash\"; COMP_WORDS=(%s); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _footfall; echo \"${COMPREPLY[@]}\"'",
             words[i][0]);
    assert_int_equal(shell(command, first), 0);
    assert_non_null(strstr(first, words[i][1]));
    assert_non_null(strstr(first, words[i][2]));
  }
}

/* A hundred equal balls and two others. */
static void large_scenes_are_summarised(void **state) {
  (void)state;
  char path[] = "/tmp/footfall-many-XXXXXX.yaml";
  int file = mkstemps(path, 5);
  assert_true(file >= 0);
  FILE *out = fdopen(file, "w");
  fputs("footfall: 1\nstepper: {kind: quasi-rigid, step: 1e-3}\nbodies:\n"
        "  floor: {fixed: true, shape: {half-space: {}}}\n"
        "  big: {mass: 7, shape: {sphere: {radius: 0.4}}, position: [-9, 0, 1]}\n",
        out);
  for (int i = 0; i < 100; i++) {
    fprintf(out, "  b%d: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [%d, 0, 1]}\n", i, i);
  }
  fputs("contacts:\n  - pair: [\"*\", \"*\"]\n    normal: {law: quasi-rigid, k: 1e4, c: 20, "
        "max_deflection: 0.01}\n    friction: {law: ellipsoidal, mu: 0.4, e_r: 0.01}\n",
        out);
  fclose(out);
  char arguments[256];
  assert_int_equal(call("check", path, first, OUTPUT), 0);
  assert_non_null(strstr(first, "b0: free"));
  assert_non_null(strstr(first, "big: free"));
  assert_null(strstr(first, "b1: free"));
  assert_non_null(strstr(first, "and 99 more bodies like these"));
  assert_true(strlen(first) < 8000);
  snprintf(arguments, sizeof arguments, "%s --all | grep -c 'free, mass'", path);
  assert_int_equal(call("check", arguments, first, OUTPUT), 0);
  assert_string_equal(first, "101\n");
  unlink(path);
}

static void view_opens_ground_reactions(void **state) {
  (void)state;
  assert_int_equal(
      shell("d=$(mktemp -d) && cd \"$d\" && \"$FF\" run '" FF_SOURCE_DIR
            "/scenes/bouncing-ball.yaml' -q --set duration=0.2 -o a.sto && "
            "\"$FF\" view a.sto -o a.html && grep -c ground_force_vy a.html && rm -r \"$d\"",
            first),
      0);
}

/* Both files of external loads, in --help too; a file that is read is not overwritten by the
 * second. */
static void external_loads_come_in_two_files(void **state) {
  (void)state;
  assert_int_equal(
      shell("d=$(mktemp -d) && cd \"$d\" && \"$FF\" run '" FF_SOURCE_DIR
            "/scenes/bouncing-ball.yaml' -q --set duration=0.2 -o a.mot -o b.sto && "
            "cmp a.mot b.sto && grep -q '<applied_to_body>ball<' a.xml && "
            "grep -q '<datafile>a.mot<' a.xml && \"$FF\" view a.mot -o a.html && "
            "\"$FF\" run --help | grep -q FILE.mot && cp '" FF_SOURCE_DIR
            "/scenes/bouncing-ball.yaml' s.xml && ! \"$FF\" run s.xml -q -o s.mot 2>why && "
            "grep -q 'would overwrite' why && test ! -e s.mot && rm -r \"$d\"",
            first),
      0);
}

static void certify_compares_with_half_the_step(void **state) {
  (void)state;
  static const char pendulum[] = FF_SOURCE_DIR
      "/scenes/double-pendulum.yaml --set stepper.kind=rk4 --set stepper.step=%s --set "
      "audit.energy-tolerance=1 --set duration=%s --certify";
  char arguments[512];
  /* Too coarse for chaotic motion, though its energy is within what is allowed. */
  snprintf(arguments, sizeof arguments, pendulum, "0.01", "10");
  assert_int_equal(call("run", arguments, first, OUTPUT), 1);
  assert_non_null(strstr(first, "not certified: pendulum-"));
  assert_null(strstr(first, "and      ")); /* nothing else is wrong */
  snprintf(arguments, sizeof arguments, pendulum, "0.01", "1");
  assert_int_equal(call("run", arguments, first, OUTPUT), 0);
  assert_null(strstr(first, "certified"));
  /* by a tenth of the tolerance */
  assert_int_equal(
      call("run", FF_SOURCE_DIR "/scenes/bouncing-ball.yaml --certify --json", first, OUTPUT), 0);
  assert_int_equal(call("run", "--certify --resume a.ckpt", first, OUTPUT), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_has_three_spellings),
      cmocka_unit_test(examples_are_on_one_line),
      cmocka_unit_test(a_reader_that_has_seen_enough_is_no_error),
      cmocka_unit_test(colour_is_for_terminals_that_want_it),
      cmocka_unit_test(bash_completes_verbs_options_and_laws),
      cmocka_unit_test(large_scenes_are_summarised),
      cmocka_unit_test(view_opens_ground_reactions),
      cmocka_unit_test(external_loads_come_in_two_files),
      cmocka_unit_test(certify_compares_with_half_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
