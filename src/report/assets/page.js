"use strict";
/* The page around the timeline: verdict, explanation, details, search and switches. */

const $ = id => document.getElementById(id);

/* An element with text or children; text is never read as HTML. */
function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}

const data = JSON.parse($("data").textContent);
const model = readModel(data);
const everything = Array.from({length: model.n}, (_, i) => i);
const view = new View(model, $("canvas"), $("map"), $("scroller"), $("tall"));
const article = data.spec ? "the " + data.spec : "the object";

function fillHeader() {
  const marks = {holds: "\u2713 ", violated: "\u2717 ", unknown: "? "};
  $("badge").textContent = marks[data.verdict] + data.said[0].toUpperCase() + data.said.slice(1);
  $("badge").classList.add(data.verdict);
  const base = data.file.split("/").pop() || data.file;
  $("file").textContent = base;
  $("file").title = data.file;
  const read = data.monitored || {operations: data.operations, processes: data.processTotal};
  const facts = [data.spec, data.client || counted(read.operations, "operation"),
    data.client ? data.searched || counted(data.states, "state") : counted(read.processes, "process"), data.method,
    data.seconds >= 0.0005 ? data.seconds.toFixed(data.seconds < 10 ? 2 : 1) + " s" : ""];
  $("facts").textContent = facts.filter(Boolean).join(" \u00b7 ");
}

function fillPart() {
  const whole = model.n === data.operations, several = data.ranges.length > 1;
  if (whole || !data.ranges.length) {
    $("part").textContent = data.operations ? "all " + counted(data.operations, "operation") : "no operations";
    return;
  }
  const words = ([from, to]) => grouped(from + 1) + "\u2013" + grouped(to);
  $("part").textContent = !several ? "operations " + words(data.ranges[0]) + " of " + grouped(data.operations) :
    grouped(model.n) + " of " + counted(data.operations, "operation") + ", in " + data.ranges.length + " parts";
  $("part").title = "Shown: operations " + data.ranges.map(words).join(", ") + ", and those that were running then.";
}

function opButton(op) {
  const marks = op === model.culprit ? " bad" : model.inCore[op] ? " core" : "";
  const button = element("button", {class: "op" + marks, type: "button", "data-op": op, onclick: () => go(op)},
    element("span", {class: "who"}, model.who(op)), element("code", {}, model.label(op)));
  if (model.pending(op)) button.append(element("span", {class: "where"}, "no return"));
  else if (model.line[op]) button.append(element("span", {class: "where"}, "line " + grouped(model.line[op])));
  return button;
}

function fillWhy() {
  const why = $("why");
  const titles = data.client ? {violated: "What is wrong", holds: "What was searched", unknown: "Why it is not known"} :
    {violated: "Why it is not linearizable", holds: data.monitored ? "What was seen" : "Why it is linearizable", unknown: "Why it is not known"};
  why.append(element("h2", {}, titles[data.verdict]), element("p", {class: "reason"}, data.reason));
  if (data.verdict === "unknown" && data.events)
    why.append(element("p", {class: "small"}, "Decided " + grouped(data.reached) + " of " + counted(data.events, "event") + "."));
  if (data.verdict === "holds" && model.gap)
    why.append(element("p", {class: "small"}, "Green marks are such moments. Switch Order on to follow them."));
  if (data.start && data.start.length) {
    why.append(element("h3", {}, "When this begins, " + article + (data.startTotal === 1 ? " is" : " may be")));
    const list = element("ul", {class: "states"}, ...data.start.slice(0, 8).map(s => element("li", {}, element("code", {}, s))));
    if (data.startTotal > 8) list.append(element("li", {}, "or one of " + counted(data.startTotal - 8, "other state")));
    why.append(list);
  }
  if (!model.core.length) return;
  const n = data.coreTotal;
  why.append(element("h3", {}, n === 1 ? "The operation" : "The " + counted(n, "operation")));
  why.append(element("div", {class: "ops"}, ...model.core.slice(0, 200).map(opButton)));
  if (model.core.length > 200 || n > model.core.length)
    why.append(element("p", {class: "small"}, "and " + grouped(n - Math.min(200, model.core.length)) + " more"));
  if (n > 1)
    why.append(element("p", {class: "small"}, !data.minimal ? "A smaller part may be wrong too: the search for it was cut short." :
      data.byReturn ? "Before the one marked returned there was an order. Had any other of them happened at another time, or not at all, there would be one still." :
      "Had any one of them happened at another time, or not at all, there would be an order."));
}

