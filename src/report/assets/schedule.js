"use strict";
/* The execution: a row for each thing that is done, a column for each thread; beside it the source, with the line of the selected
 * row, and where the other threads are by then. */

class Schedule {
  constructor(data, table, source) {
    Object.assign(this, {data, table, source, selected: -1, file: -1});
    this.rows = data.lines.map(([step, thread, kind, file, line, column, text]) => ({step, thread, kind, file, line, column, text}));
    this.fillTable();
    table.addEventListener("keydown", e => this.key(e));
    table.addEventListener("pointermove", e => { if (e.movementX || e.movementY) this.keyed = false; });
    if (this.rows.length) this.select(0);
  }

  /* "12", with the file's name where there are several. */
  where(row) {
    if (!row.line) return "";
    const several = this.rows.some(r => r.line && r.file !== row.file);
    return (several ? this.data.files[row.file].path.split("/").pop() + ":" : "") + row.line;
  }

  fillTable() {
    const head = element("tr", {}, element("th", {}, "step"), element("th", {}, "line"),
      ...this.data.threads.map(name => element("th", {}, name)));
    const body = element("tbody", {});
    this.rows.forEach((row, i) => {
      if (i === this.data.loop) body.append(this.loopRow());
      const before = this.rows[i - 1], first = !before || before.step !== row.step || before.thread !== row.thread;
      const tr = element("tr", {class: row.kind + (first ? " first" : ""), onclick: () => this.select(i), onmouseenter: () => this.hover(i),
        onmouseleave: () => this.hover(this.selected)});
      tr.append(element("td", {class: "step"}, first && row.step ? String(row.step) : ""), element("td", {class: "where"}, this.where(row)));
      this.data.threads.forEach((_, t) => tr.append(element("td", {}, t === row.thread ? row.text : "")));
      row.element = tr;
      body.append(tr);
    });
    this.table.append(element("table", {}, element("thead", {}, head), body));
  }

  loopRow() {
    return element("tr", {class: "loop"}, element("td", {colspan: this.data.threads.length + 2}, "and from here on again and again"));
  }

  /* Not when rows move under the pointer because keys scroll them. */
  hover(i) { if (!this.keyed) this.show(i); }

  key(e) {
    const by = {ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity}[e.key];
    if (!by || e.ctrlKey || e.metaKey || e.altKey) return;
    this.keyed = true;
    this.select(Math.max(0, Math.min(this.rows.length - 1, this.selected + by)));
    this.rows[this.selected].element.scrollIntoView({block: "nearest"});
    e.preventDefault();
  }

  select(i) {
    this.rows[this.selected]?.element.classList.remove("selected");
    this.selected = i;
    this.rows[i].element.classList.add("selected");
    this.show(i);
  }

  openFile(file) {
    if (file === this.file) return;
    this.file = file;
    const {path, text} = this.data.files[file];
    this.lines = text.split("\n").map((code, i) => element("div", {class: "line"}, element("span", {class: "who"}),
      element("span", {class: "number"}, String(i + 1)), element("code", {}, code || " ")));
    this.source.replaceChildren(element("h2", {title: path}, path), ...this.lines);
  }

  /* The source as it is for a row: its line, and where each thread was last. */
  show(i) {
    let at = i;
    while (at >= 0 && !this.rows[at].line) at--;
    if (at < 0 || !this.data.files[this.rows[at].file].text) return;
    const row = this.rows[at];
    this.openFile(row.file);
    for (const line of this.lines) {
      line.classList.remove("now", "bad");
      line.firstChild.textContent = "";
    }
    this.data.threads.forEach((name, t) => {
      const last = this.rows.slice(0, i + 1).reverse().find(r => r.thread === t && r.line);
      if (last && last.file === row.file && this.lines[last.line - 1]) this.lines[last.line - 1].firstChild.textContent += name;
    });
    const line = this.lines[row.line - 1];
    if (!line) return;
    line.classList.add(row.kind === "fault" ? "bad" : "now");
    line.scrollIntoView({block: "nearest"});
  }
}
