#!/bin/sh
# start
start() {
  :
}

stop() {
  :
}
