"use strict";
/* The view: which part of the layout is on screen, and how pointer, wheel and keys move it. */

const ROW_LEAST = 34, ROW_MOST = 58, SCALE_MOST = 400, BELOW = 26; /* pixels; BELOW the rows stand the words of drawMoment */

class View {
  constructor(model, canvas, map, scroller, tall) {
    Object.assign(this, {model, canvas, map, scroller, tall});
    this.found = [];
    this.selected = this.hovered = -1;
    this.showOrder = false;
    this.left = this.top = 0;
    this.scale = 1;
    this.colors = readColors();
    this.onselect = this.onhover = () => {};
    const g = canvas.getContext("2d");
    g.font = LABEL_FONT;
    this.letter = g.measureText("0000000000").width / 10;
    this.listen();
  }

  setLayout(layout) {
    this.layout = layout;
    this.map.hidden = layout.ops.length <= 40;
    this.tallest = Math.max(this.tallest || 0, layout.rows.length);
    this.canvas.parentElement.style.flexBasis = AXIS + this.tallest * ROW_MOST + BELOW + "px";
    const g = this.canvas.getContext("2d");
    g.font = NAME_FONT;
    let widest = g.measureText("event").width;
    for (const r of layout.rows) widest = Math.max(widest, g.measureText(this.model.processes[r.process].slice(0, 20)).width);
    this.gutter = Math.min(150, Math.ceil(widest) + 28);
    this.resize();
  }

  /* Geometry. Axis units to pixels and back. */
  extent() { return Math.max(1, this.layout.end - (this.layout.end > this.layout.events.length ? 0 : 1)); }
  toX(u) { return this.gutter + 6 + (u - this.left) * this.scale; }
  fromX(x) { return (x - this.gutter - 6) / this.scale + this.left; }
  toY(row) { return AXIS + row * this.rowHeight - this.top + (this.rowHeight - this.barHeight) / 2; }
  rowsEnd() { return AXIS + this.layout.rows.length * this.rowHeight - this.top; }
  rowAt(y) { return Math.floor((y - AXIS + this.top) / this.rowHeight); }
  firstRow() { return Math.max(0, this.rowAt(AXIS)); }
  lastRow() { return Math.min(this.layout.rows.length - 1, this.rowAt(this.height)); }
  room() { return this.width - this.gutter - 14; }
  least() { return this.room() / this.extent(); }

  /* Operations [a, b) of a row that touch the screen; in a row they do not overlap. */
  visible(r) {
    const l = this.layout, ops = l.rows[r].ops, from = this.fromX(this.gutter), to = this.fromX(this.width);
    let a = 0, b = ops.length;
    for (let high = b; a < high;) {
      const middle = (a + high) >> 1;
      if (l.right[ops[middle]] < from) a = middle + 1;
      else high = middle;
    }
    for (let low = a; low < b;) {
      const middle = (low + b) >> 1;
      if (l.left[ops[middle]] > to) b = middle;
      else low = middle + 1;
    }
    return [a, b];
  }

  onScreen(k) {
    const l = this.layout, y = this.toY(l.row[k]);
    if (y >= this.height || y + this.barHeight <= AXIS) return false;
    return this.toX(l.right[k]) >= this.gutter && this.toX(l.left[k]) <= this.width;
  }

  opAt(x, y) {
    const r = this.rowAt(y);
    if (x < this.gutter || y < AXIS || r < 0 || r >= this.layout.rows.length) return -1;
    const [a, b] = this.visible(r);
    let best = -1, distance = 5;
    for (let i = a; i < b; i++) {
      const k = this.layout.rows[r].ops[i];
      const d = Math.max(this.toX(this.layout.left[k]) - x, x - this.toX(this.layout.right[k]), 0);
      if (d < distance || (d === 0 && this.model.inCore[this.layout.ops[k]])) [best, distance] = [this.layout.ops[k], d];
    }
    return best;
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    this.width = Math.max(120, box.width);
    this.height = Math.max(80, box.height);
    const share = (this.height - AXIS - BELOW) / Math.max(1, this.layout.rows.length);
    this.rowHeight = Math.min(ROW_MOST, Math.max(ROW_LEAST, share));
    this.barHeight = Math.min(34, Math.round(this.rowHeight * 0.66));
    this.tall.style.height = this.layout.rows.length * this.rowHeight + AXIS + BELOW + "px";
    this.scroller.classList.toggle("unused", this.rowHeight * this.layout.rows.length + AXIS + BELOW <= this.height + 1);
    this.move(this.left, this.top);
  }

  /* Every change of place goes through here: kept in bounds, drawn once a frame. */
  move(left, top, scale = this.scale) {
    this.scale = Math.min(SCALE_MOST, Math.max(this.least(), scale));
    this.left = Math.max(0, Math.min(left, this.extent() - this.room() / this.scale));
    const bottom = this.layout.rows.length * this.rowHeight + AXIS + BELOW - this.height;
    this.top = Math.max(0, Math.min(top, bottom));
    if (Math.abs(this.scroller.scrollTop - this.top) > 1) this.scroller.scrollTop = this.top;
    this.draw();
  }

  zoom(factor, x = this.gutter + this.room() / 2) {
    const u = this.fromX(x), scale = Math.min(SCALE_MOST, Math.max(this.least(), this.scale * factor));
    this.move(u - (x - this.gutter - 6) / scale, this.top, scale);
  }

  fit() { this.move(0, this.top, this.least()); }

  /* Shows units from..to with some room around. */
  showUnits(from, to) {
    const span = Math.max(to - from, 4) * 1.25, scale = Math.min(this.room() / span, 160);
    this.move((from + to) / 2 - this.room() / scale / 2, this.top, scale);
  }