function facts(op) {
  const open = model.pending(op), returned = open ? "did not return" : model.returns(op);
  const rows = [["process", model.who(op)], ["call", model.calls(op)], ["result", returned]];
  if (model.line[op]) rows.push(["line", grouped(model.line[op])]);
  rows.push(["operation", grouped(model.id[op] + 1) + " of " + grouped(data.operations)]);
  rows.push(["events", grouped(model.call[op]) + (open ? " \u2192" : " \u2013 " + grouped(model.ret(op)))]);
  if (model.time) {
    const called = String(BigInt(data.epoch) + BigInt(model.time[op])); /* nanoseconds since 1970 are no exact Number */
    rows.push(["time", called + (open ? " \u2192" : " + " + grouped(model.duration[op]))]);
  }
  if (model.effect(op) >= 0)
    rows.push(["takes effect", "number " + grouped(model.place[op] + 1) + ", after event " + grouped(model.effect(op))]);
  else if (model.gap) rows.push(["takes effect", "never in this order"]);
  return rows;
}

function fillDetails(op) {
  const d = $("details");
  d.replaceChildren(element("h2", {}, "Operation"));
  if (op < 0 && data.schedule) {
    d.replaceChildren();
    return;
  }
  if (op < 0) {
    d.append(element("p", {class: "small"}, "Click a bar, or move with the arrow keys."));
    return;
  }
  d.append(element("p", {class: "label"}, element("code", {}, model.label(op))));
  if (model.inCore[op]) d.append(element("p", {class: "small mark"}, op === model.culprit ?
    "At its return no order was possible any more." : "Part of the violation."));
  const list = element("dl", {});
  for (const [name, value] of facts(op)) list.append(element("dt", {}, name), element("dd", {}, value));
  d.append(list);
}

function fillNotes() {
  if (!data.notes) return;
  $("notes").append(element("h2", {}, "Assumed"));
  for (const note of data.notes.trim().split("\n")) $("notes").append(element("p", {class: "small"}, note + "."));
}

function setLayout() {
  view.setLayout(makeLayout(model, $("only").checked ? model.core.slice() : everything, $("clock").checked));
}

/* Shows and selects an operation, leaving "only the violation" where it is not part of it. */
function go(op) {
  if ($("only").checked && !model.inCore[op]) {
    $("only").checked = false;
    setLayout();
  }
  view.select(op, true);
}

function showFault() {
  const l = view.layout, bad = l.where.get(model.culprit);
  const at = model.core.filter(op => l.where.has(op)).map(op => l.where.get(op));
  if (!at.length) return view.fit();
  const from = Math.min(...at.map(k => l.left[k])), to = Math.max(...at.map(k => Math.min(l.right[k], l.end)));
  if (to - from <= 400) view.showUnits(from, to);
  else if (bad !== undefined) view.showUnits(l.right[bad] - 30, l.right[bad] + 10);
  else view.fit();
  const op = l.where.has(model.culprit) ? model.culprit : l.ops[at[0]];
  const y = l.row[l.where.get(op)] * view.rowHeight;
  if (y < view.top || y + view.rowHeight > view.top + view.height - AXIS) view.move(view.left, y - view.height / 2);
}

/* The beginning (or where the search stopped), so near that a usual bar has room for what it says. */
function opening() {
  const l = view.layout;
  let sum = 0;
  for (let k = 0; k < l.ops.length; k++) sum += Math.min(l.right[k], l.end) - l.left[k];
  const scale = Math.min(40, 110 * l.ops.length / sum), stopped = atMost(l.events, data.reached);
  return [data.verdict === "unknown" ? l.at[Math.max(0, stopped)] - view.room() / scale / 2 : 0, 0, scale];
}

let current = -1;
function search() {
  view.found = searchModel(model, $("search").value);
  current = -1;
  $("previous").disabled = $("next").disabled = !view.found.length;
  $("found").textContent = !$("search").value.trim() ? "" : view.found.length ? grouped(view.found.length) + " found" : "none";
  view.draw();
}

