# SPDX-License-Identifier: MIT
"""The figures of make bench-crash: how each comes from the samples, and its bound.

docs/benchmarks.md tells people what each key means.
"""

from host.bounds import Figure, at_most

FIGURES = [
    Figure("extract", "extract a dump of 512 MB with 1000 threads", "s",
           lambda samples: min(samples["extract"]), at_most(5)),
    Figure("extract_event", "  of it, for each event", "ns",
           lambda samples: min(samples["extract"]) / samples["events"][0] * 1e9),
]