  reveal(op) {
    const l = this.layout, k = l.where.get(op);
    if (k === undefined) return;
    const right = Math.min(l.right[k], l.left[k] + this.room() / this.scale);
    const wide = Math.max(this.scale, Math.min(160, 70 / Math.max(l.right[k] - l.left[k], 0.2)));
    let left = this.left, top = this.top;
    if (wide > this.scale || l.left[k] < left || right > left + this.room() / this.scale)
      left = (l.left[k] + right) / 2 - this.room() / wide / 2;
    const y = l.row[k] * this.rowHeight;
    if (y < top) top = y;
    else if (y + this.rowHeight > top + this.height - AXIS) top = y + this.rowHeight - this.height + AXIS + 8;
    this.move(left, top, wide);
  }

  select(op, reveal) {
    this.selected = op;
    if (reveal && op >= 0) this.reveal(op);
    this.onselect(op);
    this.draw();
  }

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      drawView(this);
      drawMap(this);
    });
  }

  /* The operation next to the selected one: along its process, or in the row above or below. */
  neighbour(dx, dy) {
    const l = this.layout;
    if (!l.ops.length) return -1;
    if (!l.where.has(this.selected) && l.where.has(this.model.culprit)) return this.model.culprit;
    if (!l.where.has(this.selected)) return l.ops[Math.max(0, Math.min(l.ops.length - 1, atMost(l.left, this.left)))];
    const k = l.where.get(this.selected);
    if (dx) {
      const row = l.rows[l.row[k]].ops, next = row[row.indexOf(k) + dx];
      return next === undefined ? this.selected : l.ops[next];
    }
    const r = l.row[k] + dy;
    if (r < 0 || r >= l.rows.length) return this.selected;
    const middle = (l.left[k] + Math.min(l.right[k], l.end)) / 2;
    let best = l.rows[r].ops[0];
    const away = j => Math.max(l.left[j] - middle, middle - l.right[j], 0);
    for (const j of l.rows[r].ops) if (away(j) < away(best)) best = j;
    return l.ops[best];
  }

  key(e) {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    const pages = this.room() / this.scale;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (step && e.shiftKey) this.move(this.left + step[0] * pages / 8, this.top + step[1] * this.rowHeight * 2);
    else if (step) this.select(this.neighbour(...step), true);
    else if (e.key === "PageDown") this.move(this.left + pages * 0.9, this.top);
    else if (e.key === "PageUp") this.move(this.left - pages * 0.9, this.top);
    else if (e.key === "Home") this.move(0, this.top);
    else if (e.key === "End") this.move(Infinity, this.top);
    else return;
    e.preventDefault();
  }

  listen() {
    const c = this.canvas, down = new Map();
    let moved = 0, apart = 0;
    const spot = e => {
      const box = c.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    c.addEventListener("wheel", e => {
      e.preventDefault();
      const [x, y] = spot(e), unit = e.deltaMode ? 30 : 1;
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
        this.move(this.left + (e.deltaX || e.deltaY) * unit / this.scale, this.top);
      else if (x < this.gutter || e.altKey) this.move(this.left, this.top + e.deltaY * unit);
      else this.zoom(Math.exp(-e.deltaY * unit * (e.ctrlKey ? 0.01 : 0.0016)), x);
      if (y > AXIS) this.hover(e, spot(e));
    }, {passive: false});
    c.addEventListener("pointerdown", e => {
      c.setPointerCapture(e.pointerId);
      down.set(e.pointerId, spot(e));
      moved = 0;
      apart = 0;
    });
    c.addEventListener("pointermove", e => {
      const at = spot(e), before = down.get(e.pointerId);
      if (!before) return this.hover(e, at);
      moved += Math.abs(at[0] - before[0]) + Math.abs(at[1] - before[1]);
      down.set(e.pointerId, at);
      if (down.size === 1 && moved > 4) {
        c.classList.add("moving");
        this.hover(e, null);
        this.move(this.left - (at[0] - before[0]) / this.scale, this.top - (at[1] - before[1]));
      } else if (down.size === 2) {
        const [p, q] = [...down.values()], now = Math.max(20, Math.abs(p[0] - q[0]));
        if (apart) this.zoom(now / apart, (p[0] + q[0]) / 2);
        apart = now;
        moved = 9;
      }
    });
    const up = e => {
      const at = down.get(e.pointerId);
      down.delete(e.pointerId);
      c.classList.remove("moving");
      if (at && moved <= 4 && e.type === "pointerup") this.select(this.opAt(...at), false);
    };
    c.addEventListener("pointerup", up);
    c.addEventListener("pointercancel", up);
    c.addEventListener("pointerleave", e => this.hover(e, null));
    c.addEventListener("dblclick", e => this.zoom(2.5, spot(e)[0]));
    c.addEventListener("keydown", e => this.key(e));
    this.scroller.addEventListener("scroll", () => {
      if (Math.abs(this.scroller.scrollTop - this.top) > 1) this.move(this.left, this.scroller.scrollTop);
    });
    const jump = e => {
      const box = this.map.getBoundingClientRect(), pages = this.room() / this.scale;
      this.move((e.clientX - box.left) / box.width * this.extent() - pages / 2, this.top);
    };
    this.map.addEventListener("pointerdown", e => { this.map.setPointerCapture(e.pointerId); jump(e); });
    this.map.addEventListener("pointermove", e => { if (e.buttons) jump(e); });
    window.addEventListener("resize", () => this.resize());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.colors = readColors(); this.draw(); });
  }

  hover(e, at) {
    const op = at ? this.opAt(...at) : -1;
    this.canvas.style.cursor = op >= 0 ? "pointer" : "";
    this.onhover(op, e);
    if (op === this.hovered) return;
    this.hovered = op;
    this.draw();
  }
}
