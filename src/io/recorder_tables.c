/* Tables in HDF5: compound datasets that grow. */
#include "io/recorder_tables.h"

#include "base/memory.h"

#include <string.h>

enum { TABLE_ROWS = 512 }; /* of a chunk */

struct ff_hdf5_table {
  hid_t set, type; /* type: as in memory */
  size_t size;     /* of a row, bytes */
  unsigned char *rows;
  int held;
  hsize_t written;
};

/* ---- types ----------------------------------------------------------------------------------- */

typedef struct table_field {
  const char *name; /* with its unit */
  size_t at;
  char type; /* d: double, i: 32-bit, l: 64-bit, v: vector, w: two doubles, k: kind of an event */
} table_field;

#define EVENT(field)   offsetof(ff_event_row, field)
#define CONTACT(field) offsetof(ff_contact_row, field)

static const table_field event_fields[] = {{"time (s)", EVENT(time), 'd'},
                                           {"kind", EVENT(kind), 'k'},
                                           {"a", EVENT(a), 'i'},
                                           {"b", EVENT(b), 'i'},
                                           {"robot", EVENT(robot), 'i'},
                                           {"joint", EVENT(joint), 'i'},
                                           {"speed (m/s)", EVENT(speed), 'd'},
                                           {"peak_force (N)", EVENT(peak_force), 'd'},
                                           {"peak_time (s)", EVENT(peak_time), 'd'},
                                           {"peak_depth (m)", EVENT(peak_depth), 'd'},
                                           {"impulse (N s)", EVENT(impulse), 'd'}};

static const table_field contact_fields[] = {{"sample", CONTACT(sample), 'l'},
                                             {"time (s)", CONTACT(time), 'd'},
                                             {"a", CONTACT(a), 'i'},
                                             {"b", CONTACT(b), 'i'},
                                             {"shape_a", CONTACT(shape_a), 'i'},
                                             {"shape_b", CONTACT(shape_b), 'i'},
                                             {"feature", CONTACT(feature), 'i'},
                                             {"mode", CONTACT(mode), 'i'},
                                             {"point (m)", CONTACT(point), 'v'},
                                             {"normal", CONTACT(normal), 'v'},
                                             {"force (N)", CONTACT(force), 'v'},
                                             {"moment (N m)", CONTACT(moment), 'v'},
                                             {"depth (m)", CONTACT(depth), 'd'},
                                             {"depth_rate (m/s)", CONTACT(depth_rate), 'd'},
                                             {"force_n (N)", CONTACT(force_n), 'd'},
                                             {"slip (m/s)", CONTACT(slip), 'w'}};

typedef struct table_plan {
  const char *name;
  size_t size;
  const table_field *fields;
  int count;
} table_plan;

static const table_plan plans[FF_TABLE_COUNT] = {
    [FF_TABLE_EVENTS] = {"events", sizeof(ff_event_row), event_fields,
                         sizeof event_fields / sizeof *event_fields},
    [FF_TABLE_CONTACTS] = {"contacts", sizeof(ff_contact_row), contact_fields,
                           sizeof contact_fields / sizeof *contact_fields}};

static hid_t table_kind_type(void) {
  hid_t type = H5Tenum_create(H5T_NATIVE_INT32);
  bool done = type >= 0;
  for (int32_t i = 0; i < FF_EVENT_KIND_COUNT && done; i++) {
    done = H5Tenum_insert(type, ff_event_kind_name((ff_event_kind)i), &i) >= 0;
  }
  return done ? type : -1;
}

static hid_t table_field_type(char type) {
  hsize_t three = 3, two = 2;
  switch (type) {
    case 'd': return H5Tcopy(H5T_NATIVE_DOUBLE);
    case 'i': return H5Tcopy(H5T_NATIVE_INT32);
    case 'l': return H5Tcopy(H5T_NATIVE_INT64);
    case 'v': return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three);
    case 'w': return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &two);
    default: return table_kind_type();
  }
}

/* Of a row in memory; -1: out of memory. */
static hid_t table_type(const table_plan *plan) {
  hid_t type = H5Tcreate(H5T_COMPOUND, plan->size);
  bool done = type >= 0;
  for (int i = 0; i < plan->count && done; i++) {
    const table_field *field = &plan->fields[i];
    hid_t member = table_field_type(field->type);
    done = member >= 0 && H5Tinsert(type, field->name, field->at, member) >= 0;
    ff_hdf5_close(H5Tclose, member);
  }
  return done ? type : -1;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The dataset; rows in the file have no gaps. */
static hid_t table_create_set(hid_t file, const table_plan *plan, hid_t type) {
  hsize_t none = 0, any = H5S_UNLIMITED, chunk = TABLE_ROWS;
  hid_t space = H5Screate_simple(1, &none, &any), layout = H5Pcreate(H5P_DATASET_CREATE);
  hid_t packed = H5Tcopy(type), set = -1;
  bool done = space >= 0 && layout >= 0 && packed >= 0 && H5Tpack(packed) >= 0 &&
              H5Pset_chunk(layout, 1, &chunk) >= 0 && H5Pset_obj_track_times(layout, false) >= 0;
  if (done && H5Zfilter_avail(H5Z_FILTER_SHUFFLE) > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    done = H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, 4) >= 0;
  }
  if (done) {
    set = H5Dcreate2(file, plan->name, packed, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  }
  ff_hdf5_close(H5Tclose, packed);
  ff_hdf5_close(H5Pclose, layout);
  ff_hdf5_close(H5Sclose, space);
  return set;
}

bool ff_hdf5_table_create(ff_hdf5_table **out, hid_t file, ff_table_kind kind) {
  const table_plan *plan = &plans[kind];
  ff_hdf5_table *table = *out = ff_alloc(1, sizeof *table);
  if (!table) {
    return false;
  }
  table->size = plan->size;
  table->set = -1;
  table->rows = ff_alloc(TABLE_ROWS, plan->size);
  table->type = table->rows ? table_type(plan) : -1;
  table->set = table->type >= 0 ? table_create_set(file, plan, table->type) : -1;
  return table->set >= 0;
}

void ff_hdf5_table_close(ff_hdf5_table *table) {
  if (table) {
    ff_hdf5_close(H5Dclose, table->set);
    ff_hdf5_close(H5Tclose, table->type);
    ff_free(table->rows);
    ff_free(table);
  }
}

/* ---- rows ------------------------------------------------------------------------------------ */

size_t ff_hdf5_table_pending(const ff_hdf5_table *table) {
  return table ? TABLE_ROWS * table->size : 0;
}

bool ff_hdf5_table_flush(ff_hdf5_table *table) {
  if (!table || table->held == 0) {
    return true;
  }
  hsize_t count = (hsize_t)table->held, start = table->written, total = start + count;
  hid_t from = H5Screate_simple(1, &count, NULL), to = -1;
  bool done = from >= 0 && H5Dset_extent(table->set, &total) >= 0;
  to = done ? H5Dget_space(table->set) : -1;
  done = done && to >= 0 &&
         H5Sselect_hyperslab(to, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
         H5Dwrite(table->set, table->type, from, to, H5P_DEFAULT, table->rows) >= 0;
  ff_hdf5_close(H5Sclose, to);
  ff_hdf5_close(H5Sclose, from);
  table->written = total;
  table->held = 0;
  return done;
}

bool ff_hdf5_table_add(ff_hdf5_table *table, const void *row) {
  memcpy(table->rows + (size_t)table->held * table->size, row, table->size);
  return ++table->held == TABLE_ROWS;
}
