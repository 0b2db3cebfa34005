/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "inclusion/equations.h"
#include <footfall/source.h>
