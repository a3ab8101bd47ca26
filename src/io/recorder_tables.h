/* Tables in HDF5: compound datasets that grow. */
#ifndef FF_IO_RECORDER_TABLES_H
#define FF_IO_RECORDER_TABLES_H

#include "io/hdf5.h"
#include "io/tables.h"

/* False: out of memory; what there is of it is closed by ff_hdf5_table_close. */
bool ff_hdf5_table_create(ff_hdf5_table **out, hid_t file, ff_table_kind kind);
/* Takes a row; true: its buffer is full, and must be flushed before the next. */
bool ff_hdf5_table_add(ff_hdf5_table *table, const void *row);
/* Bytes that a flush may write at most. */
size_t ff_hdf5_table_pending(const ff_hdf5_table *table);
/* False: out of memory. NULL is allowed. */
bool ff_hdf5_table_flush(ff_hdf5_table *table);
void ff_hdf5_table_close(ff_hdf5_table *table); /* NULL is allowed */

#endif
