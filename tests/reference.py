#!/usr/bin/env python3
"""A second reference for linearizability, unrelated to the C code: the definition, tried out.

    tests/reference.py ASIF COUNT [SPEC...]     compares `asif check` with it on COUNT random histories a specification

A history is linearizable iff some of its pending operations can be completed, the other pending ones left out, and all
that remain put in one order, so that an operation that returned before another was called comes first, and the
sequential object allows the order with these results (Herlihy and Wing 1990). `linearizable` says just that. The
objects below are written from docs/specs.md alone, each as a function from a state and a call to the results and states
that are possible; none: the operation cannot happen there.

The histories are small and ugly: pending operations, results that nobody saw, values that come again, empty objects,
results that are no values, several objects, operations that touch in time. Half are right by construction, until one
result is changed in some; the others have random results. They are written as wing-gong lines, as columns with times
that are equal here and there, and as JSON whose events are out of order and have to be put in the order of their
times. A disagreement is printed with the history, and the status is 1. The same COUNT and SEED (a variable of the
environment) give the same histories.
"""
import os
import random
import subprocess
import sys
import tempfile

UNKNOWN = '?'  # a result that was not observed
EMPTY, FULL, NIL, ABORT, TRUE, FALSE, OK = 'empty', 'full', 'nil', 'abort', True, False, None


# ------------------------------------------------------------------------------------------------ the definition
class Op:
    __slots__ = ('process', 'object', 'name', 'args', 'call', 'ret', 'result', 'line')

    def __init__(self, process, obj, name, args, call):
        self.process, self.object, self.name, self.args, self.call = process, obj, name, args, call
        self.ret = self.result = None  # pending: never returned
        self.line = 0


def precedes(a, b):
    """Intervals that touch overlap, but a process does one thing at a time, whatever the clock says."""
    if a.ret is None or a is b:
        return False
    return a.ret < b.call or (a.process == b.process and a.ret == b.call
                              and (a.call, a.ret, a.line) < (b.call, float('inf') if b.ret is None else b.ret, b.line))


def linearizable(ops, model):
    everything = range(len(ops))
    returned = sum(1 << i for i in everything if ops[i].ret is not None)
    before = [sum(1 << j for j in everything if precedes(ops[j], ops[i])) for i in everything]
    start = (0, tuple(model.start for _ in range(1 + max((o.object for o in ops), default=0))))
    seen, todo = {start}, [start]
    while todo:
        done, states = todo.pop()
        if not returned & ~done:
            return True
        for i in everything:
            if done >> i & 1 or before[i] & ~done:
                continue
            o = ops[i]
            for result, state in model.step(states[o.object], o.name, o.args, o.process):
                if o.ret is None or o.result == UNKNOWN or same(result, o.result):
                    nxt = (done | 1 << i, states[:o.object] + (state,) + states[o.object + 1:])
                    if nxt not in seen:
                        seen.add(nxt)
                        todo.append(nxt)
    return False


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)  # in Python 1 == True


# ------------------------------------------------------------------------------------------------ the objects
class Model:
    """start; step(state, operation, arguments, process) -> [(result, state)]; call(random) -> operation, arguments;
    wrong(random, operation) -> some result such an operation might have"""
    start = ()
    values = (1, 2, 3)

    def __init__(self, k=None):
        self.k = k

    def call(self, r):
        name, arity = r.choice(self.ops)
        return name, tuple(self.value(r) for _ in range(arity))

    def value(self, r):
        return r.choice(self.values)

    def wrong(self, r, name):
        return r.choice(self.results[name])(self, r)


def result_value(m, r):
    return m.value(r)


def result_empty(m, r):
    return EMPTY


def result_bool(m, r):
    return r.random() < .5


def result_ok(m, r):
    return OK


def result_small(m, r):
    return r.randrange(4)


def result_full(m, r):
    return FULL


def result_odd(m, r):  # what no removal returns, or hardly
    return r.choice((TRUE, FALSE, FULL, 99, 'word', -1))


REMOVAL = [result_value] * 6 + [result_empty] * 3 + [result_odd]


class Queue(Model):
    ops = [('enq', 1), ('deq', 0)]
    results = {'enq': [result_ok], 'deq': REMOVAL}

    def step(self, s, name, args, process):
        if name == 'enq':
            return [(OK, s + args)]
        return [(s[0], s[1:])] if s else [(EMPTY, s)]


