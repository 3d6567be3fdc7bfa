"use strict";
/* Drawing: bars, points, rows and the map on canvases. Colours come from the style sheet, so light and dark are said
 * once, there. */

const NAME_FONT = "600 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const LABEL_FONT = "12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const SMALL_FONT = "11px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";
const AXIS = 26; /* height of the ruler */

function readColors() {
  const style = getComputedStyle(document.documentElement), colors = {};
  for (const name of ["page", "panel", "ink", "soft", "faint", "line", "bar", "bar-edge", "bar-ink", "core", "core-edge", "core-ink",
    "bad", "bad-edge", "bad-ink", "point", "found", "found-edge", "focus", "quiet", "quiet-edge", "quiet-ink"])
    colors[name] = style.getPropertyValue("--" + name).trim();
  return colors;
}

/* Makes a canvas as sharp as the screen; returns its context in CSS pixels. */
function prepare(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return g;
}

function shorten(text, room) {
  return text.length <= room ? text : room < 2 ? "" : text.slice(0, room - 1) + "\u2026";
}

/* An open bar has no right edge: it fades into teeth. */
function barPath(g, x, y, w, h, open) {
  const r = Math.min(5, w / 2, h / 2);
  g.beginPath();
  if (!open) {
    g.roundRect(x, y, w, h, r);
    return;
  }
  g.moveTo(x + w, y);
  g.lineTo(x + r, y);
  g.quadraticCurveTo(x, y, x, y + r);
  g.lineTo(x, y + h - r);
  g.quadraticCurveTo(x, y + h, x + r, y + h);
  g.lineTo(x + w, y + h);
  for (let i = 3; i >= 0; i--) g.lineTo(x + w - (i % 2 ? 6 : 0), y + h * i / 4);
}

function barColors(view, op) {
  const c = view.colors, m = view.model;
  if (op === m.culprit) return [c.bad, c["bad-edge"], c["bad-ink"]];
  if (m.inCore[op]) return [c.core, c["core-edge"], c["core-ink"]];
  if (m.core.length) return [c.quiet, c["quiet-edge"], c["quiet-ink"]];
  return [c.bar, c["bar-edge"], c["bar-ink"]];
}

function drawBar(g, view, k) {
  const l = view.layout, op = l.ops[k], open = view.model.pending(op), marked = view.model.inCore[op];
  const from = view.toX(l.left[k]), to = Math.max(view.toX(l.right[k]), from + 2);
  const x = Math.max(from, view.gutter - 20), w = Math.min(to, view.width + 20) - x, y = view.toY(l.row[k]), h = view.barHeight;
  const [fill, edge, ink] = barColors(view, op);
  g.fillStyle = fill;
  if (w < 5) {
    g.fillStyle = marked ? edge : edge;
    g.fillRect(x, y, Math.max(w, marked ? 3 : 1), h);
  } else {
    barPath(g, x + 0.5, y + 0.5, w - 1, h - 1, open);
    g.fill();
    g.strokeStyle = edge;
    g.lineWidth = marked ? 2 : 1;
    g.stroke();
  }
  const start = Math.max(x, view.gutter) + 8, room = Math.floor((Math.min(to, view.width) - start - (open ? 8 : 4)) / view.letter);
  if (room >= 2) {
    g.fillStyle = ink;
    g.font = op === view.model.culprit ? "600 " + LABEL_FONT : LABEL_FONT;
    g.fillText(shorten(view.model.label(op), room), start, y + h / 2 + 0.5);
  }
}

function ring(g, view, k, color, width) {
  const l = view.layout, x = view.toX(l.left[k]), to = Math.max(view.toX(l.right[k]), x + 2);
  const a = Math.max(x, view.gutter - 20) - 2.5, b = Math.min(to, view.width + 20) + 2.5;
  g.strokeStyle = color;
  g.lineWidth = width;
  barPath(g, a, view.toY(l.row[k]) - 2.5, b - a, view.barHeight + 5, false);
  g.stroke();
}

function drawRows(g, view) {
  const l = view.layout, c = view.colors;
  g.strokeStyle = c.line;
  g.lineWidth = 1;
  for (let r = view.firstRow(); r <= view.lastRow(); r++) {
    const y = Math.round(view.toY(r) + view.barHeight / 2) + 0.5;
    g.beginPath();
    g.moveTo(view.gutter, y);
    g.lineTo(view.width, y);
    g.stroke();
    const a = view.visible(r);
    let last = -Infinity;
    for (let i = a[0]; i < a[1]; i++) {
      const k = l.rows[r].ops[i], to = view.toX(l.right[k]);
      if (to < last + 1 && !view.model.inCore[l.ops[k]]) continue; /* nothing new at this pixel */
      last = Math.max(last, to);
      drawBar(g, view, k);
    }
  }
}

