// SPDX-License-Identifier: MIT
#pragma once

namespace twinrun {

/// What a terminal has no room for goes through the user's pager, as with git: $TWINRUN_PAGER, else
/// $PAGER, else less. None is started before there is something to show, since what comes before
/// may be a recorded program that uses the terminal itself.
class Pager {
 public:
  /// The pager that standard output goes through when it has to.
  static Pager& instance();

  /// The next write starts it, if standard output is a terminal.
  void allow() { allowed_ = true; }
  /// Starts it, once, if it may and can be. Standard error goes there too when it is a terminal.
  void start();
  /// Waits until the user has left it. Standard output must have been flushed.
  void finish();

  /// Standard output is the terminal, by way of the pager.
  [[nodiscard]] bool is_running() const { return child_ != 0; }

 private:
  bool allowed_ = false;
  int child_ = 0;
};

}  // namespace twinrun