class Stack(Model):
    ops = [('push', 1), ('pop', 0)]
    results = {'push': [result_ok], 'pop': REMOVAL}

    def step(self, s, name, args, process):
        if name == 'push':
            return [(OK, s + args)]
        return [(s[-1], s[:-1])] if s else [(EMPTY, s)]


class Deque(Model):
    ops = [('push-front', 1), ('push-back', 1), ('pop-front', 0), ('pop-back', 0)]
    results = {'push-front': [result_ok], 'push-back': [result_ok], 'pop-front': REMOVAL, 'pop-back': REMOVAL}

    def step(self, s, name, args, process):
        if name == 'push-front':
            return [(OK, args + s)]
        if name == 'push-back':
            return [(OK, s + args)]
        if not s:
            return [(EMPTY, s)]
        return [(s[0], s[1:])] if name == 'pop-front' else [(s[-1], s[:-1])]


def rank(value):  # integers by size, before texts by their bytes
    return (isinstance(value, str), value)


class PriorityQueue(Model):
    ops = [('insert', 1), ('deq', 0)]
    results = {'insert': [result_ok], 'deq': REMOVAL}
    values = (1, 2, 3, -4, 'a', 'b')
    take = 0

    def step(self, s, name, args, process):
        if name == 'insert':
            return [(OK, tuple(sorted(s + args, key=rank)))]
        if not s:
            return [(EMPTY, s)]
        rest = list(s)
        return [(rest.pop(self.take), tuple(rest))]


class MaxPriorityQueue(PriorityQueue):
    take = -1


class BoundedQueue(Queue):
    results = {'enq': [result_ok, result_ok, result_full], 'deq': REMOVAL}

    def step(self, s, name, args, process):
        if name == 'enq' and len(s) >= self.k:
            return [(FULL, s)]
        return Queue.step(self, s, name, args, process)


class BoundedPriorityQueue(PriorityQueue):
    results = {'insert': [result_ok, result_ok, result_full], 'deq': REMOVAL}

    def step(self, s, name, args, process):
        if name == 'insert' and len(s) >= self.k:
            return [(FULL, s)]
        return PriorityQueue.step(self, s, name, args, process)


class WeakQueue(Queue):
    ops = Queue.ops * 3 + [('drain', 0)]
    results = dict(Queue.results, drain=REMOVAL)

    def step(self, s, name, args, process):
        if name == 'drain':
            return Queue.step(self, s, 'deq', args, process)
        more = [(EMPTY, s)] if name == 'deq' and s else []
        return Queue.step(self, s, name, args, process) + more


class WeakStack(Stack):
    ops = Stack.ops * 3 + [('drain', 0)]
    results = dict(Stack.results, drain=REMOVAL)

    def step(self, s, name, args, process):
        if name == 'drain':
            return Stack.step(self, s, 'pop', args, process)
        more = [(EMPTY, s)] if name == 'pop' and s else []
        return Stack.step(self, s, name, args, process) + more


class Semiqueue(Queue):
    def step(self, s, name, args, process):
        if name == 'enq' or not s:
            return Queue.step(self, s, name, args, process)
        return [(s[i], s[:i] + s[i + 1:]) for i in range(min(self.k, len(s)))]


class KFifo(Queue):  # the state: values with how many younger ones have left before them
    def step(self, s, name, args, process):
        if name == 'enq':
            return [(OK, s + ((args[0], 0),))]
        if not s:
            return [(EMPTY, s)]
        ways = []
        for i in range(min(self.k, len(s))):
            overtaken = tuple((v, n + 1) for v, n in s[:i])
            if all(n <= self.k - 1 for _, n in overtaken):
                ways.append((s[i][0], overtaken + s[i + 1:]))
        return ways


class StutteringQueue(Queue):  # the state: the values, and how often the first has been returned
    start = ((), 0)

    def step(self, s, name, args, process):
        values, count = s
        if name == 'enq':
            return [(OK, (values + args, count))]
        if not values:
            return [(EMPTY, s)]
        ways = [(values[0], (values[1:], 0))]
        if count + 1 < self.k:
            ways.append((values[0], (values, count + 1)))
        return ways


class ProducerFifo(Queue):  # the state: (process, value) in the order they came
    def step(self, s, name, args, process):
        if name == 'enq':
            return [(OK, s + ((process, args[0]),))]
        if not s:
            return [(EMPTY, s)]
        first = {}
        for i, (p, _) in enumerate(s):
            first.setdefault(p, i)
        return [(s[i][1], s[:i] + s[i + 1:]) for i in first.values()]


