# SPDX-License-Identifier: MIT
# tar with a compressor as its child, cpio-like copies, find with exec.
mkdir -p d/e; seq 500 > d/a; seq 50 > d/e/b; ln -s a d/l
tar --sort=name --owner=0 --group=0 --mtime=@0 -czf t.tgz d; tar -tzf t.tgz
mkdir x; tar -xzf t.tgz -C x; diff -r d x/d && echo same
find d -type f -exec wc -l {} + | sort; find d -type f -print0 | sort -z | xargs -0 -n1 -P2 sha1sum | sort; rm t.tgz
rm -r x
