/* Restricted XML: expat with bounded depth and memory, without document types and entities. */
#ifndef FF_IO_XML_H
#define FF_IO_XML_H

#include "footfall/status.h"

enum {
  FF_XML_BYTES_MAX = 64 << 20,   /* of a file */
  FF_XML_DEPTH_MAX = 64,         /* nesting of elements */
  FF_XML_MEMORY_MAX = 256 << 20, /* of the parser */
};

typedef struct ff_xml ff_xml;

/* Called for each element: attributes are name, value, name, value, ..., NULL. */
typedef void (*ff_xml_start)(void *context, ff_xml *xml, const char *name, const char **attributes);
typedef void (*ff_xml_end)(void *context, ff_xml *xml, const char *name);
/* A piece of the text between elements; a word may be split over two calls. */
typedef void (*ff_xml_text)(void *context, ff_xml *xml, const char *text, int size);

typedef struct ff_xml_calls {
  ff_xml_start start;
  ff_xml_end end;
  ff_xml_text text; /* may be NULL */
} ff_xml_calls;

/* Reads a text; file is its name in reports. */
ff_status ff_xml_read(const char *text, size_t size, const char *file, const ff_xml_calls *calls,
                      void *context, ff_report *report);

/* From within a callback: the line of the element, and a way to stop with an error. The first error
 * is kept; what is the report's text. */
int ff_xml_line(const ff_xml *xml);
void ff_xml_fail(ff_xml *xml, const char *format, ...);
void ff_xml_take(ff_xml *xml, ff_status status); /* FF_OK: no effect */
ff_report *ff_xml_report(ff_xml *xml);           /* may be NULL */
/* Appends to a list of limited length; NULL (and an error) on failure. */
void *ff_xml_one_more(ff_xml *xml, void **list, int *count, size_t *capacity, size_t size,
                      int most);

#endif
