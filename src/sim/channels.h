/* The table of channels: families of members (bodies, contacts, ...), each with one row a channel.
 *
 * Reading a member fills one ff_channel_sample; a row tells where in it its number is, so that all
 * channels of a member cost one reading. */
#ifndef FF_SIM_CHANNELS_H
#define FF_SIM_CHANNELS_H

#include "sim/sensors.h"

/* The numbers of one member of a family. */
typedef union ff_channel_sample {
  struct {
    ff_body_state now;
    ff_vec3 acceleration, alpha; /* m/s^2, rad/s^2; NAN: no step was taken */
  } body;
  struct {
    double depth, depth_rate, count, force_n, force_t1, force_t2;
    ff_vec3 force, moment, point;
    double slip, mode;
  } contact;
  struct {
    double force, position, wanted;
  } drive;
  ff_constraint_state constraint;
  struct {
    double position, velocity, torque;
  } joint;
  ff_load load;
  ff_robot_motion robot;
  ff_energy energy;
  struct {
    ff_momentum now;
    double linear_residual, angular_residual;
  } momentum;
  ff_contact_residual audit;
  struct {
    double residual, asleep;
  } solver;
} ff_channel_sample;

/* Value of a channel inside a fixed step, from its values at both ends (docs/recordings.md). */
typedef enum ff_blend {
  FF_BLEND_LINEAR,
  FF_BLEND_NEAREST, /* of the nearer end */
  FF_BLEND_OF_STEP, /* of the whole step: that of its end */
  FF_BLEND_CUBIC,   /* Hermite, with the rates of both ends */
  FF_BLEND_ROTATION /* quaternion: Hermite in the rotation vector, with the angular velocities */
} ff_blend;

/* A channel, or one for each component of a vector. */
typedef struct ff_channel_row {
  const char *name;       /* after the member's: "position" */
  const char *components; /* "x y z", doubles that follow each other in the sample; "": a scalar */
  int count;              /* of them; 1: a scalar */
  const char *unit;       /* "m" */
  const char *sliding_unit; /* of joints that slide; NULL: the same */
  const char *frame;        /* axes that its components are along; "": of none */
  const char *meaning;      /* what it is, its sign, and when it is NAN */
  size_t at;                /* offset in the sample */
  ff_blend blend;
  size_t rate_at; /* offset of its rate, or angular velocity, in the sample; 0: not needed */
} ff_channel_row;

enum { FF_MEMBER_NAME = 150 };

typedef struct ff_channel_family {
  const char *name;   /* "body" */
  const char *member; /* what stands for a member's name in documentation, "<body>"; "": none */
  int (*count)(const ff_model *model);
  /* NULL: there is at most one member and it has no name. */
  void (*tell_name)(const ff_model *model, int member, char name[FF_MEMBER_NAME]);
  bool (*slides)(const ff_model *model, int member); /* NULL: none does */
  void (*read)(const ff_sim *sim, int member, ff_channel_sample *out);
  const ff_channel_row *rows;
  int row_count;
} ff_channel_family;

/* Contacts get channels of their own while there are few enough pairs to look at; else a recording
 * has a table of contacts. */
enum { FF_CONTACT_CHANNEL_PAIRS = 4096 };

enum { FF_CHANNEL_FAMILIES = 11 };
extern const ff_channel_family ff_channel_families[FF_CHANNEL_FAMILIES];

/* Family, member, row and component of a channel's number; family -1: there is no such channel. */
typedef struct ff_channel_place {
  int family, member, row, component;
} ff_channel_place;
ff_channel_place ff_channel_locate(const ff_model *model, int index);

#endif
