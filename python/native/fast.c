/* footfall._fast: the calls whose cost matters, and the guard against two threads in one object.
 *
 * A Guard belongs to one sim. Whoever uses the sim enters and leaves; the owner is a thread, which
 * may enter again (a controller reads the sim that calls it). All fields are protected by the GIL.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef int step_fn(void *sim);
typedef void read_fn(const void *sim, const int *channels, int count, double *out);

enum { CLOSED = -1, BUSY = -2, STEPPING = -3 }; /* arguments of `fail` besides an ff_status */

typedef struct guard {
  PyObject_HEAD void *object; /* NULL: closed */
  PyObject *keep;             /* owns the object */
  PyObject *fail;             /* called with a status: raises */
  step_fn *step;
  read_fn *read;
  int release; /* gives the GIL away during a step */
  int depth;   /* of entries */
  int stepping;
  unsigned long owner;
} guard;

static int guard_fail(guard *self, int status) {
  PyObject *result = PyObject_CallFunction(self->fail, "i", status);
  Py_XDECREF(result);
  if (result) {
    PyErr_SetString(PyExc_SystemError, "an error was expected");
  }
  return -1;
}

static int guard_enter(guard *self, int modifies) {
  if (!self->object) {
    return guard_fail(self, CLOSED);
  }
  if (self->depth > 0 && self->owner != PyThread_get_thread_ident()) {
    return guard_fail(self, BUSY);
  }
  if (modifies && self->stepping) {
    return guard_fail(self, STEPPING);
  }
  self->owner = PyThread_get_thread_ident();
  self->depth++;
  return 0;
}

