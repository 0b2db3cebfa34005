/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/checkpoint.h>
#include <footfall/control.h>
#include <footfall/elementary.h>
#include <footfall/field.h>
#include <footfall/fit.h>
#include <footfall/gait.h>
#include <footfall/impact.h>
#include <footfall/inclusion.h>
#include <footfall/json.h>
#include <footfall/law.h>
#include <footfall/material.h>
#include <footfall/memory.h>
#include <footfall/report.h>
#include <footfall/run.h>
#include <footfall/sampler.h>
#include <footfall/scene.h>
#include <footfall/sim.h>
#include <footfall/source.h>
#include <footfall/status.h>
#include <footfall/study.h>
#include <footfall/tool.h>
#include <footfall/trace.h>
#include <footfall/trust.h>
#include <footfall/unit.h>
#include <footfall/warning.h>

FF_C_BEGIN

/* The version of the library, "major.minor.patch". */
FF_API const char *ff_version(void);

FF_C_END