class Set(Model):
    ops = [('add', 1), ('remove', 1), ('contains', 1)]
    results = {'add': [result_bool], 'remove': [result_bool], 'contains': [result_bool]}
    values = (1, 2, 'a')
    start = frozenset()

    def step(self, s, name, args, process):
        inside = args[0] in s
        if name == 'contains':
            return [(inside, s)]
        if name == 'add':
            return [(not inside, s | {args[0]})]
        return [(inside, s - {args[0]})]


class Multiset(Model):
    ops = [('add', 1), ('remove', 1), ('contains', 1), ('count', 1)]
    results = {'add': [result_ok], 'remove': [result_bool], 'contains': [result_bool], 'count': [result_small]}
    values = (1, 2)

    def step(self, s, name, args, process):
        x = args[0]
        if name == 'add':
            return [(OK, tuple(sorted(s + (x,))))]
        if name == 'contains':
            return [(x in s, s)]
        if name == 'count':
            return [(s.count(x), s)]
        if x not in s:
            return [(FALSE, s)]
        rest = list(s)
        rest.remove(x)
        return [(TRUE, tuple(rest))]


def result_content(m, r):
    return r.choice((m.value(r), m.value(r), NIL))


class Register(Model):
    ops = [('read', 0), ('write', 1)]
    results = {'read': [result_content], 'write': [result_ok], 'cas': [result_bool]}

    def __init__(self, k=None):
        self.start = NIL if k is None else k

    def step(self, s, name, args, process):
        if name == 'read':
            return [(s, s)]
        if name == 'write':
            return [(OK, args[0])]
        return [(TRUE, args[1])] if s == args[0] else [(FALSE, s)]


class CasRegister(Register):
    ops = [('read', 0), ('write', 1), ('cas', 2)]


class Map(Model):  # the state: (key, content) pairs; what is not there is nil
    results = {'get': [result_content], 'put': [result_ok], 'cas': [result_bool], 'delete': [result_ok],
               'append': [result_ok]}
    appends = False

    def call(self, r):
        name = r.choice(('get', 'get', 'put', 'cas', 'delete') + ('append',) * self.appends)
        key = r.choice((1, 'k'))
        return name, (key,) + tuple(self.value(r) for _ in range({'put': 1, 'append': 1, 'cas': 2}.get(name, 0)))

    def step(self, s, name, args, process):
        contents = dict(s)
        now = contents.get(args[0], NIL)
        if name == 'get':
            return [(now, s)]
        if name == 'put':
            new, result = args[1], OK
        elif name == 'delete':
            new, result = NIL, OK
        elif name == 'append':
            new, result = ('' if now == NIL else now) + args[1], OK
        else:
            new, result = (args[2], TRUE) if now == args[1] else (now, FALSE)
        contents[args[0]] = new
        return [(result, tuple(sorted(((k, v) for k, v in contents.items() if v != NIL), key=str)))]


class AppendMap(Map):
    appends = True
    values = ('a', 'b', 'ab')


class Counter(Model):
    results = {'read': [result_small], 'inc': [result_ok], 'dec': [result_ok], 'fetch-add': [result_small],
               'add-fetch': [result_small]}
    start = 0

    def call(self, r):
        name = r.choice(('read', 'inc', 'dec', 'fetch-add', 'add-fetch'))
        return name, () if name == 'read' or r.random() < .4 else (r.choice((1, 2, -1, 0, 2 ** 62)),)

    def step(self, s, name, args, process):
        n = (args or (1,))[0]
        if name == 'read':
            return [(s, s)]
        new = s - n if name == 'dec' else s + n
        new = (new + 2 ** 63) % 2 ** 64 - 2 ** 63
        return [({'fetch-add': s, 'add-fetch': new}.get(name, OK), new)]


class Lock(Model):  # the state: who holds it
    ops = [('acquire', 0), ('release', 0), ('release', 0), ('try', 0)]
    results = {'acquire': [result_ok], 'release': [result_ok], 'try': [result_bool]}
    start = None

    def step(self, s, name, args, process):
        if name == 'acquire':
            return [(OK, process)] if s is None else []
        if name == 'release':
            return [(OK, None)] if s == process else []
        return [(TRUE, process)] if s is None else [(FALSE, s)]