function drawPoints(g, view) {
  const l = view.layout, c = view.colors;
  if (!l.path.length) return;
  const from = view.fromX(view.gutter), to = view.fromX(view.width);
  let a = 0, b = l.path.length; /* points grow along the path */
  for (let high = b; a < high;) {
    const middle = (a + high) >> 1;
    if (l.points[l.path[middle]] < from) a = middle + 1;
    else high = middle;
  }
  for (let low = a; low < b;) {
    const middle = (low + b) >> 1;
    if (l.points[l.path[middle]] > to) b = middle;
    else low = middle + 1;
  }
  const middleOf = k => view.toY(l.row[k]) + view.barHeight / 2, dense = (view.width - view.gutter) / Math.max(1, b - a);
  if (view.showOrder) {
    g.strokeStyle = c.point;
    g.globalAlpha = dense < 3 ? 0.25 : 0.65;
    g.lineWidth = dense < 3 ? 1 : 1.5;
    g.beginPath();
    for (let i = Math.max(0, a - 1); i < Math.min(l.path.length, b + 1); i++) {
      const k = l.path[i];
      g[i === Math.max(0, a - 1) ? "moveTo" : "lineTo"](view.toX(l.points[k]), middleOf(k));
    }
    g.stroke();
    g.globalAlpha = 1;
  }
  g.font = SMALL_FONT;
  g.textAlign = "center";
  for (let i = a; i < b; i++) {
    const k = l.path[i], x = view.toX(l.points[k]), y = view.toY(l.row[k]), h = view.barHeight;
    if (y > view.height || y + h < AXIS) continue;
    g.fillStyle = c.point;
    g.fillRect(x - (dense < 6 ? 0.5 : 1), y - 3, dense < 6 ? 1 : 2, h + 6);
    if (dense < 10) continue;
    g.beginPath();
    g.arc(x, y + h / 2, 4.5, 0, 7);
    g.fill();
    g.strokeStyle = c.panel;
    g.lineWidth = 1.5;
    g.stroke();
    if (view.showOrder && dense > 26) {
      const text = grouped(view.model.place[l.ops[k]] + 1), w = g.measureText(text).width + 8;
      g.fillStyle = c.point;
      g.beginPath();
      g.roundRect(x - w / 2, y + h - 1, w, 14, 7);
      g.fill();
      g.fillStyle = c.panel;
      g.fillText(text, x, y + h + 6.5);
    }
  }
  g.textAlign = "left";
}

/* The ruler: event numbers, and where events are left out. */
function drawAxis(g, view) {
  const l = view.layout, c = view.colors;
  g.fillStyle = c.panel;
  g.fillRect(0, 0, view.width, AXIS);
  g.font = SMALL_FONT;
  g.fillStyle = c.soft;
  g.strokeStyle = c.line;
  g.lineWidth = 1;
  let free = view.gutter + 4;
  const step = Math.max(1, Math.ceil(90 / view.scale));
  const from = Math.max(0, atMost(l.at, view.fromX(view.gutter))), to = Math.min(l.events.length - 1, atMost(l.at, view.fromX(view.width)));
  for (let i = Math.ceil(from / step) * step; i <= to; i += step) {
    const x = view.toX(l.at[i]);
    if (x < free) continue;
    g.fillRect(Math.round(x), AXIS - 6, 1, 6);
    const text = grouped(l.events[i]);
    g.fillText(text, x + 4, AXIS / 2);
    free = x + g.measureText(text).width + 14;
  }
  g.beginPath();
  g.moveTo(0, AXIS - 0.5);
  g.lineTo(view.width, AXIS - 0.5);
  g.stroke();
}

function drawBreaks(g, view) {
  const l = view.layout, c = view.colors;
  if (l.clock) return;
  g.save();
  g.strokeStyle = c.soft;
  g.fillStyle = c.soft;
  g.font = SMALL_FONT;
  g.setLineDash([2, 4]);
  let last = -Infinity, free = -Infinity;
  for (const b of l.breaks) {
    const x = Math.round(view.toX(b.at)) + 0.5;
    if (x < view.gutter || x > view.width || x < last + 4) continue;
    last = x;
    g.beginPath();
    g.moveTo(x, AXIS);
    g.lineTo(x, view.height);
    g.stroke();
    const text = counted(b.missing, "event") + " not shown", w = g.measureText(text).width;
    if (b.missing < 10 || x - w / 2 < free || view.height - view.rowsEnd() < 18 || x + w / 2 > view.width) continue;
    g.fillText(text, x - w / 2, view.height - 10);
    free = x + w / 2 + 12;
  }
  g.restore();
}