static PyObject *guard_read_enter(guard *self, PyObject *none) {
  (void)none;
  if (guard_enter(self, 0) != 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *guard_modify_enter(guard *self, PyObject *none) {
  (void)none;
  if (guard_enter(self, 1) != 0) {
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *guard_step_enter(guard *self, PyObject *none) {
  (void)none;
  if (guard_enter(self, 1) != 0) {
    return NULL;
  }
  self->stepping = 1;
  Py_RETURN_NONE;
}

static PyObject *guard_leave(guard *self, PyObject *none) {
  (void)none;
  self->depth -= self->depth > 0;
  if (self->depth == 0) {
    self->stepping = 0;
  }
  Py_RETURN_NONE;
}

static PyObject *guard_do_step(guard *self, PyObject *none) {
  (void)none;
  int status;
  if (guard_enter(self, 1) != 0) {
    return NULL;
  }
  self->stepping = 1;
  if (self->release) {
    Py_BEGIN_ALLOW_THREADS status = self->step(self->object);
    Py_END_ALLOW_THREADS
  } else {
    status = self->step(self->object);
  }
  self->stepping = 0;
  self->depth--;
  if (status != 0) {
    guard_fail(self, status);
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *guard_close(guard *self, PyObject *none) {
  (void)none;
  if (self->depth > 0) {
    guard_fail(self, self->owner == PyThread_get_thread_ident() ? STEPPING : BUSY);
    return NULL;
  }
  self->object = NULL;
  Py_CLEAR(self->keep);
  Py_RETURN_NONE;
}

static int guard_init(guard *self, PyObject *args, PyObject *named) {
  static char *words[] = {"object", "keep", "fail", "step", "read", "release", NULL};
  unsigned long long object, step = 0, read = 0;
  PyObject *keep, *fail;
  int release = 1;
  if (!PyArg_ParseTupleAndKeywords(args, named, "KOO|KKp", words, &object, &keep, &fail, &step,
                                   &read, &release)) {
    return -1;
  }
  Py_INCREF(keep);
  Py_XSETREF(self->keep, keep);
  Py_INCREF(fail);
  Py_XSETREF(self->fail, fail);
  self->object = (void *)(uintptr_t)object;
  self->step = (step_fn *)(uintptr_t)step;
  self->read = (read_fn *)(uintptr_t)read;
  self->release = release;
  return 0;
}

static int guard_traverse(guard *self, visitproc visit, void *arg) {
  Py_VISIT(self->keep);
  Py_VISIT(self->fail);
  return 0;
}

static int guard_clear(guard *self) {
  self->object = NULL;
  Py_CLEAR(self->keep);
  Py_CLEAR(self->fail);
  return 0;
}

static void guard_dealloc(guard *self) {
  PyObject_GC_UnTrack(self);
  guard_clear(self);
  Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef guard_methods[] = {
    {"enter", (PyCFunction)guard_read_enter, METH_NOARGS, "Begins a call that reads."},
    {"modify", (PyCFunction)guard_modify_enter, METH_NOARGS, "Begins a call that changes."},
    {"begin", (PyCFunction)guard_step_enter, METH_NOARGS, "Begins steps."},
    {"leave", (PyCFunction)guard_leave, METH_NOARGS, "Ends a call."},
    {"step", (PyCFunction)guard_do_step, METH_NOARGS,
     "step()\n--\n\nOne step of a fixed stepper; `adaptive` takes the step its error control "
     "chooses."},
    {"close", (PyCFunction)guard_close, METH_NOARGS, "Lets the object go."},
    {NULL, NULL, 0, NULL},
};

static PyObject *guard_is_open(guard *self, void *none) {
  (void)none;
  return PyBool_FromLong(self->object != NULL);
}

static PyGetSetDef guard_values[] = {
    {"is_open", (getter)guard_is_open, NULL, "Is there an object?", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject guard_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "footfall._fast.Guard",
    .tp_basicsize = sizeof(guard),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)guard_init,
    .tp_dealloc = (destructor)guard_dealloc,
    .tp_traverse = (traverseproc)guard_traverse,
    .tp_clear = (inquiry)guard_clear,
    .tp_methods = guard_methods,
    .tp_getset = guard_values,
    .tp_doc = "Protects one C object.",
};

/* ---- reader ---------------------------------------------------------------------------------- */

/* Reads chosen channels into one array. */
typedef struct reader {
  PyObject_HEAD guard *of;
  PyObject *array; /* double[count]: returned by each call */
  Py_buffer channels, out;
} reader;

static int reader_init(reader *self, PyObject *args, PyObject *named) {
  PyObject *of, *channels, *array;
  if (named && PyDict_Size(named) > 0) {
    PyErr_SetString(PyExc_TypeError, "Reader takes no named arguments");
    return -1;
  }
  if (self->of) {
    PyErr_SetString(PyExc_TypeError, "a reader is made once");
    return -1;
  }
  if (!PyArg_ParseTuple(args, "O!OO", &guard_type, &of, &channels, &array)) {
    return -1;
  }
  if (PyObject_GetBuffer(channels, &self->channels, PyBUF_C_CONTIGUOUS) != 0) {
    return -1;
  }
  if (PyObject_GetBuffer(array, &self->out, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0) {
    PyBuffer_Release(&self->channels);
    return -1;
  }
  if (self->channels.len / (Py_ssize_t)sizeof(int) != self->out.len / (Py_ssize_t)sizeof(double)) {
    PyErr_SetString(PyExc_ValueError, "as many channels as numbers");
    return -1;
  }
  Py_INCREF(of);
  self->of = (guard *)of;
  Py_INCREF(array);
  self->array = array;
  return 0;
}

static void reader_dealloc(reader *self) {
  if (self->channels.obj) {
    PyBuffer_Release(&self->channels);
  }
  if (self->out.obj) {
    PyBuffer_Release(&self->out);
  }
  Py_XDECREF(self->of);
  Py_XDECREF(self->array);
  Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *reader_read(reader *self, PyObject *none) {
  (void)none;
  if (!self->of) {
    PyErr_SetString(PyExc_TypeError, "an empty reader");
    return NULL;
  }
  if (guard_enter(self->of, 0) != 0) {
    return NULL;
  }
  self->of->read(self->of->object, self->channels.buf,
                 (int)(self->channels.len / (Py_ssize_t)sizeof(int)), self->out.buf);
  self->of->depth--;
  Py_INCREF(self->array);
  return self->array;
}

static PyMethodDef reader_methods[] = {
    {"read", (PyCFunction)reader_read, METH_NOARGS,
     "read()\n--\n\nPresent values, in the order of the channels. The same array each time: copy "
     "it to keep it."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject reader_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "footfall._fast.Reader",
    .tp_basicsize = sizeof(reader),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)reader_init,
    .tp_dealloc = (destructor)reader_dealloc,
    .tp_methods = reader_methods,
    .tp_doc = "Reads chosen channels of a sim into one array.",
};

/* ---- module ---------------------------------------------------------------------------------- */

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "footfall._fast",
                                    .m_doc = "Fast calls of footfall.", .m_size = -1};

PyMODINIT_FUNC PyInit__fast(void) {
  PyObject *made = NULL;
  if (PyType_Ready(&guard_type) == 0 && PyType_Ready(&reader_type) == 0) {
    made = PyModule_Create(&module);
  }
  if (made && (PyModule_AddObjectRef(made, "Guard", (PyObject *)&guard_type) != 0 ||
               PyModule_AddObjectRef(made, "Reader", (PyObject *)&reader_type) != 0)) {
    Py_CLEAR(made);
  }
  return made;
}
