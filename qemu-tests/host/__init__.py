# SPDX-License-Identifier: MIT
"""Host side of the guests: shared by qemu-tests/run, scripts/vm and the demo."""
