/* footfall run --watch: a page on this machine that follows the run. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "folder.h"
#include "footfall/page.h"
#include "program.h"

#define BALL FF_SOURCE_DIR "/scenes/bouncing-ball.yaml"

enum { OUTPUT = 4096, ANSWER = 8 << 20, MOST_TRIES = 10000 };

static char output[OUTPUT];
static char answer[ANSWER], other[ANSWER];

/* A watched run as a process of its own. */
typedef struct watched {
  pid_t child;
  FILE *errors;
  int port;
} watched;

/* Starts `footfall run` with these arguments and reads the address that it prints. */
static watched start(const char *const *arguments, int count) {
  const char *words[16] = {"footfall", "run", "--watch", "--quiet"};
  int pipes[2];
  memcpy(words + 4, arguments, (size_t)count * sizeof *words);
  assert_int_equal(pipe(pipes), 0);
  watched run = {.child = fork()};
  assert_true(run.child >= 0);
  if (run.child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no run behind */
    dup2(pipes[1], STDERR_FILENO);
    close(pipes[0]);
    close(pipes[1]);
    execv(FF_PROGRAM, (char *const *)words);
    _exit(127);
  }
  close(pipes[1]);
  run.errors = fdopen(pipes[0], "r");
  assert_non_null(run.errors);
  assert_non_null(fgets(output, OUTPUT, run.errors));
  char end[8];
  assert_int_equal(sscanf(output, "http://127.0.0.1:%d%7s", &run.port, end), 2);
  assert_string_equal(end, "/");
  return run;
}

