// SPDX-License-Identifier: MIT
#pragma once

#include "trace/regen/op.h"

#include <cstdint>

/// Steps of a compiled block that are no IR operations: moves between registers and temporaries,
/// memory accesses, helper calls. Each is chosen by the size of its value; null: no such size.
namespace twinrun::steps {

Run load_of(uint32_t size);
Run store_of(uint32_t size);
Run store_if_of(uint32_t size);
Run copy_of(uint32_t size);
Run choose_of(uint32_t size);
Run take_logged_of(uint32_t size);
Run get_narrow_of(uint32_t size);
Run get_indexed_of(uint32_t size);
Run put_indexed_of(uint32_t size);
Run swap_store_of(uint32_t size);
Run swap_store_double_of(uint32_t size);
Run load_behind_of(uint32_t size);
Run load_if_of(uint32_t size);

/// Holds operands of the step in front of it.
Run operands_only_step();
Run call_condition_step();
Run call_rflags_all_step();
Run call_rflags_carry_step();
Run logged_result_step();
Run logged_registers_step();
Run logged_memory_step();

}  // namespace twinrun::steps
