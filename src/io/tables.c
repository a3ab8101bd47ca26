#include "io/tables.h"

ff_event_row ff_event_row_of(const ff_event *event) {
  return (ff_event_row){.time = event->time,
                        .kind = (int32_t)event->kind,
                        .a = event->a.id,
                        .b = event->b.id,
                        .robot = event->joint.robot,
                        .joint = event->joint.id,
                        .speed = event->speed,
                        .peak_force = event->peak_force,
                        .peak_time = event->peak_time,
                        .peak_depth = event->peak_depth,
                        .impulse = event->impulse};
}

ff_contact_row ff_contact_row_of(const ff_contact *contact, double time, long sample) {
  return (ff_contact_row){.time = time,
                          .sample = sample,
                          .a = contact->a.id,
                          .b = contact->b.id,
                          .shape_a = contact->shape_a.id,
                          .shape_b = contact->shape_b.id,
                          .feature = contact->feature,
                          .mode = (int32_t)contact->mode,
                          .point = contact->point,
                          .normal = contact->normal,
                          .force = contact->force,
                          .moment = contact->moment,
                          .depth = contact->patch.depth,
                          .depth_rate = contact->patch.depth_rate,
                          .force_n = contact->force_n,
                          .slip = {contact->patch.slip[0], contact->patch.slip[1]}};
}

size_t ff_table_row_size(ff_table_kind kind) {
  return kind == FF_TABLE_EVENTS ? sizeof(ff_event_row) : sizeof(ff_contact_row);
}
