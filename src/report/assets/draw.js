"use strict";
/* Drawing: bars, points, rows and the map on canvases. Colours come from the style sheet, so light and dark are said
 * once, there. */

const NAME_FONT = "600 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const LABEL_FONT = "12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const SMALL_FONT = "11px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";
const AXIS = 26; /* height of the ruler */

function readColors() {
  const style = getComputedStyle(document.documentElement), colors = {};
  for (const name of ["panel", "soft", "faint", "line", "bar", "bar-edge", "bar-ink", "core", "core-edge", "core-ink", "bad",
    "bad-edge", "bad-ink", "point", "found-edge", "focus", "quiet", "quiet-edge", "quiet-ink"])
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
  const l = view.layout, op = l.ops[k], marked = view.model.inCore[op];
  const from = view.toX(l.left[k]), to = Math.max(view.toX(l.right[k]), from + 2);
  const x = Math.max(from, view.gutter - 20), w = Math.min(to, view.width + 20) - x, y = view.toY(l.row[k]), h = view.barHeight;
  const [fill, edge] = barColors(view, op);
  if (w < 5) {
    g.fillStyle = edge;
    g.fillRect(x, y, Math.max(w, 3), h);
    return;
  }
  barPath(g, x + 0.5, y + 0.5, w - 1, h - 1, view.model.pending(op));
  g.fillStyle = fill;
  g.fill();
  g.strokeStyle = edge;
  g.lineWidth = marked ? 2 : 1;
  g.stroke();
}

/* What a bar says goes inside, clear of its point; beside it where it does not fit and the row is free there (or taken
 * by one that is not of the violation, when this is); else it is shortened. */
