#!/bin/sh
# start
start() {
  :
}
set -e
stop() {
  :
}