/* Where the violation begins, with the states the object may be in there. */
function drawStart(g, view) {
  const d = view.model.data, l = view.layout, c = view.colors;
  if (!d.start || !d.start.length || !l.events.length) return;
  let i = atMost(l.events, d.coreFrom);
  if (i < 0 || l.events[i] < d.coreFrom) i++;
  const x = Math.round(view.toX(i < l.at.length ? l.at[i] : l.end) - Math.min(6, view.scale / 3)) + 0.5;
  if (x < view.gutter - 1 || x > view.width) return;
  g.save();
  g.strokeStyle = c["core-edge"];
  g.lineWidth = 1.5;
  g.setLineDash([6, 4]);
  g.beginPath();
  g.moveTo(x, AXIS);
  g.lineTo(x, view.height);
  g.stroke();
  g.restore();
}

function drawNames(g, view) {
  const l = view.layout, c = view.colors;
  g.fillStyle = c.panel;
  g.fillRect(0, 0, view.gutter, view.height);
  g.fillStyle = c.line;
  g.fillRect(view.gutter - 1, 0, 1, view.height);
  g.font = NAME_FONT;
  g.fillStyle = c.soft;
  const room = Math.floor((view.gutter - 24) / view.letter);
  for (let r = view.firstRow(); r <= view.lastRow(); r++) {
    if (l.rows[r].lane) continue;
    g.fillText(shorten(view.model.processes[l.rows[r].process], room), 14, view.toY(r) + view.barHeight / 2 + 0.5);
  }
  g.fillStyle = c.panel;
  g.fillRect(0, 0, view.gutter - 1, AXIS);
  g.font = SMALL_FONT;
  g.fillStyle = c.faint;
  g.fillText(l.clock ? "time \u2192" : "event", 14, AXIS / 2);
}

function drawView(view) {
  const g = prepare(view.canvas, view.width, view.height), c = view.colors, l = view.layout;
  g.textBaseline = "middle";
  g.fillStyle = c.panel;
  g.fillRect(0, 0, view.width, view.height);
  g.save();
  g.beginPath();
  g.rect(view.gutter, AXIS, view.width - view.gutter, view.height - AXIS);
  g.clip();
  drawBreaks(g, view);
  drawRows(g, view);
  drawStart(g, view);
  drawPoints(g, view);
  const shown = op => l.where.has(op) && view.onScreen(l.where.get(op));
  for (const op of view.found) if (shown(op)) ring(g, view, l.where.get(op), c["found-edge"], 2);
  if (shown(view.hovered) && view.hovered !== view.selected) ring(g, view, l.where.get(view.hovered), c.soft, 1.5);
  if (shown(view.selected)) ring(g, view, l.where.get(view.selected), c.focus, 3);
  g.restore();
  drawAxis(g, view);
  drawNames(g, view);
}

/* The map: how many operations run at each place, what is marked, and the part on screen. */
function drawMap(view) {
  const l = view.layout, c = view.colors, width = view.map.clientWidth, height = view.map.clientHeight;
  const g = prepare(view.map, width, height), w = Math.max(1, Math.floor(width)), load = new Float64Array(w + 1);
  const to = x => x / view.extent() * width;
  for (let k = 0; k < l.ops.length; k++) {
    load[Math.max(0, Math.floor(to(l.left[k])))]++;
    load[Math.min(w, Math.floor(to(l.right[k])) + 1)]--;
  }
  let most = 1;
  for (let i = 1; i <= w; i++) load[i] += load[i - 1];
  for (let i = 0; i < w; i++) most = Math.max(most, load[i]);
  g.fillStyle = c["quiet-edge"];
  for (let i = 0; i < w; i++) {
    const h = load[i] / most * (height - 8);
    g.fillRect(i, height - 2 - h, 1, h);
  }
  const mark = (op, color, size) => {
    if (!l.where.has(op)) return;
    const k = l.where.get(op), x = to(l.left[k]);
    g.fillStyle = color;
    g.fillRect(x, 2, Math.max(size, Math.min(to(l.right[k]), width) - x), height - 4);
  };
  g.globalAlpha = 0.75;
  for (const op of view.found) mark(op, c["found-edge"], 1.5);
  for (const op of view.model.core) if (op !== view.model.culprit) mark(op, c["core-edge"], 2);
  g.globalAlpha = 1;
  mark(view.model.culprit, c.bad, 3);
  const a = to(view.left), b = to(view.left + (view.width - view.gutter) / view.scale);
  g.fillStyle = c.focus;
  g.globalAlpha = 0.12;
  g.fillRect(a, 0, b - a, height);
  g.globalAlpha = 1;
  g.strokeStyle = c.focus;
  g.lineWidth = 1.5;
  g.strokeRect(Math.max(0.75, a), 0.75, Math.min(b, width - 0.75) - Math.max(0.75, a), height - 1.5);
}
