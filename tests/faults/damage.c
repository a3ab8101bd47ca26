/* Damaged input: files with changed bytes. */
#include "faults.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the library makes of a file; run in a process of its own. Returns true if it takes it as
 * whole. */
typedef bool (*reader)(const char *path);

static bool read_scene(const char *path) {
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
  ff_status status = ff_scene_load(&scene, path, NULL, 0, &report);
  status = status == FF_OK ? ff_model_build(&model, scene, &report) : status;
  status = status == FF_OK ? ff_sim_create(&sim, model) : status;
  for (int i = 0; i < 5 && status == FF_OK; i++) {
    status = ff_sim_step(sim);
  }
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return status == FF_OK;
}

static bool read_robot(const char *path) {
  ff_robot *robot = NULL;
  ff_tree *tree = NULL;
  ff_report report = {0};
  ff_status status = ff_robot_load(&robot, path, NULL, &report);
  status = status == FF_OK ? ff_robot_tree(&tree, robot, FF_JOINT_FREE, &report) : status;
  ff_tree_destroy(&tree);
  ff_robot_destroy(&robot);
  return status == FF_OK;
}

static long whole_rows;

static bool read_recording(const char *path) {
  ff_recording *recording = NULL;
  ff_report report = {0};
  if (ff_recording_open(&recording, path, &report) != FF_OK) {
    return false;
  }
  const ff_recording_info *about = ff_recording_about(recording);
  bool whole = about->incomplete[0] == 0 || ff_recording_rows(recording) == whole_rows;
  ff_recording_close(&recording);
  return whole;
}

static bool read_checkpoint(const char *path) {
  ff_run *run = NULL;
  ff_report report = {0};
  ff_status status = ff_run_resume(&run, path, NULL, &report);
  ff_run_destroy(&run);
  return status == FF_OK;
}

/* Reads it in a process of its own: 1 accepted as whole, 0 not, -1 noted. */
static int read_apart(reader read, const char *path, const char *what) {
  pid_t child = fork();
  if (child == 0) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    alarm(LIMIT);
    _exit(read(path));
  }
  int status = 0;
  waitpid(child, &status, 0);
  ++now->cases;
  if (WIFSIGNALED(status)) {
    char keep[2 * TEXT];
    bool hang = WTERMSIG(status) == SIGALRM;
    note(hang ? &now->hangs : &now->signals, "signal %d: %s", WTERMSIG(status), what);
    snprintf(keep, sizeof keep, "%s/bad-%ld-%s", work, (long)now->cases, path);
    size_t size;
    unsigned char *bytes = read_whole(path, &size);
    write_whole(keep, bytes, size);
    free(bytes);
    return -1;
  }
  return WEXITSTATUS(status);
}

/* A few changes of bytes, as of a slip of the hand: others, fewer, more, moved. */
static size_t mutate(unsigned char *bytes, size_t size, size_t room) {
  static const char *const words[] = {"-1", "1e308", "nan", "[]", "{}", ":", "\n", "0", "*", "&a"};
  for (uint64_t changes = 1 + draw(4); changes > 0; changes--) {
    size_t at = size > 0 ? draw(size) : 0, length = 1 + draw(12);
    length = length < size - at ? length : size - at;
    const char *word = words[draw(sizeof words / sizeof *words)];
    switch (draw(5)) {
      case 0: bytes[at] = (unsigned char)draw(256); break;
      case 1: bytes[at] ^= (unsigned char)(1u << draw(8)); break;
      case 2:
        memmove(bytes + at, bytes + at + length, size - at - length);
        size -= length;
        break;
      case 3:
        if (size + 16 < room) {
          memmove(bytes + at + strlen(word), bytes + at, size - at);
          memcpy(bytes + at, word, strlen(word));
          size += strlen(word);
        }
        break;
      default: memmove(bytes + draw(size - length + 1), bytes + at, length); break;
    }
    if (size == 0) {
      break;
    }
  }
  return size;
}

typedef struct input {
  const char *from; /* in the source folder, or beside */
  const char *as;
  reader read;
} input;

