"""`python -m streamguard`."""

import sys

from streamguard.cli import main

sys.exit(main())
