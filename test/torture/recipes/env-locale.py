# SPDX-License-Identifier: MIT
# Locales, time zones, Unicode file names.
import locale, os, time
print(locale.setlocale(locale.LC_ALL, "C.UTF-8"))
os.environ["TZ"] = "Asia/Tokyo"
time.tzset()
print(time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(1700000000)))
open("naïve-文件.txt", "w").write("ü")
print([os.fsencode(n) for n in os.listdir(".")], "straße".upper())
print(locale.format_string("%.3f", 1234567.891, grouping=True))