class RwLock(Model):  # the state: the writer; the readers, each as often as it reads
    ops = [('read-lock', 0), ('write-lock', 0), ('try-read', 0), ('try-write', 0), ('read-unlock', 0),
           ('write-unlock', 0), ('unlock', 0), ('unlock', 0)]
    results = {n: [result_bool if n.startswith('try') else result_ok] for n, _ in ops}
    start = (None, ())

    def step(self, s, name, args, process):
        writer, readers = s
        read = (None, tuple(sorted(readers + (process,))))
        if name in ('read-lock', 'try-read') and writer is None:
            return [(OK if name == 'read-lock' else TRUE, read)]
        if name in ('write-lock', 'try-write') and writer is None and not readers:
            return [(OK if name == 'write-lock' else TRUE, (process, ()))]
        if name.startswith('try'):
            return [(FALSE, s)]
        if name in ('write-unlock', 'unlock') and writer == process:
            return [(OK, (None, readers))]
        if name in ('read-unlock', 'unlock') and process in readers:
            rest = list(readers)
            rest.remove(process)
            return [(OK, (writer, tuple(rest)))]
        return []


class Semaphore(Model):
    results = {'acquire': [result_ok], 'release': [result_ok], 'try': [result_bool]}

    def __init__(self, k):
        self.start = k

    def call(self, r):
        return r.choice(('acquire', 'release', 'try')), () if r.random() < .6 else (r.choice((1, 2, 3)),)

    def step(self, s, name, args, process):
        n = (args or (1,))[0]
        if name == 'release':
            return [(OK, s + n)]
        if s >= n:
            return [(OK if name == 'acquire' else TRUE, s - n)]
        return [] if name == 'acquire' else [(FALSE, s)]


class Snzi(Model):
    ops = [('arrive', 0), ('depart', 0), ('query', 0)]
    results = {'arrive': [result_ok], 'depart': [result_ok], 'query': [result_bool]}
    start = 0

    def step(self, s, name, args, process):
        if name == 'query':
            return [(s > 0, s)]
        if name == 'arrive':
            return [(OK, s + 1)]
        return [(OK, s - 1)] if s else []


class Mailbox(Model):  # the state: letters inside; whether a check has been true since the last remove
    ops = [('deliver', 0), ('check', 0), ('check', 0), ('remove', 0)]
    results = {'deliver': [result_ok], 'check': [result_bool], 'remove': [result_ok]}
    start = (0, False)

    def step(self, s, name, args, process):
        letters, checked = s
        if name == 'deliver':
            return [(OK, (letters + 1, checked))]
        if name == 'check':
            return [(TRUE, (letters, True))] if letters else [(FALSE, s)]
        return [(OK, (letters - 1, False))] if checked else []


class WeakBoundedQueue(WeakQueue):
    results = dict(BoundedQueue.results, drain=REMOVAL)

    def step(self, s, name, args, process):
        if name != 'enq':
            return WeakQueue.step(self, s, name, args, process)
        return [(FULL, s)] + ([(OK, s + args)] if len(s) < self.k else [])


class BoundedStack(Stack):
    results = {'push': [result_ok, result_ok, result_full], 'pop': REMOVAL}

    def step(self, s, name, args, process):
        if name == 'push' and len(s) >= self.k:
            return [(FULL, s)]
        return Stack.step(self, s, name, args, process)


class WeakProducerFifo(ProducerFifo):
    ops = ProducerFifo.ops * 3 + [('drain', 0)]
    results = dict(ProducerFifo.results, drain=REMOVAL)

    def step(self, s, name, args, process):
        if name == 'drain':
            return ProducerFifo.step(self, s, 'deq', args, process)
        more = [(EMPTY, s)] if name == 'deq' and s else []
        return ProducerFifo.step(self, s, name, args, process) + more


class Bag(Model):
    ops = [('put', 1), ('take', 0)]
    results = {'put': [result_ok], 'take': REMOVAL}

    def step(self, s, name, args, process):
        if name == 'put':
            return [(OK, tuple(sorted(s + args)))]
        ways = [(s[i], s[:i] + s[i + 1:]) for i in range(len(s))]
        return ways or [(EMPTY, s)]


class WeakBag(Bag):
    ops = Bag.ops * 3 + [('drain', 0)]
    results = dict(Bag.results, drain=REMOVAL)

    def step(self, s, name, args, process):
        more = [(EMPTY, s)] if name == 'take' and s else []
        return Bag.step(self, s, 'take' if name == 'drain' else name, args, process) + more