function drawLabel(g, view, k, follower) {
  const l = view.layout, c = view.colors, op = l.ops[k], marked = view.model.inCore[op], letter = view.letter;
  const next = follower === undefined ? Infinity : view.toX(l.left[follower]);
  const forced = marked && follower !== undefined && !view.model.inCore[l.ops[follower]];
  const right = view.toX(l.right[k]), end = Math.min(right, view.width) - 5, free = Math.min(next, view.width);
  let start = Math.max(view.toX(l.left[k]), view.gutter) + 8;
  const y = view.toY(l.row[k]) + view.barHeight / 2 + 0.5, beside = Math.floor((free - right - 10) / letter);
  const room = Math.floor((end - start) / letter);
  if (room < 1 && beside < 4 && !forced) return;
  const label = view.model.label(op), brief = label.replace(/(\(\))? \u2192 /, "\u2192");
  let inside = label.length <= room ? label : brief.length <= room ? brief : "";
  const point = view.toX(l.points[k]);
  if (inside && point > start - 6 && point < start + inside.length * letter + 4) { /* NaN where there is none */
    if (brief.length * letter < point - start - 3) inside = brief;
    else if (label.length * letter < end - point - 6) [inside, start] = [label, point + 6];
    else if (brief.length * letter < end - point - 6) [inside, start] = [brief, point + 6];
  }
  const [, edge, ink] = barColors(view, op);
  g.font = op === view.model.culprit ? "600 " + LABEL_FONT : LABEL_FONT;
  if (inside) {
    g.fillStyle = ink;
    g.fillText(inside, start, y);
  } else if ((brief.length <= beside || forced) && right > view.gutter) {
    const text = label.length <= beside ? label : brief;
    g.fillStyle = c.panel;
    g.fillRect(right + 2, y - 8, text.length * letter + 6, 16);
    g.fillStyle = marked ? edge : c.soft;
    g.fillText(text, right + 5, y);
  } else if (room >= 2) {
    g.fillStyle = ink;
    g.fillText(shorten(brief, room), start, y);
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

/* Matches: rings, or where bars are narrow a mark for each pixel that has some. */
function drawFound(g, view, shown) {
  const l = view.layout, seen = new Set();
  for (const op of view.found) {
    if (!shown(op)) continue;
    const k = l.where.get(op), x = Math.floor(view.toX(l.left[k]));
    if ((l.right[k] - l.left[k]) * view.scale >= 4) {
      ring(g, view, k, view.colors["found-edge"], 2);
    } else if (!seen.has(x + l.row[k] * 1e5)) {
      seen.add(x + l.row[k] * 1e5);
      g.fillStyle = view.colors["found-edge"];
      g.fillRect(x, view.toY(l.row[k]) - 3, 2, view.barHeight + 6);
    }
  }
}

function drawRows(g, view) {
  const l = view.layout, c = view.colors, said = [];
  for (let r = view.firstRow(); r <= view.lastRow(); r++) {
    g.fillStyle = c.line;
    g.fillRect(view.gutter, Math.round(view.toY(r) + view.barHeight / 2), view.width, 1);
    const [a, b] = view.visible(r), ops = l.rows[r].ops;
    let from = 0, to = -1; /* a run of bars too narrow to be told apart */
    const flush = () => {
      g.fillStyle = view.model.core.length ? c["quiet-edge"] : c["bar-edge"];
      if (to > from) g.fillRect(from, view.toY(r), Math.max(1, to - from), view.barHeight);
      to = from = 0;
    };
    for (let i = a; i < b; i++) {
      const k = ops[i], left = view.toX(l.left[k]), right = view.toX(l.right[k]);
      if (right - left < 4 && !view.model.inCore[l.ops[k]]) {
        if (left > to + 0.7) flush();
        if (to <= from) from = left;
        to = Math.max(right, left + 1);
        if (view.scale < 2) continue;
      } else {
        drawBar(g, view, k);
      }
      said.push([k, ops[i + 1]]);
    }
    flush();
  }
  return said;
}

/* The part [a, b) of the path of points that is on screen; points grow along it. */
function pathOnScreen(view) {
  const l = view.layout, from = view.fromX(view.gutter), to = view.fromX(view.width);
  let a = 0, b = l.path.length;
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
  const apart = (view.width - view.gutter) / Math.max(1, b - a); /* pixels from one to the next, and to the next in a row */
  return {a, b, apart, apartInRow: apart * l.rows.length};
}

/* Where operations take effect: a line across the bar and, under the labels, the way from one to the next. */
function drawWay(g, view, {a, b, apart, apartInRow}) {
  const l = view.layout, first = Math.max(0, a - 1), h = view.barHeight;
  g.strokeStyle = g.fillStyle = view.colors.point;
  if (view.showOrder && apart >= 0.5) {
    g.globalAlpha = apart < 3 ? 0.2 : 0.5;
    g.lineWidth = apart < 3 ? 1 : 1.5;
    g.beginPath();
    for (let i = first; i < Math.min(l.path.length, b + 1); i++)
      g[i === first ? "moveTo" : "lineTo"](view.toX(l.points[l.path[i]]), view.toY(l.row[l.path[i]]) + h);
    g.stroke();
    g.globalAlpha = 1;
  }
  if (apartInRow < 3) return; /* all green says nothing */
  const thick = apartInRow < 20 ? 1 : 2;
  for (let i = a; i < b; i++) {
    const k = l.path[i], y = view.toY(l.row[k]);
    if (y < view.height && y + h > AXIS) g.fillRect(view.toX(l.points[k]) - thick / 2, y - 3, thick, h + 4);
  }
}

function drawPoints(g, view, {a, b, apartInRow}) {
  const l = view.layout, c = view.colors, h = view.barHeight;
  if (apartInRow < 24) return;
  g.font = SMALL_FONT;
  g.textAlign = "center";
  for (let i = a; i < b; i++) {
    const k = l.path[i], x = view.toX(l.points[k]), y = view.toY(l.row[k]) + h;
    if (y - h > view.height || y < AXIS) continue;
    const text = view.showOrder && apartInRow > 60 ? grouped(view.model.place[l.ops[k]] + 1) : "";
    const w = text ? Math.max(15, g.measureText(text).width + 8) : 9, r = text ? 7.5 : 4.5;
    g.beginPath();
    g.roundRect(x - w / 2, y - r, w, 2 * r, r);
    g.fillStyle = c.point;
    g.fill();
    g.strokeStyle = c.panel;
    g.lineWidth = 1.5;
    g.stroke();
    if (!text) continue;
    g.fillStyle = c.panel;
    g.fillText(text, x, y + 0.5);
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
  const tick = (u, text) => {
    const x = view.toX(u), w = g.measureText(text).width;
    if (x < free || x + 6 + w > view.width) return;
    g.fillRect(Math.round(x), AXIS - 6, 1, 6);
    g.fillText(text, x + 4, AXIS / 2);
    free = x + w + 14;
  };
  if (l.unit) { /* round times since the first event, 1, 2 or 5 times a power of ten apart */
    const least = 110 / view.scale * l.unit, power = 10 ** Math.floor(Math.log10(least));
    const every = power * [1, 2, 5, 10].find(f => f * power >= least);
    for (let i = Math.max(0, Math.floor(view.left * l.unit / every)); i * every / l.unit <= view.fromX(view.width); i++)
      tick(i * every / l.unit, "+" + (every < 1 ? (i * every).toPrecision(4) : grouped(Math.round(i * every))));
  }
  const step = Math.max(1, Math.ceil(90 / view.scale));
  const from = Math.max(0, atMost(l.at, view.fromX(view.gutter))), to = atMost(l.at, view.fromX(view.width));
  for (let i = Math.ceil(from / step) * step; !l.unit && i <= to; i += step) tick(l.at[i], grouped(l.events[i]));
  g.beginPath();
  g.moveTo(0, AXIS - 0.5);
  g.lineTo(view.width, AXIS - 0.5);
  g.stroke();
}

function drawBreaks(g, view) {
  const l = view.layout, c = view.colors;
  if (l.unit) return;
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
    if (b.missing < 10 || x - w / 2 < free || view.height - view.rowsEnd() < 14 || x + w / 2 > view.width) continue;
    g.fillStyle = c.panel;
    g.fillRect(x - w / 2 - 4, view.height - 20, w + 8, 20);
    g.fillStyle = c.soft;
    g.fillText(text, x - w / 2, view.height - 10);
    free = x + w / 2 + 12;
  }
  g.restore();
}

/* A moment of all processes: a line down the picture, and words at its foot, on the side where they fit. */
function drawMoment(g, view, u, color, words) {
  const x = Math.round(view.toX(u)) + 0.5;
  if (x < view.gutter - 1 || x > view.width) return;
  g.save();
  g.strokeStyle = g.fillStyle = color;
  g.lineWidth = 1.5;
  g.setLineDash([5, 4]);
  g.beginPath();
  g.moveTo(x, AXIS);
  g.lineTo(x, view.height);
  g.stroke();
  g.font = SMALL_FONT;
  const w = g.measureText(words).width, left = x + w + 12 > view.width;
  if (view.height - view.rowsEnd() >= 14) {
    g.fillStyle = view.colors.panel;
    g.fillRect(left ? x - w - 12 : x + 2, view.height - 20, w + 10, 18);
    g.fillStyle = color;
    g.fillText(words, left ? x - w - 7 : x + 7, view.height - 10);
  }
  g.restore();
}

/* Where the violation begins, if something came before it, and the return that made it one. */
function drawMoments(g, view) {
  const m = view.model, d = m.data, l = view.layout, k = l.where.get(m.culprit);
  if (d.start && d.start.length && l.events.length) {
    let i = atMost(l.events, d.coreFrom);
    if (i < 0 || l.events[i] < d.coreFrom) i++;
    const states = d.start.slice(0, 3).join(" or ") + (d.startTotal > 3 ? " or \u2026" : "");
    const begins = i < l.at.length ? l.at[i] : l.end;
    drawMoment(g, view, begins - Math.min(6 / view.scale, 0.4), view.colors["core-edge"], states);
  }
  if (k !== undefined && !m.pending(m.culprit)) drawMoment(g, view, l.right[k], view.colors.bad, "impossible from here on");
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
  g.fillText(l.unit ? "time" : "event", 14, AXIS / 2);
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
  drawMoments(g, view);
  const said = drawRows(g, view), path = pathOnScreen(view);
  drawWay(g, view, path);
  for (const [k, next] of said) if (!view.model.inCore[l.ops[k]]) drawLabel(g, view, k, next);
  for (const [k, next] of said) if (view.model.inCore[l.ops[k]]) drawLabel(g, view, k, next);
  drawPoints(g, view, path);
  const shown = op => l.where.has(op) && view.onScreen(l.where.get(op));
  drawFound(g, view, shown);
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
    const h = load[i] / most * (height - 14);
    g.fillRect(i, height - 2 - h, 1, h);
  }
  const mark = (op, color, size) => {
    if (!l.where.has(op)) return;
    const k = l.where.get(op), x = to(l.left[k]), w = Math.max(size, Math.min(to(l.right[k]), width) - x);
    g.fillStyle = color;
    g.fillRect(x, 3, w, w > 8 ? 6 : height - 6);
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
