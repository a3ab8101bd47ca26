/* Struct arrays of MATLAB 5 files (MAT-File Format, The MathWorks, chapter 1): little-endian,
 * compressed or not, fields of real numbers. */
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "study/set.h"

#include <string.h>
#include <zlib.h>

enum { HEADER = 128, COMPRESSED = 15, MATRIX = 14, STRUCT_CLASS = 2, NUMBERS_MAX = 64 };
static const size_t matlab_size_max = (size_t)1 << 28;

typedef struct matlab_view {
  const unsigned char *at;
  size_t left;
} matlab_view;

typedef struct matlab_element {
  uint32_t type, size;
  const unsigned char *data;
} matlab_element;

static uint32_t matlab_word(const unsigned char *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Next data element; padded to 8 bytes, except compressed ones. A small one has its data in its
 * tag. */
static bool matlab_next(matlab_view *view, matlab_element *out) {
  if (view->left < 8) {
    return false;
  }
  uint32_t type = matlab_word(view->at), size = matlab_word(view->at + 4);
  if (type >> 16) {
    *out = (matlab_element){type & 0xffff, type >> 16, view->at + 4};
    view->at += 8;
    view->left -= 8;
    return out->size <= 4;
  }
  if (size > view->left - 8) {
    return false;
  }
  *out = (matlab_element){type, size, view->at + 8};
  size_t whole = 8 + (size_t)size + (type == COMPRESSED ? 0 : (8 - size % 8) % 8);
  whole = whole < view->left ? whole : view->left;
  view->at += whole;
  view->left -= whole;
  return true;
}

/* Real numbers of a type of the file. */
static int matlab_numbers(const matlab_element *in, double *out) {
  static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
  int size = in->type < 14 ? sizes[in->type] : 0,
      count = size ? (int)(in->size / (uint32_t)size) : 0;
  count = count < NUMBERS_MAX ? count : NUMBERS_MAX;
  for (int i = 0; i < count; i++) {
    const unsigned char *at = in->data + (size_t)i * (size_t)size;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    float f32;
    memcpy(&i8, at, 1);
    switch (in->type) {
      case 1: out[i] = i8; break;
      case 2: out[i] = at[0]; break;
      case 3: memcpy(&i16, at, 2), out[i] = i16; break;
      case 4: out[i] = at[0] | at[1] << 8; break;
      case 5: memcpy(&i32, at, 4), out[i] = i32; break;
      case 6: out[i] = matlab_word(at); break;
      case 7: memcpy(&f32, at, 4), out[i] = (double)f32; break;
      case 9: memcpy(&out[i], at, 8); break;
      default: return 0;
    }
  }
  return count;
}

/* A numeric matrix inside of another: flags, dimensions, name, numbers. */
static bool matlab_read_field(const matlab_element *matrix, double *out, int *count) {
  matlab_view view = {matrix->data, matrix->size};
  matlab_element part;
  *count = 0;
  for (int i = 0; i < 3; i++) {
    if (!matlab_next(&view, &part)) {
      return matrix->size == 0;
    }
  }
  if (matlab_next(&view, &part)) {
    *count = matlab_numbers(&part, out);
  }
  return true;
}

static bool matlab_read_struct(const matlab_element *matrix, ff_matlab_field take, void *context) {
  matlab_view view = {matrix->data, matrix->size};
  matlab_element flags, size, name, length, fields, value;
  double dimensions[NUMBERS_MAX], width, numbers[NUMBERS_MAX];
  if (!matlab_next(&view, &flags) || flags.size < 8 || flags.data[0] != STRUCT_CLASS ||
      !matlab_next(&view, &size) || matlab_numbers(&size, dimensions) < 2 ||
      !matlab_next(&view, &name) || !matlab_next(&view, &length) ||
      matlab_numbers(&length, &width) != 1 || !matlab_next(&view, &fields) ||
      !(width >= 1 && width <= 64)) {
    return false;
  }
  int count = (int)(fields.size / (uint32_t)width);
  double elements = dimensions[0] * dimensions[1];
  if (count < 1 || !(elements >= 0 && elements <= (double)(view.left / 8))) {
    return false; /* every value takes 8 bytes at least */
  }
  for (int i = 0; i < (int)elements; i++) {
    for (int k = 0; k < count; k++) {
      char field[65] = "";
      int found;
      memcpy(field, fields.data + (size_t)k * (size_t)width, (size_t)width);
      if (!matlab_next(&view, &value) || value.type != MATRIX ||
          !matlab_read_field(&value, numbers, &found)) {
        return false;
      }
      take(context, i, field, numbers, found);
    }
  }
  return true;
}

/* The first struct array among the elements. */
static bool matlab_read_elements(matlab_view view, ff_matlab_field take, void *context) {
  matlab_element at;
  while (matlab_next(&view, &at)) {
    bool whole = false;
    if (at.type == MATRIX) {
      whole = matlab_read_struct(&at, take, context);
    } else if (at.type == COMPRESSED && at.size > 0) {
      uLongf room = (uLongf)at.size * 40 + 1024;
      unsigned char *out = room < matlab_size_max ? ff_alloc(room, 1) : NULL;
      if (out && uncompress(out, &room, at.data, at.size) == Z_OK) {
        matlab_view inside = {out, room};
        matlab_element matrix;
        whole = matlab_next(&inside, &matrix) && matrix.type == MATRIX &&
                matlab_read_struct(&matrix, take, context);
      }
      ff_free(out);
    }
    if (whole) {
      return true;
    }
  }
  return false;
}

ff_status ff_matlab_read(const char *path, ff_matlab_field take, void *context, ff_report *report) {
  char *text;
  size_t size;
  ff_status status = ff_file_read(&text, &size, path, matlab_size_max, report);
  if (status != FF_OK) {
    return status;
  }
  bool known = size > HEADER && memcmp(text, "MATLAB 5.0", 10) == 0;
  matlab_view view = {(const unsigned char *)text + HEADER, known ? size - HEADER : 0};
  if (!known || !matlab_read_elements(view, take, context)) {
    status = ff_report_what(report, "is not a MATLAB 5 file with a struct array");
    if (report) {
      snprintf(report->file, sizeof report->file, "%.500s", path);
    }
  }
  ff_free(text);
  return status;
}