def result_abort(m, r):
    return ABORT


class WorkStealing(Model):
    ops = [('push', 1), ('push', 1), ('pop', 0), ('steal', 0)]
    results = {'push': [result_ok], 'pop': REMOVAL, 'steal': [result_value] * 6 + [result_empty] * 2 + [result_abort] * 2}

    def step(self, s, name, args, process):
        if name == 'push':
            return [(OK, s + args)]
        if name == 'pop':
            return [(s[-1], s[:-1])] if s else [(EMPTY, s)]
        return [(ABORT, s), (s[0], s[1:]) if s else (EMPTY, s)]


class WeakWorkStealing(WorkStealing):
    ops = WorkStealing.ops * 2 + [('drain', 0)]
    results = dict(WorkStealing.results, drain=WorkStealing.results['steal'])

    def step(self, s, name, args, process):
        more = [(EMPTY, s)] if name == 'steal' and s else []
        return WorkStealing.step(self, s, 'steal' if name == 'drain' else name, args, process) + more


class Latch(Model):
    results = {'count-down': [result_ok], 'wait': [result_ok], 'try-wait': [result_bool], 'count': [result_small]}

    def __init__(self, k):
        self.start = k

    def call(self, r):
        name = r.choice(('count-down', 'count-down', 'wait', 'try-wait', 'count'))
        return name, (r.choice((1, 2)),) if name == 'count-down' and r.random() < .3 else ()

    def step(self, s, name, args, process):
        if name == 'count-down':
            return [(OK, max(0, s - (args or (1,))[0]))]
        if name == 'wait':
            return [] if s else [(OK, s)]
        return [(s == 0 if name == 'try-wait' else s, s)]


class Once(Model):
    ops = [('call', 1), ('set', 1), ('get', 0), ('get', 0)]
    results = {'call': [result_value], 'set': [result_bool], 'get': [result_content]}
    start = None

    def step(self, s, name, args, process):
        if name == 'get':
            return [(NIL if s is None else s, s)]
        if name == 'set':
            return [(s is None, args[0] if s is None else s)]
        new = args[0] if s is None else s
        return [(new, new)]


class UpgradableRwLock(Model):  # the state: writer, upgradable reader, plain readers
    ops = [(n, 0) for n in ('read-lock', 'write-lock', 'upgradable-lock', 'try-read', 'try-write', 'try-upgradable', 'upgrade',
                            'upgrade', 'try-upgrade', 'downgrade', 'downgrade-upgradable', 'unlock', 'unlock', 'read-unlock',
                            'write-unlock', 'upgradable-unlock')]
    results = {n: [result_bool if n.startswith('try') else result_ok] for n, _ in ops}
    start = (None, None, ())

    def step(self, s, name, args, process):
        w, u, readers = s
        tries, verb = name.startswith('try-'), name[4:] if name.startswith('try-') else name.replace('-lock', '')
        if name == 'unlock':
            name = 'write-unlock' if w == process else 'upgradable-unlock' if u == process else 'read-unlock'
        less = list(readers)
        if process in less:
            less.remove(process)
        if name.endswith('-unlock'):
            if name == 'write-unlock':
                return [(OK, (None, None, ()))] if w == process else []
            if name == 'upgradable-unlock':
                return [(OK, (None, None, readers))] if u == process else []
            return [(OK, (w, u, tuple(less)))] if process in readers else []
        if name.startswith('downgrade'):
            if w != process:
                return []
            return [(OK, (None, None, (process,)) if name == 'downgrade' else (None, process, ()))]
        to = None
        if verb == 'read' and w is None:
            to = (None, u, tuple(sorted(readers + (process,))))
        elif verb == 'write' and w is None and u is None and not readers:
            to = (process, None, ())
        elif verb == 'upgradable' and w is None and u is None:
            to = (None, process, readers)
        elif verb == 'upgrade':
            if u != process and process not in readers:
                return []
            if (u == process and not readers) or (u is None and readers == (process,)):
                to = (process, None, ())
        if to is not None:
            return [(TRUE if tries else OK, to)]
        return [(FALSE, s)] if tries else []


