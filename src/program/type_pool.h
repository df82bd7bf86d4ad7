// SPDX-License-Identifier: MIT
// Types made from debugging entries, each once. Internal to program/.
#pragma once

#include "program/dwarf_context.h"
#include "program/types.h"

#include <elfutils/libdw.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <deque>
#include <vector>

namespace twinrun {

class TypePool {
 public:
  TypePool();
  /// The type that an entry's DW_AT_type (or that of its origin) names; void without one.
  const Type& type_of(Dwarf_Die& die);
  /// The type that the entry itself is.
  const Type& get(const Dwarf_Die& die);
  [[nodiscard]] const Type& unknown() const { return unknown_; }

 private:
  Type* entry(const Dwarf_Die& die);
  const Type* target_of(Dwarf_Die& die);
  void fill_waiting();
  void fill(Type& type, Dwarf_Die& die);
  void fill_base(Type& type, Dwarf_Die& die) const;
  void fill_record(Type& type, Dwarf_Die& die);
  void fill_array(Type& type, Dwarf_Die& die);
  void fill_function(Type& type, Dwarf_Die& die);
  Member member(Dwarf_Die& die);

  Type unknown_;
  Type void_;
  std::deque<Type> types_;  // addresses stay
  boost::unordered_flat_map<const void*, Type*> by_die_;
  struct Waiting {
    Type* type;
    Dwarf_Die die;
  };
  std::vector<Waiting> waiting_;
};

}  // namespace twinrun
