/* Closed-form impacts. */
#ifndef FOOTFALL_IMPACT_H
#define FOOTFALL_IMPACT_H
#endif