class HashMap(Model):
    arity = {'get': 1, 'put': 2, 'remove': 1, 'contains': 1, 'put-if-absent': 2, 'replace': 2, 'insert': 2, 'erase': 1, 'cas': 3}
    results = {n: [result_bool if n in ('contains', 'insert', 'erase', 'cas') else result_content] for n in arity}
    keys = (1, 'k')

    def call(self, r):
        name = r.choice(('get', 'put', 'put', 'remove', 'contains', 'put-if-absent', 'replace', 'insert', 'erase', 'cas'))
        return name, (r.choice(self.keys),) + tuple(self.value(r) for _ in range(self.arity[name] - 1))

    def step(self, s, name, args, process):
        d = dict(s)
        old = d.get(args[0])
        result = NIL if old is None else old
        if name in ('put', 'remove', 'get'):
            pass
        elif name in ('contains', 'erase'):
            result = old is not None
        elif name == 'insert':
            result = old is None
        elif name == 'cas':
            result = old is not None and old == args[1]
        change = {'put': True, 'remove': True, 'erase': True, 'put-if-absent': old is None, 'insert': old is None,
                  'replace': old is not None, 'cas': result}.get(name, False)
        if change:
            d.pop(args[0], None)
            if name not in ('remove', 'erase'):
                d[args[0]] = args[-1]
        return [(result, tuple(sorted(d.items(), key=str)))]


class OrderedMap(HashMap):
    ordered = {'min': 0, 'max': 0, 'floor': 1, 'ceiling': 1, 'lower': 1, 'higher': 1, 'remove-min': 0, 'remove-max': 0}
    results = dict(HashMap.results, **{n: [lambda m, r: r.choice((NIL,) + m.keys)] for n in ordered})
    keys = (1, 2, 'a', -3)

    def call(self, r):
        if r.random() < .5:
            return HashMap.call(self, r)
        name = r.choice(list(self.ordered))
        return name, tuple(r.choice(self.keys) for _ in range(self.ordered[name]))

    def step(self, s, name, args, process):
        if name not in self.ordered:
            return HashMap.step(self, s, name, args, process)
        keys = sorted((k for k, _ in s), key=rank)
        if name.endswith('min') or name.endswith('max'):
            some = keys
        else:
            x = rank(args[0])
            some = [k for k in keys if {'floor': rank(k) <= x, 'ceiling': rank(k) >= x, 'lower': rank(k) < x,
                                        'higher': rank(k) > x}[name]]
        if not some:
            return [(NIL, s)]
        key = some[0] if name in ('min', 'remove-min', 'ceiling', 'higher') else some[-1]
        return [(key, tuple((k, v) for k, v in s if not name.startswith('remove-') or k != key))]


MODELS = {
    'queue': Queue(), 'stack': Stack(), 'deque': Deque(), 'priority-queue': PriorityQueue(),
    'max-priority-queue': MaxPriorityQueue(), 'bounded-queue(2)': BoundedQueue(2),
    'bounded-priority-queue(2)': BoundedPriorityQueue(2), 'weak-queue': WeakQueue(), 'weak-stack': WeakStack(),
    'semiqueue(2)': Semiqueue(2), 'k-fifo(2)': KFifo(2), 'k-fifo(3)': KFifo(3),
    'stuttering-queue(2)': StutteringQueue(2), 'producer-fifo': ProducerFifo(), 'set': Set(), 'multiset': Multiset(),
    'register': Register(), 'register(0)': Register(0), 'cas-register': CasRegister(), 'map': Map(),
    'map of texts': AppendMap(), 'counter': Counter(), 'lock': Lock(), 'rw-lock': RwLock(), 'semaphore(2)': Semaphore(2),
    'snzi': Snzi(), 'mailbox': Mailbox(), 'weak-bounded-queue(2)': WeakBoundedQueue(2), 'bounded-stack(2)': BoundedStack(2),
    'weak-producer-fifo': WeakProducerFifo(), 'bag': Bag(), 'weak-bag': WeakBag(), 'work-stealing-deque': WorkStealing(),
    'weak-work-stealing-deque': WeakWorkStealing(), 'latch(2)': Latch(2), 'once': Once(),
    'upgradable-rw-lock': UpgradableRwLock(), 'hash-map': HashMap(), 'ordered-map': OrderedMap(),
}


