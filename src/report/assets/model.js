"use strict";
/* The operations of the page and where they go.
 *
 * The data has an array for each property of an operation (differences where numbers grow; see data.c). A layout puts
 * a set of operations on an axis: one unit from each event to the next, or real time, and a row for each process. */

const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (n, noun) => grouped(n) + " " + noun + (n === 1 ? "" : noun.endsWith("s") ? "es" : "s");

function sums(a) {
  const out = new Float64Array(a ? a.length : 0);
  for (let i = 0, x = 0; i < out.length; i++) out[i] = x += a[i];
  return out;
}

function readModel(data) {
  const n = data.id ? data.id.length : 0, empty = [];
  const m = {
    data, n,
    id: sums(data.id), call: sums(data.call), line: sums(data.line), time: data.time ? sums(data.time) : null,
    length: data.length || empty, duration: data.duration || empty, process: data.process || empty,
    what: data.what || empty, result: data.result || empty, processes: data.processes || empty,
    gap: data.gap || null, place: data.place ? sums(data.place) : null,
    core: data.core || empty, inCore: new Uint8Array(n), culprit: data.culprit === undefined ? -1 : data.culprit,
  };
  for (const i of m.core) m.inCore[i] = 1;
  m.pending = i => m.length[i] === 0;
  m.ret = i => m.length[i] ? m.call[i] + m.length[i] : Infinity;
  m.calls = i => data.texts[m.what[i]];
  m.returns = i => m.result[i] < 0 ? "" : data.texts[m.result[i]];
  m.label = i => m.result[i] < 0 || m.returns(i) === "ok" ? m.calls(i) : m.calls(i) + " \u2192 " + m.returns(i);
  m.who = i => m.processes[m.process[i]];
  m.effect = i => m.gap !== null && m.gap[i] >= 0 ? m.call[i] + m.gap[i] : -1; /* the gap it takes effect in */
  return m;
}

/* Rows: processes in the order of their names, those of the violation first where not all fit on a screen; a process
 * with operations that overlap gets several. */
function makeRows(m, ops) {
  const lanes = new Map();
  const lane = new Int32Array(ops.length);
  ops.forEach((op, k) => {
    const p = m.process[op];
    if (!lanes.has(p)) lanes.set(p, []);
    const ends = lanes.get(p);
    let i = ends.findIndex(end => end < m.call[op]);
    if (i < 0) i = ends.length;
    ends[i] = m.ret(op);
    lane[k] = i;
  });
  const by = new Intl.Collator("en", {numeric: true});
  const early = lanes.size > 24 ? new Set(m.core.map(op => m.process[op])) : new Set();
  const order = [...lanes.keys()].sort((a, b) =>
    early.has(b) - early.has(a) || by.compare(m.processes[a], m.processes[b]) || a - b);
  const rows = [], first = new Map();
  for (const p of order) {
    first.set(p, rows.length);
    lanes.get(p).forEach((_, i) => rows.push({process: p, lane: i, ops: []}));
  }
  const row = new Int32Array(ops.length);
  ops.forEach((op, k) => {
    row[k] = first.get(m.process[op]) + lane[k];
    rows[row[k]].ops.push(k);
  });
  return {rows, row};
}

/* Positions on the axis of all events, by rank: 0, 1, 2, ... or real time stretched to the same length (then with the
 * time of a unit). */
function axis(m, ops, events, clock) {
  const ranks = Float64Array.from(events, (_, i) => i), at = ranks.slice();
  if (!clock || !m.time || events.length < 2) return {at: ranks, unit: 0};
  const time = new Map();
  for (const op of ops) {
    time.set(m.call[op], m.time[op]);
    if (!m.pending(op)) time.set(m.ret(op), m.time[op] + m.duration[op]);
  }
  let latest = -Infinity;
  for (let i = 0; i < events.length; i++) at[i] = latest = Math.max(latest, time.get(events[i]));
  const from = at[0], span = latest - from;
  if (!(span > 0)) return {at: ranks, unit: 0};
  return {at: at.map(x => (x - from) / span * (events.length - 1)), unit: span / (events.length - 1)};
}

/* Index of the last entry of a sorted array that is <= x, or -1. */
function atMost(a, x) {
  let low = 0, high = a.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (a[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/* Several operations that take effect in one gap share it, in their order. */
function placePoints(m, ops, events, at, end) {
  const points = new Float64Array(ops.length).fill(NaN), path = [];
  if (!m.gap) return {points, path};
  ops.forEach((op, k) => { if (m.effect(op) >= 0) path.push(k); });
  path.sort((a, b) => m.place[ops[a]] - m.place[ops[b]]);
  for (let i = 0; i < path.length;) {
    const rank = atMost(events, m.effect(ops[path[i]]));
    let j = i;
    while (j < path.length && atMost(events, m.effect(ops[path[j]])) === rank) j++;
    const from = at[rank], to = rank + 1 < at.length ? at[rank + 1] : end;
    for (let k = i; k < j; k++) points[path[k]] = from + (to - from) * (k - i + 1) / (j - i + 1);
    i = j;
  }
  return {points, path};
}

function makeLayout(m, ops, clock) {
  const all = [];
  for (const op of ops) {
    all.push(m.call[op]);
    if (!m.pending(op)) all.push(m.ret(op));
  }
  const events = Float64Array.from(all).sort();
  const {at, unit} = axis(m, ops, events, clock), end = events.length + (ops.some(op => m.pending(op)) ? 0.6 : 0);
  const left = new Float64Array(ops.length), right = new Float64Array(ops.length);
  ops.forEach((op, k) => {
    left[k] = at[atMost(events, m.call[op])];
    right[k] = m.pending(op) ? end : at[atMost(events, m.ret(op))];
  });
  const {rows, row} = makeRows(m, ops), {points, path} = placePoints(m, ops, events, at, end);
  const breaks = [];
  for (let i = 1; i < events.length; i++)
    if (events[i] - events[i - 1] > 1) breaks.push({at: (at[i - 1] + at[i]) / 2, missing: events[i] - events[i - 1] - 1});
  const where = new Map();
  ops.forEach((op, k) => where.set(op, k));
  return {ops, events, at, end, left, right, rows, row, points, path, breaks, where, unit};
}

/* Operations that match every word of the query. Words match whole values and names first; only where nothing does,
 * parts of them. */
function searchModel(m, query) {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const special = word => /^(p|process|line|op):(.+)$/.exec(word);
  const escaped = s => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const tests = loose => words.map(word => {
    const s = special(word);
    if (s && s[1] === "line") return i => String(m.line[i]) === s[2];
    if (s && s[1] === "op") return i => String(m.id[i] + 1) === s[2];
    if (s) return i => m.who(i).toLowerCase() === s[2];
    const memo = new Map();
    const pattern = loose ? null : new RegExp("(^|[^\\p{L}\\p{N}_-])" + escaped(word) + "($|[^\\p{L}\\p{N}_])", "u");
    const hit = text => {
      if (!memo.has(text)) memo.set(text, loose ? text.toLowerCase().includes(word) : pattern.test(text.toLowerCase()));
      return memo.get(text);
    };
    return i => hit(m.calls(i)) || hit(m.returns(i)) || hit(m.who(i)) || (m.pending(i) && word === "pending");
  });
  for (const loose of [false, true]) {
    const t = tests(loose), found = [];
    for (let i = 0; i < m.n; i++) if (t.every(test => test(i))) found.push(i);
    if (found.length) return found;
  }
  return [];
}
