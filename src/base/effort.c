#include "base/effort.h"

_Thread_local long ff_effort;
