/* FF_API marks what a shared library exports; everything else in it is hidden. */
#ifndef FOOTFALL_API_H
#define FOOTFALL_API_H

#if defined(__GNUC__)
#define FF_API __attribute__((visibility("default")))
#else
#define FF_API
#endif

#endif
