/* FF_API marks what a shared library exports; everything else in it is hidden. Version numbers. */
#ifndef FOOTFALL_API_H
#define FOOTFALL_API_H

/* Version of these headers; ff_version() is that of the library. */
#define FF_VERSION_MAJOR 0
#define FF_VERSION_MINOR 1
#define FF_VERSION_PATCH 0

#if defined(__GNUC__)
#define FF_API __attribute__((visibility("default")))
#else
#define FF_API
#endif

#endif
