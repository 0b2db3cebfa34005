# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""A controlled hopping leg, with the controller of scenes/hopper.yaml as a Python function. Writes hopper.png."""

import footfall

# the scene without its own controller
scene = footfall.Scene.from_file("scenes/hopper.yaml", set={"controllers": "{}", "forces": "{}", "parameters": "{}"})


@scene.controller(every=1e-3, commands=["leg"])
def hop(view):
    """The force along the leg, N: in stance a spring and a thrust, in flight a servo."""
    q, rate = view.position("leg"), view.rate("leg")
    if view.touching("foot/floor"):
        return 6000*(0.5 - q) - 40*rate + (120 if rate > 0 else 0)
    return 3000*(0.5 - q) - 60*rate


trace = scene.sim().run()
landings = [event.time for event in trace.events if event.kind == "touchdown"]
print(f"{len(landings)} landings; hops settle to a period of {landings[-1] - landings[-2]:.3f} s, "
      f"the trunk rises to {trace['trunk:z'][trace.t > landings[-2]].max():.3f} m")
axes = trace.plot("trunk:z")
axes.figure.savefig("hopper.png")
