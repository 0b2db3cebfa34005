# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
"""footfall: simulation of bodies in compliant contact with friction.

    import footfall
    law = footfall.Normal("hunt-crossley", k=8.5e6, lambda_=3.1e6)
    footfall.restitution(law, [0.1, 1, 10], mass=0.154)

    trace = footfall.Scene.from_file("scenes/rolling.yaml").sim().run()
    trace["ball:z"]

Numbers are in SI units. Errors are exceptions of type ``footfall.Error``; possible mistakes in a scene are
warnings of type ``footfall.ModelWarning``.
"""

from ._core import Error, InputError, Message, ModelWarning, NotFoundError, RunError, lib as _lib, text as _text
from ._control import View
from ._env import Box, Env
from ._gait import Cycle, Gait, Step
from ._impact import (Estimate, Fit, Impact, Stiffness, design, fit, impact, impact_curve, restitution, stiffness)
from ._laws import (Finding, Friction, Law, Material, Normal, Parameter, Power, contact_modulus, hertz_k, laws,
                   load_laws, materials, quantity, reduced)
from ._model import Assembly, BodyFacts, Field, Model
from ._records import (Contact, ContactView, Event, ImpactRecord, Impacts, Joint, Ledger, Motion, Rest, Statistics)
from ._scene import Inclusion, Scene, load
from ._sim import Reader, Sim, Writer
from ._study import Table, sweep
from ._trace import Column, Facts, Trace
from ._trust import Digits, Repeat, Trust

__version__: str = _text(_lib.ff_version()) or ""

__all__ = [
    "Assembly", "BodyFacts", "Box", "Column", "Contact", "ContactView", "Cycle", "Digits", "Env", "Error", "Estimate", "Event",
    "Facts", "Field", "Finding", "Fit", "Friction", "Gait", "Impact", "ImpactRecord", "Impacts", "Inclusion", "InputError",
    "Joint", "Law", "Ledger", "Material", "Message", "Model", "ModelWarning", "Motion", "Normal", "NotFoundError",
    "Parameter", "Power", "Reader", "Repeat", "Rest", "RunError", "Scene", "Sim", "Statistics", "Step", "Stiffness", "Table", "Trace",
    "Trust", "View", "Writer", "contact_modulus", "design", "fit", "hertz_k", "impact", "impact_curve", "laws", "load",
    "load_laws", "materials", "quantity", "reduced", "restitution", "stiffness", "sweep",
]