# ------------------------------------------------------------------------------------------------ random histories
def random_history(r, model):
    """Operations whose times are 0, 1, 2, ...; half of the histories are what the object really did."""
    count, processes, objects = r.randint(1, 8), r.randint(1, 4), 1 if r.random() < .9 else 2
    real = r.random() < .6
    states = [model.start] * objects
    ops, open_ops, idle, time = [], [], list(range(processes)), 0
    effect = {}  # of a real history: what an operation returns, once it has happened
    while len(ops) < count or open_ops:
        if real and open_ops and r.random() < .5:  # somebody's operation happens
            o = r.choice(open_ops)
            ways = model.step(states[o.object], o.name, o.args, o.process) if o not in effect else []
            if ways:
                effect[o], states[o.object] = r.choice(ways)
        if idle and len(ops) < count and (not open_ops or r.random() < .5):
            name, args = model.call(r)
            o = Op(idle.pop(r.randrange(len(idle))), r.randrange(objects), name, args, time)
            ops.append(o)
            open_ops.append(o)
        elif open_ops:
            o = open_ops.pop(r.randrange(len(open_ops)))
            if real and o not in effect:
                ways = model.step(states[o.object], o.name, o.args, o.process)
                if ways:
                    effect[o], states[o.object] = r.choice(ways)
            if r.random() < .08 or (real and o not in effect):
                continue  # pending, and its process calls no more
            o.ret = time
            o.result = effect[o] if real else model.wrong(r, o.name)
            if r.random() < .04:
                o.result = UNKNOWN
            idle.append(o.process)
        else:
            break  # all processes wait for ever
        time += 1
    if real and r.random() < .5:
        done = [o for o in ops if o.ret is not None]
        if done:
            o = r.choice(done)
            o.result = model.wrong(r, o.name)
    return ops


def touch(r, ops):
    """Makes some neighbouring times equal."""
    times = sorted({t for o in ops for t in (o.call, o.ret) if t is not None})
    new, now = {}, 0
    for t in times:
        now += r.random() < .6
        new[t] = now
    for o in ops:
        o.call, o.ret = new[o.call], None if o.ret is None else new[o.ret]


# ------------------------------------------------------------------------------------------------ writing them
OLD = ('put', 'remove', 'put-if-absent', 'replace', 'call')  # operations of which nothing said is nothing known


def plain(v):
    if isinstance(v, bool):
        return 'true' if v else 'false'
    return str(v)


def events_of(ops):
    all_events = [(o.call, o, False) for o in ops] + [(o.ret, o, True) for o in ops if o.ret is not None]
    return sorted(all_events, key=lambda e: (e[0], e[2]))


def wing_gong(r, ops):
    lines = []
    for _, o, returns in events_of(ops):
        if not returns:
            text = f"{o.name}({', '.join(plain(a) for a in o.args)})"
        elif o.result is OK or (o.result in (EMPTY, NIL) and o.name not in OLD and r.random() < .1):
            text = 'Ok()'  # where there should be a value, nothing is empty, or nil
        elif o.result == EMPTY:
            text = r.choice(('Empty()', 'Empty()', 'Ok(empty)', 'Ok(nil)'))
        elif o.result == FULL:
            text = 'Full()'
        else:
            text = f'Ok({plain(o.result)})'
        lines.append(f"{'xy'[o.object]} {text} P{o.process}\n")
    lines += [f"{'xy'[o.object]} Info() P{o.process}\n" for o in ops if o.ret is None and r.random() < .5]
    return ''.join(lines)


def columns(r, ops):
    lines = []
    for o in r.sample(ops, len(ops)):
        o.line = len(lines)
        end = 'inf' if o.ret is None else o.ret
        result = '-' if o.ret is None or o.result is OK else plain(o.result)
        lines.append(f"{o.process} {o.call} {end} {o.name} {' '.join(plain(a) for a in o.args)} -> {result}\n")
    return ''.join(lines)


def json_value(v):
    if v is OK or v == NIL:
        return 'null'
    if isinstance(v, bool):
        return 'true' if v else 'false'
    if v in (EMPTY, FULL, UNKNOWN):
        return f'":{v}"'
    if v == ABORT:
        return 'false'
    return str(v) if isinstance(v, int) else f'"{v}"'


def json_events(r, ops, shuffled):
    """Events of the processes one after the other, each with its time: they have to be put in order."""
    events = events_of(ops)
    if shuffled:
        order = r.sample(range(4), 4)
        events.sort(key=lambda e: order[e[1].process])
    lines, names = [], r.random() < .3
    for time, o, returns in events:
        event = {'process': f'"client {o.process}"' if names else str(o.process), 'type': '"ok"' if returns else '"invoke"', 'f': f'"{o.name}"',
                 'asif/object': f'"{"xy"[o.object]}"', 'time': str(1000 + 10 * time)}
        if returns:
            event['asif/result'] = '":none"' if o.result is OK else json_value(o.result)
        else:
            event['asif/args'] = f"[{', '.join(json_value(a) for a in o.args)}]"
        lines.append('{' + ', '.join(f'"{k}": {v}' for k, v in event.items()) + '}\n')
    return ''.join(lines)


