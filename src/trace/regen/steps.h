// SPDX-License-Identifier: MIT
#pragma once

#include "trace/regen/op.h"

#include <cstdint>

/// Steps of a compiled block that are no IR operations: moves between registers and temporaries,
/// memory accesses, helper calls. Each is chosen by the size of its value; null: no such size.
namespace twinrun::steps {

StepFunction load_of(uint32_t size);
StepFunction store_of(uint32_t size);
StepFunction store_if_of(uint32_t size);
StepFunction copy_of(uint32_t size);
StepFunction choose_of(uint32_t size);
StepFunction take_logged_of(uint32_t size);
StepFunction get_narrow_of(uint32_t size);
StepFunction get_indexed_of(uint32_t size);
StepFunction put_indexed_of(uint32_t size);
StepFunction swap_store_of(uint32_t size);
StepFunction swap_store_double_of(uint32_t size);
StepFunction load_behind_of(uint32_t size);
StepFunction load_if_of(uint32_t size);

/// Holds operands of the step in front of it.
StepFunction operands_only_step();
StepFunction call_condition_step();
StepFunction call_rflags_all_step();
StepFunction call_rflags_carry_step();
StepFunction logged_result_step();
StepFunction logged_registers_step();
StepFunction logged_memory_step();

}  // namespace twinrun::steps
