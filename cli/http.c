/* HTTP/1.1 (RFC 9112) as far as a page on this machine needs it. */
#include "http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "progress.h"

enum {
  HEAD_BYTES = 16384, /* of a request: cookies of other servers on this machine come along */
  READ_SECONDS = 2,   /* for the whole request */
  SEND_SECONDS = 5,   /* for a part of the answer */
  PART_BYTES = 65536,
  LATE_BYTES = 1 << 20 /* read and dropped after a refused request, at most */
};

int ff_http_listen(int *port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
      listen(listener, 16) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
    if (listener >= 0) {
      close(listener);
    }
    return -1;
  }
  *port = ntohs(address.sin_port);
  return listener;
}

/* ---- request --------------------------------------------------------------------------------- */

/* Is the value of Host, up to the end of its line, this machine's? Others are those of pages whose
 * name was made to point here. */
static bool http_is_own_host(const char *value, int port) {
  char own[32];
  value += strspn(value, " \t");
  size_t length = strcspn(value, "\r\n");
  while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t')) {
    length--;
  }
  static const char *const names[] = {"127.0.0.1", "localhost"};
  for (int i = 0; i < 4; i++) {
    snprintf(own, sizeof own, i < 2 ? "%s" : "%s:%d", names[i % 2], port);
    if (length == strlen(own) && strncasecmp(value, own, length) == 0) {
      return true;
    }
  }
  return false;
}

static int http_parse(const char *head, int port, char target[FF_HTTP_TARGET]) {
  const char *space = strchr(head, ' ');
  size_t line = strcspn(head, "\r\n");
  if (!space || space >= head + line) {
    return 400;
  }
  const char *end = memchr(space + 1, ' ', (size_t)(head + line - space - 1));
  if (!end || strncmp(end + 1, "HTTP/1.", 7) != 0) {
    return 400;
  }
  int hosts = 0;
  for (const char *at = strchr(head, '\n'); at; at = strchr(at + 1, '\n')) {
    if (strncasecmp(at + 1, "Host:", 5) == 0) {
      hosts++;
      if (!http_is_own_host(at + 6, port)) {
        return 403;
      }
    }
  }
  if (hosts != 1) {
    return 400;
  }
  if (strncmp(head, "GET ", 4) != 0) {
    return 405;
  }
  size_t length = (size_t)(end - space - 1);
  if (length >= FF_HTTP_TARGET) {
    return 414;
  }
  memcpy(target, space + 1, length);
  target[length] = '\0';
  return 200;
}

static void http_set_limits(int connection) {
  struct timeval reading = {.tv_sec = READ_SECONDS}, sending = {.tv_sec = SEND_SECONDS};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &reading, sizeof reading);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &sending, sizeof sending);
}

int ff_http_read(int connection, int port, char target[FF_HTTP_TARGET]) {
  char head[HEAD_BYTES + 1];
  size_t used = 0;
  double start = ff_wall_clock();
  http_set_limits(connection);
  while (used < HEAD_BYTES) {
    ssize_t got = recv(connection, head + used, HEAD_BYTES - used, 0);
    if (got == 0) {
      return 0;
    }
    if (got < 0 || ff_wall_clock() - start > READ_SECONDS) {
      return 408;
    }
    used += (size_t)got;
    head[used] = '\0';
    if (strstr(head, "\r\n\r\n") || strstr(head, "\n\n")) {
      return http_parse(head, port, target);
    }
  }
  return 431;
}

/* ---- answer ---------------------------------------------------------------------------------- */

static const char *http_reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 414: return "URI Too Long";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Bad Request";
  }
}

static bool http_send(int connection, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(connection, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes += sent;
    size -= (size_t)sent;
  }
  return true;
}

/* Other pages of the browser can neither frame nor read the answer. */
static bool http_send_head(int connection, int status, const char *type, long long size,
                           int refresh) {
  char head[512], again[32] = "";
  if (refresh > 0) {
    snprintf(again, sizeof again, "Refresh: %d\r\n", refresh);
  }
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\n%s%s"
                        "Connection: close\r\nCache-Control: no-store\r\n"
                        "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                        "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
                        status, http_reason(status), type, size, again,
                        status == 405 ? "Allow: GET\r\n" : "");
  return http_send(connection, head, (size_t)length);
}

/* A connection closed with bytes unread is reset, and its client may lose the answer. */
static void http_drop_late(int connection) {
  char part[4096];
  size_t dropped = 0;
  double start = ff_wall_clock();
  shutdown(connection, SHUT_WR);
  while (dropped < LATE_BYTES && ff_wall_clock() - start < READ_SECONDS) {
    ssize_t got = recv(connection, part, sizeof part, 0);
    if (got <= 0) {
      break;
    }
    dropped += (size_t)got;
  }
}

void ff_http_send_text(int connection, int status, int refresh, const char *text) {
  long long size = (long long)strlen(text) + 1;
  if (http_send_head(connection, status, "text/plain; charset=utf-8", size, refresh) &&
      http_send(connection, text, (size_t)size - 1) && http_send(connection, "\n", 1)) {
    http_drop_late(connection);
  }
}

bool ff_http_send_file(int connection, FILE *file, const char *type, int refresh,
                       const atomic_bool *closing) {
  struct stat about;
  char part[PART_BYTES];
  if (fstat(fileno(file), &about) != 0 ||
      !http_send_head(connection, 200, type, (long long)about.st_size, refresh)) {
    return false;
  }
  long long left = (long long)about.st_size;
  while (left > 0 && !atomic_load(closing)) {
    size_t got = fread(part, 1, sizeof part, file);
    if (got == 0 || !http_send(connection, part, got)) {
      return false;
    }
    left -= (long long)got;
  }
  return left == 0;
}
