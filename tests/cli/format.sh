#!/bin/sh
# The sources have the layout of .clang-format.
tools/format --check
