#!/usr/bin/env python3
"""A client program for asif drive: Redis, over a socket, without its library.

    asif drive 'examples/drive/redis.py 127.0.0.1 6379' --ops get,put
"""
import os
import socket
import sys

prefix = os.environ["ASIF_PREFIX"]
server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
answers = server.makefile("rb")


def call(*words):
    parts = [f"${len(w)}\r\n{w}\r\n" for w in words]
    server.sendall((f"*{len(words)}\r\n" + "".join(parts)).encode())
    line = answers.readline().decode().rstrip()
    if line.startswith("$") and line != "$-1":
        return answers.read(int(line[1:]) + 2)[:-2].decode()
    return line


for line in sys.stdin:
    op, key, *values = line.split()
    name = f"{prefix}-{key}"
    if op == "get":
        answer = call("GET", name)
        print("ok nil" if answer == "$-1" else f"ok {answer}", flush=True)
    elif op == "put":
        answer = call("SET", name, values[0])
        print("ok" if answer == "+OK" else f"info {answer}", flush=True)
    else:
        print(f"fail {op} is not known", flush=True)
