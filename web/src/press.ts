// SPDX-License-Identifier: MIT
// What can be clicked and is no button of HTML: the same by Enter and the space bar.

export function press(action: () => void) {
  return {
    onClick: (event: Event) => {
      event.stopPropagation();
      action();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if ((event.key !== 'Enter' && event.key !== ' ') || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      action();
    },
  };
}
