/* The table of steppers, one row each: FF_STEPPER_ROW(id, members of its ff_stepper_info). The
 * functions of a row are `ff_stepper_<id>`, defined in src/step/. This file has no include guard:
 * model/steppers.c makes the descriptions of it and step/stepper.c the list of functions, so a row
 * without functions does not link.
 *
 * Energy tolerances: the residual of one impact on a linear layer at FF_FINE_STEP (h omega = 0.2
 * rad), touch and release anywhere in a step, is at most 4.3e-3 under `rk4` and 1.6e-2 under `heun`
 * (200 phases, damping ratio 0 to 0.3; touch and release dominate it). The tolerances are the next
 * of 1, 2, 5, 10. `symplectic-euler` closes the energy of each contact but books damping of joints
 * to first order. */
/* clang-format off */
FF_STEPPER_ROW(adaptive,
  .name = "adaptive",
  .summary = "explicit Runge-Kutta 8(7) with error control that ends a step at every event",
  .citation = "Prince81", .order = 0,
  .keys = FF_STEPPER_KEYS("rtol", "atol", "max-step"),
  .energy_tolerance = 1e-6, .contact_tolerance = INFINITY, .contacts = FF_CONTACTS_BY_FORCE,
  .locates_events = true, .keeps_constraints = true)
FF_STEPPER_ROW(rk4,
  .name = "rk4",
  .summary = "classical Runge-Kutta method, four evaluations a step",
  .citation = "Kutta1901", .order = 4,
  .keys = FF_STEPPER_KEYS("step"),
  .energy_tolerance = 5e-3, .contact_tolerance = INFINITY, .contacts = FF_CONTACTS_BY_FORCE,
  .fixed_step = true, .keeps_constraints = true)
FF_STEPPER_ROW(heun,
  .name = "heun",
  .summary = "explicit trapezoidal rule, two evaluations a step",
  .citation = "Heun1900", .order = 2,
  .keys = FF_STEPPER_KEYS("step"),
  .energy_tolerance = 2e-2, .contact_tolerance = INFINITY, .contacts = FF_CONTACTS_BY_FORCE,
  .fixed_step = true, .keeps_constraints = true)
FF_STEPPER_ROW(symplectic_euler,
  .name = "symplectic-euler",
  .summary = "impulse of all forces, then exact free flight; solves for contacts with friction",
  .citation = "Hairer06", .order = 1,
  .keys = FF_STEPPER_KEYS("step", "sleep", "sleep-speed"),
  .energy_tolerance = 1e-2, .contact_tolerance = INFINITY, .contacts = FF_CONTACTS_BY_FORCE,
  .fixed_step = true, .midpoint_contacts = true, .keeps_constraints = true)
FF_STEPPER_ROW(quasi_rigid,
  .name = "quasi-rigid",
  .summary = "implicit: bodies, robots and contacts in one system, geometry of the step's end",
  .citation = "Chakraborty07", .order = 2,
  .keys = FF_STEPPER_KEYS("step", "order", "geometry", "accuracy", "sleep", "sleep-speed"),
  .energy_tolerance = 5e-2, .contact_tolerance = 1e-6, .crowd_accuracy = 1e-2, .contacts = FF_CONTACTS_BY_LAYER,
  .fixed_step = true, .keeps_constraints = true, .constrains_links = true,
  .only_loses = true)
/* Forces are those of the start of a step: at its end they differ by the springs' motion in it. */
FF_STEPPER_ROW(micro_macro,
  .name = "micro-macro",
  .summary = "forces of elastic parts, impulses of rigid ones, at steps of milliseconds",
  .citation = "Sugihara03", .order = 1,
  .keys = FF_STEPPER_KEYS("step", "micro", "lambda", "lambda-relative", "slip-speed", "sticking",
                          "exclusive", "passes", "corrections", "accuracy", "sleep",
                          "sleep-speed"),
  .energy_tolerance = 5e-2, .contact_tolerance = 0.1, .crowd_accuracy = 1e-2, .contacts = FF_CONTACTS_BY_GROUND,
  .fixed_step = true)
/* clang-format on */
