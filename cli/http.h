/* The little HTTP that a page on this machine needs: one GET request a connection. */
#ifndef FF_CLI_HTTP_H
#define FF_CLI_HTTP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { FF_HTTP_TARGET = 64 };

/* Opens a socket that listens on a free port of 127.0.0.1; -1 and errno on failure. */
int ff_http_listen(int *port);
/* Reads a request. 200: target is its path, "/" or "/data". Others are a status to refuse it with:
 * 400, 403 (a host that is not this machine), 405, 408, 414, 431; 0: the client has gone. */
int ff_http_read(int connection, int port, char target[FF_HTTP_TARGET]);
/* Sends a status with a line of text. refresh: s until a browser asks again; 0: never. */
void ff_http_send_text(int connection, int status, int refresh, const char *text);
/* Sends a file, 200. False: the client did not take all of it, or *closing was set. */
bool ff_http_send_file(int connection, FILE *file, const char *type, int refresh,
                       const atomic_bool *closing);

#endif
