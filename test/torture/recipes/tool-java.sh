# SPDX-License-Identifier: MIT
# Java: its just-in-time compiler, threads and garbage collector.
# torture: needs=java javac
# torture: slow=yes
# torture: timeout=300
# torture: files=no
cat > T.java <<'J'
public class T {
  public static void main(String[] a) throws Exception {
    long[] sum = new long[2];
    Thread[] t = new Thread[2];
    for (int k = 0; k < 2; k++) { int id = k; t[k] = new Thread(() -> { for (int i = 0; i < 200000; i++) sum[id] += i % 7 * (id + 1); }); t[k].start(); }
    for (Thread x : t) x.join();
    try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("npe"); }
    System.out.println(sum[0] + " " + sum[1]);
    System.exit(3);
  }
}
J
javac T.java && java -Xmx256m -XX:+UseSerialGC T; echo $?
