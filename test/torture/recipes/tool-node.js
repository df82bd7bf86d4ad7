// SPDX-License-Identifier: MIT
// Node: its compiler tiers, promises, workers' event loop, buffers.
// torture: run=node
// torture: timeout=120
// torture: slow=yes
const crypto = require('crypto');
function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
let total = 0;
for (let i = 0; i < 200; i++) total += hot(1000);
console.log(total, crypto.createHash('sha256').update('twin').digest('hex'));
const {exec} = require('child_process');
(async () => {
  await new Promise(r => setTimeout(r, 10));
  console.log(await new Promise(r => exec('echo child', (e, out) => r(out))));
  console.log([3, 1, 2].sort(), JSON.stringify({a: [1, {b: 2}]}), 'ß'.toUpperCase());
  process.exitCode = 5;
})();