function step(by) {
  const n = view.found.length;
  if (!n) return;
  if (current < 0) { /* the first match from the selected operation, or from what is on screen */
    const l = view.layout, from = view.selected >= 0 ? view.selected : l.ops[Math.max(0, atMost(l.left, view.left))] || 0;
    current = view.found.findIndex(op => op >= from);
    if (current < 0) current = 0;
    if (by < 0) current = (current + n - 1) % n;
  } else {
    current = (current + by + n) % n;
  }
  $("found").textContent = grouped(current + 1) + " of " + grouped(n);
  go(view.found[current]);
}

function tip(op, e) {
  const t = $("tip");
  t.hidden = op < 0;
  if (op < 0) return;
  const line = model.line[op] ? " \u00b7 line " + grouped(model.line[op]) : "";
  const place = model.effect(op) >= 0 ? " \u00b7 takes effect as number " + grouped(model.place[op] + 1) : "";
  t.replaceChildren(element("code", {}, model.label(op)),
    element("span", {}, "process " + model.who(op) + line + (model.pending(op) ? " \u00b7 did not return" : "") + place));
  const stage = t.parentElement.getBoundingClientRect(), x = e.clientX - stage.left, y = e.clientY - stage.top;
  t.style.left = Math.max(4, Math.min(x + 14, stage.width - t.offsetWidth - 6)) + "px";
  t.style.top = (y + 20 + t.offsetHeight > stage.height ? Math.max(2, y - t.offsetHeight - 12) : y + 20) + "px";
}

function keys(e) {
  const typing = e.target instanceof HTMLInputElement && e.target.type === "search";
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (typing && e.key === "Enter") step(e.shiftKey ? -1 : 1);
  else if (typing && e.key === "Escape") { $("search").value = ""; search(); $("canvas").focus(); }
  else if (typing) return;
  else if (e.key === "/") { $("search").focus(); $("search").select(); }
  else if (e.key === "n") step(1);
  else if (e.key === "N") step(-1);
  else if (e.key === "+" || e.key === "=") view.zoom(1.5);
  else if (e.key === "-") view.zoom(1 / 1.5);
  else if (e.key === "0") view.fit();
  else if (e.key === "v" && model.core.length) showFault();
  else if (e.key === "o" && model.gap) $("order").click();
  else if (e.key === "Escape") view.select(-1);
  else return;
  e.preventDefault();
}

function showExecution() {
  document.body.classList.add("executed");
  if (!model.n) document.body.classList.add("bare");
  $("execution").hidden = !data.schedule.lines.length;
  if (data.schedule.lines.length) new Schedule(data.schedule, $("steps"), $("source"));
  $("printed").hidden = !data.schedule.printed;
  if (data.schedule.printed) $("printed").textContent = "The code prints:\n" + data.schedule.printed;
}

function start() {
  fillHeader();
  fillPart();
  fillWhy();
  fillDetails(-1);
  fillNotes();
  if (data.schedule) showExecution();
  view.onselect = op => {
    fillDetails(op);
    for (const b of document.querySelectorAll(".op")) b.classList.toggle("selected", Number(b.dataset.op) === op);
  };
  view.onhover = tip;
  $("only-label").hidden = !model.core.length || model.core.length === model.n;
  $("fault").hidden = !model.core.length;
  $("order-label").hidden = !model.gap;
  $("clock-label").hidden = !model.time;
  if (model.core.length || model.gap)
    $("more-keys").append("\u2002", ...model.core.length ? [element("kbd", {}, "v"), " violation"] : [element("kbd", {}, "o"), " order"]);
  $("search").addEventListener("input", search);
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("in").addEventListener("click", () => view.zoom(1.5));
  $("out").addEventListener("click", () => view.zoom(1 / 1.5));
  $("fit").addEventListener("click", () => view.fit());
  $("fault").addEventListener("click", showFault);
  $("only").addEventListener("change", () => { setLayout(); $("only").checked ? view.fit() : showFault(); });
  $("clock").addEventListener("change", () => { setLayout(); model.core.length ? showFault() : view.fit(); });
  $("order").addEventListener("change", () => { view.showOrder = $("order").checked; view.draw(); });
  document.addEventListener("keydown", keys);
  /* A violation scattered over a long history is first shown by itself. */
  const calls = model.core.map(op => model.call[op]), span = calls.length ? calls[calls.length - 1] - calls[0] : 0;
  $("only").checked = model.core.length > 0 && model.core.length < model.n && span > 150;
  setLayout();
  if (model.core.length && !$("only").checked && model.n > 40) showFault();
  else if (!model.core.length && model.n > 40) view.move(...opening());
  else view.fit();
}

start();
