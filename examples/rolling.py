# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A sphere thrown on a plane: it bounces, slips, sticks and rolls. Writes rolling.png."""

import footfall

scene = footfall.Scene.from_file("scenes/rolling.yaml", set={"pairs[0].friction.mu": 0.3})
trace = scene.sim().run()                             # steps by error control, events located

for event in trace.events[:5]:
    print(f"{event.time:.6f} s  {event.kind:9}  {event.owner}")
print(f"slip took {trace.ledger.slip*1e3:.3f} mJ, residual {trace.ledger.residual:.1e} J")
axes = trace.plot("ball:z")                           # numpy: trace["ball:z"]; pandas: trace.to_pandas()
axes.figure.savefig("rolling.png")