FORMS = ('wing-gong', 'columns', 'json', 'shuffled')
STREAMS = ('wing-gong', 'json')  # what --approx reads in the order it is in


def random_file(r, model, forms):
    """A history, as a text and as operations; and the format it is in."""
    ops = random_history(r, model)
    while not ops:  # a file without an event is refused
        ops = random_history(r, model)
    form = r.choice(forms)
    if form == 'columns' and all(o.object == 0 for o in ops):
        touch(r, ops)
        return ops, columns(r, ops), 'process-columns'
    if form == 'json' or form == 'shuffled':
        return ops, json_events(r, ops, form == 'shuffled'), 'json'
    return ops, wing_gong(r, ops), 'wing-gong'


# ------------------------------------------------------------------------------------------------ comparing
BATCH = 500
NO_MONITOR = ('stuttering-queue', 'set', 'multiset', 'register', 'cas-register', 'map', 'counter', 'latch', 'once',
              'upgradable-rw-lock', 'hash-map', 'ordered-map', 'work-stealing-deque', 'weak-work-stealing-deque')
VERDICTS = {'linearizable': True, 'not': False, 'no': 'no violation seen'}


def verdicts_of(asif, spec, form, paths, method):
    """What `asif check` says of each of these files; None: something else than a verdict."""
    name = spec.split(' ')[0]  # "map of texts" is a map
    how = ['--approx', '2'] if method == 'approx' else ['--no-explain', '-j1', '--method', method]
    ran = subprocess.run([asif, 'check', '--quiet', '--spec', name, '--format', form] + how + paths, capture_output=True,
                         text=True)
    lines = ran.stdout.splitlines()
    if ran.stderr or len(lines) != len(paths):
        return None, f'status {ran.returncode}: {ran.stderr[:2000]}'
    return [VERDICTS.get(line.split(' ')[1]) for line in lines], ''


def compare(asif, spec, batch, folder, stats):
    """One batch. True if there is no disagreement."""
    r = random.Random(f"{os.environ.get('SEED', '1')} {spec} {batch}")
    model, files, method = MODELS[spec], {}, r.choice(('auto', 'auto', 'auto', 'search', 'approx'))
    if method == 'approx' and spec.split('(')[0].split(' ')[0] in NO_MONITOR:
        method = 'auto'
    for i in range(BATCH):
        ops, text, form = random_file(r, model, STREAMS if method == 'approx' else FORMS)
        path = f'{folder}/{i}'
        with open(path, 'w') as f:
            f.write(text)
        files.setdefault(form, []).append((path, ops, text))
    good = True
    for form, some in files.items():
        said, why = verdicts_of(asif, spec, form, [path for path, _, _ in some], method)
        if said is None:  # one of them alone
            said = [(verdicts_of(asif, spec, form, [path], method)[0] or [None])[0] for path, _, _ in some]
        for (path, ops, text), verdict in zip(some, said):
            want = linearizable(ops, model)
            stats[want] += 1
            # What --approx does not see may be there; what it sees is.
            if verdict != want and not (method == 'approx' and verdict == 'no violation seen'):
                good = False
                print(f'{spec} ({form}, --method {method}): asif says {verdict}, the reference {want}; {why}\n{text}')
    return good


def main():
    asif, count, specs = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(MODELS)
    good, batches = True, -(-count // BATCH)
    stats = {s: {True: 0, False: 0} for s in specs}
    with tempfile.TemporaryDirectory(dir='/dev/shm' if os.access('/dev/shm', os.W_OK) else None) as folder:
        for b in range(batches):
            for s in specs:
                good = compare(asif, s, b, folder, stats[s]) and good
            if b % 20 == 19:
                print(f'{(b + 1) * BATCH} of each', flush=True)
    for s in specs:
        print(f'{s}: {stats[s][True]} linearizable, {stats[s][False]} not')
    print(f"{sum(sum(x.values()) for x in stats.values())} histories, "
          + ('no disagreement' if good else 'DISAGREEMENTS'))
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
