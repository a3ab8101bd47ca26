"""python3 -m footfall ARGUMENTS: the program `footfall`."""
import sys

from ._study import main

sys.exit(main())