/* The files that are damaged: every scene, then the others. */
static int list_inputs(input *list, int capacity) {
  static const input others[] = {{"scenes/robots/planar-biped.urdf", "mutant.urdf", read_robot},
                                 {"scenes/robots/humanoid.urdf", "mutant.urdf", read_robot},
                                 {"tent.urdf", "tent.urdf", read_robot},
                                 {"tent.obj", "tent.obj", read_robot},
                                 {"tent.stl", "tent.stl", read_robot},
                                 {"in.h5", "mutant.h5", read_recording},
                                 {"in.csv", "mutant.csv", read_recording},
                                 {"in.sto", "mutant.sto", read_recording},
                                 {"in.h5.part", "mutant.h5.part", read_recording},
                                 {"run.ckpt", "mutant.ckpt", read_checkpoint}};
  char folder[2 * TEXT];
  int count = 0;
  snprintf(folder, sizeof folder, "%s/scenes", source);
  struct dirent **entries;
  int found = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < found; i++) {
    const char *name = entries[i]->d_name;
    size_t length = strlen(name);
    if (count < capacity && length > 5 && strcmp(name + length - 5, ".yaml") == 0) {
      char *path = malloc(length + 8);
      sprintf(path, "scenes/%s", name);
      list[count++] = (input){path, "mutant.yaml", read_scene};
    }
    free(entries[i]);
  }
  free(entries);
  for (size_t i = 0; i < sizeof others / sizeof *others && count < capacity; i++) {
    list[count++] = others[i];
  }
  return count;
}

static void write_tent(void) {
  static const char urdf[] =
      "<robot name='tent'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><mesh "
      "filename='tent.obj'/></geometry></collision><collision><geometry><mesh "
      "filename='tent.stl'/></geometry></collision></link></robot>";
  static const char obj[] =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  static const char stl[] =
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
      "0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 "
      "0 1\nendloop\nendfacet\nendsolid a\n";
  write_whole("tent.urdf", urdf, sizeof urdf - 1);
  write_whole("tent.obj", obj, sizeof obj - 1);
  write_whole("tent.stl", stl, sizeof stl - 1);
}

static void write_recordings(void) {
  fault none = {0};
  write_tent();
  char robots[2 * TEXT];
  snprintf(robots, sizeof robots, "%s/scenes/robots", source);
  if (!exists("robots") && symlink(robots, "robots") != 0) {
    die("robots");
  }
  finish(start(BALL NARROW "-o in.csv -o in.sto", none), "in.csv");
  copy("saved.part", "in.h5.part");
  whole_rows = -1;
}

void part_mutations(int worker) {
  input list[128];
  int inputs = list_inputs(list, 128);
  long all = wanted > 0 ? wanted : 10000;
  write_recordings();
  for (long n = worker; n < all; n += WORKERS) {
    const input *in = &list[n % inputs];
    char path[2 * TEXT], what[4 * TEXT];
    random_state = 5000 + (uint64_t)n;
    snprintf(path, sizeof path, "%s/%s", source, in->from);
    size_t size = 0;
    unsigned char *bytes = read_whole(exists(in->from) ? in->from : path, &size);
    if (!bytes) {
      die(path);
    }
    bytes = realloc(bytes, size + 256);
    size = mutate(bytes, size, size + 256);
    if (strncmp(in->as, "tent", 4) == 0) {
      write_tent();
    }
    write_whole(in->as, bytes, size);
    free(bytes);
    snprintf(what, sizeof what, "mutation %ld of %s", n, in->from);
    const char *read = strncmp(in->as, "tent", 4) == 0 ? "tent.urdf" : in->as;
    read_apart(in->read, read, what);
    unlink("mutant.h5.part");
  }
}

void part_flips(int worker) {
  static const input inputs[] = {{"in.h5", "flip.h5", read_recording},
                                 {"in.h5.part", "flip.h5.part", read_recording},
                                 {"run.ckpt", "flip.ckpt", read_checkpoint}};
  enum { INPUTS = sizeof inputs / sizeof *inputs };
  long all = wanted > 0 ? wanted : 1000;
  write_recordings();
  for (long n = worker; n < all * INPUTS; n += WORKERS) {
    const input *in = &inputs[n % INPUTS];
    size_t size;
    unsigned char *bytes = read_whole(in->from, &size);
    random_state = 90000 + (uint64_t)n;
    uint64_t bit = draw(8 * (uint64_t)size);
    char what[TEXT];
    snprintf(what, sizeof what, "bit %llu of %s", (unsigned long long)bit, in->from);
    ff_recording *recording;
    whole_rows = -1;
    if (in->read == read_recording && ff_recording_open(&recording, in->from, NULL) == FF_OK) {
      whole_rows = ff_recording_rows(recording);
      ff_recording_close(&recording);
    }
    bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    write_whole(in->as, bytes, size);
    free(bytes);
    /* A recording without its checksum is readable, but not whole. */
    bool part = strstr(in->from, ".part") != NULL;
    whole_rows = part ? whole_rows : -1;
    if (read_apart(in->read, in->as, what) == 1) {
      note(&now->wrong, "taken as whole: %s", what);
    }
  }
}
