#include "io/xml.h"

#include "base/memory.h"
#include "base/report.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct ff_xml {
  XML_Parser parser;
  const char *file;
  const ff_xml_calls *calls;
  void *context;
  ff_report *report;
  ff_status status;
  int depth;
  int blank; /* blank lines before the text that is parsed */
};

/* ---- memory: each block is preceded by its size, for reallocation ---------------------------- */

enum { HEAD = 64 };

/* The parser's memory is bounded by its input: elements and attributes are copied, nothing is
 * expanded. A single block beyond the limit is refused. */
static void *xml_alloc(size_t size) {
  char *block = size <= FF_XML_MEMORY_MAX ? ff_alloc(size + HEAD, 1) : NULL;
  if (!block) {
    return NULL;
  }
  memcpy(block, &size, sizeof size);
  return block + HEAD;
}

static void xml_free(void *block) {
  if (block) {
    ff_free((char *)block - HEAD);
  }
}

static void *xml_realloc(void *block, size_t size) {
  size_t old = 0;
  void *fresh = xml_alloc(size);
  if (block && fresh) {
    memcpy(&old, (char *)block - HEAD, sizeof old);
    memcpy(fresh, block, old < size ? old : size);
    xml_free(block);
  }
  return fresh;
}

/* ---- errors ---------------------------------------------------------------------------------- */

int ff_xml_line(const ff_xml *xml) {
  return (int)XML_GetCurrentLineNumber(xml->parser) + xml->blank;
}

ff_report *ff_xml_report(ff_xml *xml) {
  return xml->report;
}

static void xml_set_location(ff_xml *xml) {
  if (xml->report) {
    snprintf(xml->report->file, sizeof xml->report->file, "%s", xml->file);
    xml->report->line = ff_xml_line(xml);
    xml->report->column = (int)XML_GetCurrentColumnNumber(xml->parser) + 1;
  }
}

void ff_xml_take(ff_xml *xml, ff_status status) {
  if (xml->status == FF_OK && status != FF_OK) {
    xml->status = status;
    if (status == FF_ERROR_MEMORY) {
      ff_report_what(xml->report, "%s", ff_status_text(status));
    }
    xml_set_location(xml);
    XML_StopParser(xml->parser, XML_FALSE);
  }
}

void ff_xml_fail(ff_xml *xml, const char *format, ...) {
  if (xml->status != FF_OK) {
    return;
  }
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ff_xml_take(xml, ff_report_what(xml->report, "%s", text));
}

/* ---- expat callbacks ------------------------------------------------------------------------- */

static void xml_on_start(void *context, const char *name, const char **attributes) {
  ff_xml *xml = context;
  if (++xml->depth > FF_XML_DEPTH_MAX) {
    ff_xml_fail(xml, "elements are nested more than %d deep", FF_XML_DEPTH_MAX);
  } else if (xml->status == FF_OK) {
    xml->calls->start(xml->context, xml, name, attributes);
  }
}

static void xml_on_end(void *context, const char *name) {
  ff_xml *xml = context;
  xml->depth--;
  if (xml->status == FF_OK) {
    xml->calls->end(xml->context, xml, name);
  }
}

static void xml_on_text(void *context, const char *text, int size) {
  ff_xml *xml = context;
  if (xml->status == FF_OK) {
    xml->calls->text(xml->context, xml, text, size);
  }
}

static void xml_on_doctype(void *context, const char *name, const char *system, const char *public,
                           int internal) {
  (void)name;
  (void)system;
  (void)public;
  (void)internal;
  ff_xml_fail(context, "document types and entities are not read; remove <!DOCTYPE ...>");
}

void *ff_xml_one_more(ff_xml *xml, void **list, int *count, size_t *capacity, size_t size,
                      int most) {
  if (*count >= most) {
    ff_xml_fail(xml, "more than %d elements of a kind", most);
    return NULL;
  }
  if (!ff_grow(list, (size_t)*count, capacity, size)) {
    ff_xml_take(xml, FF_ERROR_MEMORY);
    return NULL;
  }
  return (char *)*list + (size_t)(*count)++ * size;
}

ff_status ff_xml_read(const char *text, size_t size, const char *file, const ff_xml_calls *calls,
                      void *context, ff_report *report) {
  const XML_Memory_Handling_Suite memory = {xml_alloc, xml_realloc, xml_free};
  ff_xml xml = {.parser = XML_ParserCreate_MM(NULL, &memory, NULL),
                .file = file,
                .calls = calls,
                .context = context,
                .report = report};
  if (!xml.parser) {
    ff_report_what(report, "%s", ff_status_text(FF_ERROR_MEMORY));
    return FF_ERROR_MEMORY;
  }
  XML_SetUserData(xml.parser, &xml);
  XML_SetElementHandler(xml.parser, xml_on_start, xml_on_end);
  if (calls->text) {
    XML_SetCharacterDataHandler(xml.parser, xml_on_text);
  }
  XML_SetStartDoctypeDeclHandler(xml.parser, xml_on_doctype);
  XML_SetParamEntityParsing(xml.parser, XML_PARAM_ENTITY_PARSING_NEVER);
  XML_SetHashSalt(xml.parser, 1);                         /* deterministic hashing */
  while (size > 0 && *text && strchr(" \t\r\n", *text)) { /* many files start with blank lines */
    xml.blank += *text++ == '\n';
    size--;
  }
  enum XML_Status outcome = XML_Parse(xml.parser, text, (int)size, 1);
  if (outcome == XML_STATUS_ERROR && xml.status == FF_OK) {
    enum XML_Error error = XML_GetErrorCode(xml.parser);
    if (error == XML_ERROR_NO_MEMORY) {
      ff_xml_take(&xml, FF_ERROR_MEMORY);
    } else {
      ff_xml_fail(&xml, "not well-formed XML: %s", XML_ErrorString(error));
    }
  }
  XML_ParserFree(xml.parser);
  return xml.status;
}