/* The exit code of the run; what it printed besides the address is in output. */
static int end_of(watched *run) {
  int status;
  size_t used = fread(output, 1, OUTPUT - 1, run->errors);
  output[used] = '\0';
  fclose(run->errors);
  assert_int_equal(waitpid(run->child, &status, 0), run->child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static int connect_to(const char *address, int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(connection >= 0);
  if (connect(connection, (struct sockaddr *)&to, sizeof to) != 0) {
    close(connection);
    return -1;
  }
  return connection;
}

/* Sends the bytes and reads the answer to its end: status; *body is behind the empty line. */
static int ask(int port, const char *request, char *into, char **body, size_t *size) {
  int connection = connect_to("127.0.0.1", port);
  size_t length = strlen(request), used = 0;
  assert_true(connection >= 0);
  assert_int_equal(send(connection, request, length, MSG_NOSIGNAL), (ssize_t)length);
  for (ssize_t got; (got = recv(connection, into + used, ANSWER - 1 - used, 0)) > 0;) {
    used += (size_t)got;
  }
  close(connection);
  into[used] = '\0';
  int status = 0;
  assert_int_equal(sscanf(into, "HTTP/1.1 %d", &status), 1);
  char *end = strstr(into, "\r\n\r\n");
  assert_non_null(end);
  end[2] = '\0';
  *body = end + 4;
  *size = used - (size_t)(*body - into);
  return status;
}

static int get(int port, const char *target, char *into, char **body, size_t *size) {
  char request[256];
  snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", target, port);
  return ask(port, request, into, body, size);
}

static size_t read_file(const char *path, char *into) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(into, 1, ANSWER, file);
  fclose(file);
  assert_in_range(size, 1, ANSWER - 1);
  return size;
}

static void assert_same_file(const char *path, const char *bytes, size_t size) {
  assert_int_equal(read_file(path, other), size);
  assert_memory_equal(other, bytes, size);
}

static void skip_without_page(void) {
  if (!ff_page_available(NULL)) {
    skip();
  }
}

static void a_build_without_a_page_says_so(void **state) {
  (void)state;
  if (ff_page_available(NULL)) {
    skip();
  }
  assert_int_equal(call("run", BALL " --watch -o a.csv", output, OUTPUT), 2);
  assert_non_null(strstr(output, "this build has no report page"));
  assert_int_equal(entries(), 0);
}

/* The results are the bytes of a run that nobody watched, and so is what the page shows last. */
static void watching_changes_no_byte(void **state) {
  (void)state;
  skip_without_page();
  assert_int_equal(
      call("run", BALL " -q -o a.csv -o a.h5 --report a.html --set duration=0.2", output, OUTPUT),
      0);
  const char *const words[] = {BALL,       "-o",     "b.csv", "-o",          "b.h5",
                               "--report", "b.html", "--set", "duration=0.2"};
  watched run = start(words, 9);
  char *body;
  size_t size;
  int tries = 0;
  do { /* until it has ended: the whole recording */
    int status = get(run.port, "/data", answer, &body, &size);
    assert_true((status == 200 || status == 503) && tries++ < MOST_TRIES);
  } while (size != read_file("a.csv", other));
  assert_same_file("a.csv", body, size);
  while (get(run.port, "/", answer, &body, &size) != 200 || strstr(answer, "\r\nRefresh:")) {
    assert_true(tries++ < MOST_TRIES);
  }
  assert_non_null(strstr(answer, "Content-Type: text/html; charset=utf-8\r\n"));
  assert_same_file("a.html", body, size);
  assert_int_equal(end_of(&run), 0); /* of itself: the last state was seen */
  static const char *const pairs[][2] = {
      {"a.csv", "b.csv"}, {"a.h5", "b.h5"}, {"a.html", "b.html"}};
  for (int i = 0; i < 3; i++) {
    size = read_file(pairs[i][0], answer);
    assert_same_file(pairs[i][1], answer, size);
    unlink(pairs[i][0]);
    unlink(pairs[i][1]);
  }
}

static void a_running_simulation_is_followed(void **state) {
  (void)state;
  skip_without_page();
  const char *const words[] = {BALL,
                               "--set",
                               "duration=1e6",
                               "--set",
                               "record.every=0.1",
                               "--set",
                               "stepper={kind: rk4, step: 1e-4}"};
  watched run = start(words, 7);
  char *body;
  size_t size, before;
  int tries = 0;
  while (get(run.port, "/data", answer, &body, &before) == 503) {
    assert_true(tries++ < MOST_TRIES);
  }
  assert_int_equal(strncmp(body, "time,", 5), 0);
  assert_null(strstr(answer, "\r\nRefresh:"));
  do { /* it grows */
    assert_int_equal(get(run.port, "/data", answer, &body, &size), 200);
    assert_true(tries++ < MOST_TRIES);
  } while (size <= before);
  assert_int_equal(body[size - 1], '\n');
  assert_int_equal(get(run.port, "/", answer, &body, &size), 200);
  assert_non_null(strstr(answer, "\r\nRefresh: 2\r\n"));
  assert_non_null(strstr(body, "id=\"footfall-document\""));
  kill(run.child, SIGINT);
  assert_int_equal(end_of(&run), 130);
  assert_non_null(strstr(output, "footfall: stopped at "));
  assert_null(strstr(output, "recorded")); /* into no file */
}

typedef struct refusal {
  int status;
  const char *request; /* PORT: that of the server */
} refusal;

static void put_port(char *text, size_t size, const char *request, int port) {
  const char *at = strstr(request, "PORT");
  if (at) {
    snprintf(text, size, "%.*s%d%s", (int)(at - request), request, port, at + 4);
  } else {
    snprintf(text, size, "%s", request);
  }
}

static void others_are_refused(void **state) {
  (void)state;
  skip_without_page();
  static const refusal table[] = {
      {403, "GET / HTTP/1.1\r\nHost: example.org:PORT\r\n\r\n"},
      {403, "GET /data HTTP/1.1\r\nHost: 127.0.0.1.example.org:PORT\r\n\r\n"},
      {403, "GET / HTTP/1.1\r\nHost: localhost:1\r\n\r\n"},
      {403, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.org\r\n\r\n"},
      {400, "GET / HTTP/1.1\r\n\r\n"},
      {400, "GET /\r\nHost: localhost\r\n\r\n"},
      {400, "\r\n\r\n"},
      {405, "POST / HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 0\r\n\r\n"},
      {404, "GET /etc/passwd HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n"},
      {404, "GET /../run.html HTTP/1.1\r\nHost: LOCALHOST:PORT\r\n\r\n"},
      {200, "GET /data HTTP/1.1\nAccept: */*\nhost:\tlocalhost:PORT \n\n"}};
  const char *const words[] = {BALL, "--set", "duration=0.05"};
  watched run = start(words, 3);
  char request[20000], *body;
  size_t size;
  int tries = 0;
  while (get(run.port, "/data", answer, &body, &size) == 503) {
    assert_true(tries++ < MOST_TRIES);
  }
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    put_port(request, sizeof request, table[i].request, run.port);
    int status = ask(run.port, request, answer, &body, &size);
    if (status != table[i].status) {
      print_error("%d to %s", status, request);
    }
    assert_int_equal(status, table[i].status);
  }
  memset(request, 'x', sizeof request);
  memcpy(request, "GET /", 5);
  request[sizeof request - 1] = '\0';
  assert_int_equal(ask(run.port, request, answer, &body, &size), 431);
  snprintf(request + 200, 100, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  assert_int_equal(ask(run.port, request, answer, &body, &size), 414);
  assert_int_equal(connect_to("127.0.0.2", run.port), -1); /* of this machine, too */
  kill(run.child, SIGINT);
  assert_int_equal(end_of(&run), 0); /* the run itself was good */
}

static int leave_folder(void **state) {
  (void)state;
  return remove_folder();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_build_without_a_page_says_so, enter_folder, leave_folder),
      cmocka_unit_test_setup_teardown(watching_changes_no_byte, enter_folder, leave_folder),
      cmocka_unit_test_setup_teardown(a_running_simulation_is_followed, enter_folder, leave_folder),
      cmocka_unit_test_setup_teardown(others_are_refused, enter_folder, leave_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
