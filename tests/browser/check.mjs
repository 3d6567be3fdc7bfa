// Uses the HTML reports as a person would and checks what the page says. Run by tests/browser/run.
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";
import { existsSync, statSync } from "node:fs";
import path from "node:path";

const out = process.argv[2];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
let passed = 0, failed = 0;
function check(what, ok, seen) {
  if (ok) passed++;
  else {
    failed++;
    console.log("FAIL " + what + (seen === undefined ? "" : ": " + JSON.stringify(seen)));
  }
}

// Opens a report; nothing may be printed to the console, fail, or go to the network.
async function open(name, options = {}) {
  const page = await browser.newPage({viewport: {width: 1280, height: 720}, ...options});
  page.on("console", m => { if (!m.text().includes("willReadFrequently")) check(name + ": silent console", false, m.text()); }); // ours: painted()
  page.on("pageerror", e => check(name + ": no error", false, e.message));
  page.on("dialog", d => { check(name + ": no dialog", false, d.message()); d.dismiss(); });
  page.on("request", r => { if (!r.url().startsWith("file:")) check(name + ": no network", false, r.url()); });
  await page.goto(pathToFileURL(path.join(out, name + ".html")).href);
  await frame(page);
  return page;
}
const frame = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
const text = (page, id) => page.locator("#" + id).innerText();
const shot = (page, name) => page.screenshot({path: path.join(out, name + ".png")});
// Where the middle of an operation's bar is on the page.
const spot = (page, op) => page.evaluate(i => {
  const k = view.layout.where.get(i), box = view.canvas.getBoundingClientRect(), from = Math.max(view.toX(view.layout.left[k]), view.gutter);
  return [box.left + (from + Math.min(view.toX(view.layout.right[k]), view.width)) / 2, box.top + view.toY(view.layout.row[k]) + view.barHeight / 2];
}, op);
const scale = page => page.evaluate(() => view.scale);
// Is this colour of the style sheet to be seen in the middle of the operation's bar?
const painted = (page, op, color) => page.evaluate(([i, name]) => {
  const k = view.layout.where.get(i), ratio = view.canvas.width / view.width, g = view.canvas.getContext("2d");
  const x = Math.min(view.toX(view.layout.right[k]), view.width) - 6, y = view.toY(view.layout.row[k]) + 5;
  const p = g.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
  return "#" + [...p.slice(0, 3)].map(v => v.toString(16).padStart(2, "0")).join("") === view.colors[name];
}, [op, color]);

async function smallViolation() {
  const page = await open("bad");
  check("badge", (await text(page, "badge")).includes("Not linearizable"));
  check("reason", (await text(page, "why")).includes("2 was dequeued and 1 never was"));
  check("core listed with lines", await page.locator(".op").count() === 3 && (await text(page, "why")).includes("line 4"));
  check("the culprit is red", await painted(page, 1, "bad"));
  check("the core is marked", await painted(page, 0, "core"));
  check("others are not", await painted(page, 3, "quiet"));
  await page.mouse.click(...await spot(page, 3));
  check("a click selects", (await text(page, "details")).includes("Deq() \u2192 empty"), await text(page, "details"));
  await page.mouse.move(...await spot(page, 5));
  check("hovering tells", (await text(page, "tip")).includes("Enq(3)"), await text(page, "tip"));
  await shot(page, "bad-hover");
  await page.click(".op.bad");
  check("the list selects", (await text(page, "details")).includes("no order was possible"));
  const before = await scale(page);
  await page.click("#in");
  check("+ zooms in", await scale(page) > before);
  await page.click("#fit");
  await frame(page);
  check("fit shows all", Math.abs(await scale(page) - before) < 1);
  await page.mouse.move(...await spot(page, 1));
  await page.mouse.wheel(0, -400);
  await frame(page);
  check("the wheel zooms", await scale(page) > before * 1.3);
  await page.click("#only");
  await frame(page);
  check("only the violation", await page.evaluate(() => view.layout.ops.length) === 3);
  await shot(page, "bad-only");
  await page.fill("#search", "empty");
  await page.press("#search", "Enter");
  check("search leaves it for others", await page.evaluate(() => view.layout.ops.length) === 9);
  check("search selects", (await text(page, "details")).includes("empty"));
  await page.close();
  for (const scheme of ["light", "dark"]) for (const name of ["bad", "start"]) {
    const p = await open(name, {colorScheme: scheme, deviceScaleFactor: 2});
    if (name === "start") check("start states", (await text(p, "why")).includes("[7 5]"));
    await shot(p, name + "-" + scheme);
    await p.close();
  }
}

async function keyboard() {
  const page = await open("bad");
  await page.keyboard.press("/");
  check("/ goes to the search", await page.evaluate(() => document.activeElement.id) === "search");
  await page.keyboard.type("deq");
  check("matches are counted", (await text(page, "found")).startsWith("5"), await text(page, "found"));
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  check("Enter goes on", (await text(page, "found")).startsWith("2 of 5"), await text(page, "found"));
  await page.keyboard.press("Shift+Enter");
  check("Shift+Enter goes back", (await text(page, "found")).startsWith("1 of 5"), await text(page, "found"));
  await page.keyboard.press("Escape");
  check("Escape leaves", await page.evaluate(() => document.activeElement.id) === "canvas");
  const label = async () => page.locator("#details .label").innerText();
  const first = await label();
  await page.keyboard.press("ArrowRight");
  check("right is the next of the process", await label() === "Enq(4)", [first, await label()]);
  await page.keyboard.press("ArrowDown");
  check("down is another process", await label() === "Deq() \u2192 4", await label());
  const before = await scale(page);
  await page.keyboard.press("+");
  check("+ key zooms", await scale(page) > before);
  await page.keyboard.press("0");
  await page.keyboard.press("v");
  await frame(page);
  check("v shows the violation", await page.evaluate(() => model.core.every(op => view.onScreen(view.layout.where.get(op)))));
  await page.close();
}

async function good() {
  for (const scheme of ["light", "dark"]) {
    const page = await open("good", {colorScheme: scheme, deviceScaleFactor: 2});
    check("badge of a good one", (await text(page, "badge")).includes("Linearizable"));
    check("every operation has a point within it", await page.evaluate(() => {
      const l = view.layout;
      return l.ops.every((op, k) => l.points[k] > l.left[k] && l.points[k] < l.right[k]);
    }));
    check("points are in order", await page.evaluate(() => {
      const l = view.layout;
      return l.path.every((k, i) => !i || l.points[l.path[i - 1]] < l.points[k]);
    }));
    await page.click("#order");
    await frame(page);
    check("order is switched on", await page.evaluate(() => view.showOrder));
    await page.mouse.click(...await spot(page, 4));
    check("details tell the place", /number \d+/.test(await text(page, "details")));
    check("failed operations are told", (await text(page, "notes")).includes("3 operations that failed"));
    await shot(page, "good-" + scheme);
    await page.close();
  }
}

// Frames while panning and zooming must not take long, also with many operations.
async function responsive(name, limit) {
  const size = statSync(path.join(out, name + ".html")).size;
  check(name + ": at most 2 MB", size <= 2e6, size);
  const begun = Date.now(), page = await open(name), opened = Date.now() - begun;
  const worst = await page.evaluate(() => {
    const times = [];
    const time = change => {
      change();
      const t = performance.now();
      drawView(view);
      drawMap(view);
      times.push(performance.now() - t);
    };
    view.showOrder = !!model.gap;
    time(() => view.fit());
    for (let i = 0; i < 12; i++) time(() => view.zoom(1.7));
    for (let i = 0; i < 12; i++) time(() => view.move(view.left + 40, view.top + 30));
    return Math.max(...times);
  });
  const begunSearch = Date.now();
  await page.fill("#search", "deq");
  await page.press("#search", "Enter");
  await frame(page);
  const searched = Date.now() - begunSearch;
  check(name + ": opens in time", opened < 4000, opened);
  check(name + ": draws in time", worst < limit, worst);
  check(name + ": searches in time", searched < 1500, searched);
  console.log(`${name}: ${(size / 1e6).toFixed(2)} MB, opened in ${opened} ms, slowest frame ${worst.toFixed(0)} ms, search ${searched} ms`);
  await page.close();
}

async function large() {
  for (const name of ["large", "scattered", "unknown", "good-large", "wide"]) await responsive(name, 250);
  let page = await open("large");
  check("says which part", /operations [\d,]+.[\d,]+ of 1,000,000/.test(await text(page, "part")), await text(page, "part"));
  check("opens at the violation", await page.evaluate(() => view.onScreen(view.layout.where.get(model.culprit))));
  await shot(page, "large-light");
  await page.fill("#search", "p:3 deq");
  await page.press("#search", "Enter");
  check("search by process and operation", /process\s+3/.test(await text(page, "details")), await text(page, "details"));
  await shot(page, "large-search");
  await page.close();
  page = await open("large", {colorScheme: "dark"});
  await shot(page, "large-dark");
  await page.close();
  page = await open("scattered");
  check("scattered: first the violation alone", await page.evaluate(() => view.layout.ops.length) === 4);
  check("scattered: parts are told", (await text(page, "part")).includes("parts"), await text(page, "part"));
  await shot(page, "scattered");
  await page.click("#only");
  await frame(page);
  check("scattered: breaks are known", await page.evaluate(() => view.layout.breaks.some(b => b.missing > 100000)));
  await page.close();
  page = await open("wide");
  check("500 rows", await page.evaluate(() => view.layout.rows.length) === 500);
  await page.evaluate(() => { document.getElementById("scroller").scrollTop = 5000; });
  await frame(page);
  await frame(page);
  check("rows scroll", await page.evaluate(() => view.top) === 5000, await page.evaluate(() => view.top));
  await shot(page, "wide");
  await page.close();
}

async function odd() {
  let page = await open("hostile");
  check("hostile: title stands", (await page.title()).startsWith("<img"), await page.title());
  check("hostile: two scripts were not added", await page.locator("script").count() === 6, await page.locator("script").count());
  check("hostile: no images", await page.locator("img").count() === 0);
  check("hostile: shown as text", (await text(page, "why")).includes("</script>"));
  await shot(page, "hostile");
  await page.close();
  page = await open("empty");
  check("empty: said", (await text(page, "part")).includes("no operations"));
  await page.keyboard.press("Tab");
  await page.click("#in");
  await page.click("#canvas");
  await page.keyboard.press("ArrowRight");
  await page.close();
  page = await open("bad", {viewport: {width: 420, height: 800}, hasTouch: true});
  check("narrow: no sideways scroll", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await shot(page, "narrow");
  await page.close();
  page = await open("timed");
  await page.click("#clock");
  await frame(page);
  check("real time stretches", await page.evaluate(() => view.layout.left[11] - view.layout.left[10] > 4 * (view.layout.left[2] - view.layout.left[1])));
  await page.mouse.click(...await spot(page, 11));
  check("times are exact", (await text(page, "details")).includes("1700000000000121001 + 900"), await text(page, "details"));
  await shot(page, "timed");
  await page.close();
  page = await browser.newPage({javaScriptEnabled: false});
  await page.goto(pathToFileURL(path.join(out, "bad.html")).href);
  check("without scripts: the text", (await page.locator("noscript").innerText()).includes("verdict: not linearizable"));
  await page.close();
}

// Reports of the program itself, where there is one.
async function real() {
  for (const [name, said] of [["real-bad", "Not linearizable"], ["real-good", "Linearizable"]]) {
    if (!existsSync(path.join(out, name + ".html"))) continue;
    await responsive(name, 250);
    const page = await open(name);
    check(name + ": badge", (await text(page, "badge")).includes(said), await text(page, "badge"));
    if (name === "real-good") await page.click("#order");
    else check(name + ": the violation is listed", await page.locator(".op").count() > 0);
    await frame(page);
    await shot(page, name);
    await page.close();
  }
}

// The page of an execution: steps on the left, the source on the right.
async function execution() {
  if (!existsSync(path.join(out, "execution.html"))) return;
  let page = await open("execution");
  const rows = page.locator("#steps tbody tr"), now = page.locator("#source .now code"), bad = page.locator("#source .bad code");
  check("execution: badge", (await text(page, "badge")).includes("Undefined behaviour"), await text(page, "badge"));
  check("execution: a column for each thread", await page.locator("#steps th").count() === 4);
  check("execution: the first row is selected", (await now.innerText()).includes("push(int v)"), await now.innerText());
  await rows.nth(3).hover();
  check("execution: hovering shows the line", (await now.innerText()).includes("atomic_load(&top)"), await now.innerText());
  await page.focus("#steps");
  await page.keyboard.press("End");
  check("execution: the fault's line", (await bad.innerText()).includes("t->next"), await bad.innerText());
  check("execution: where the others are", (await page.locator("#source").innerText()).includes("A"));
  await page.keyboard.press("ArrowUp");
  check("execution: keys move", await rows.nth(await rows.count() - 2).evaluate(e => e.classList.contains("selected")));
  await shot(page, "execution");
  await page.close();
  page = await open("execution-good");
  check("execution: nothing to step through", await page.locator("#execution").isHidden());
  check("execution: what was searched", (await text(page, "why")).includes("push(1..2), pop()"), await text(page, "why"));
  await page.close();
}

// A proof: lines unfold to the views there, drawn; what a box says fits into it, and boxes do not overlap.
async function proof() {
  if (!existsSync(path.join(out, "proof.html"))) return;
  let page = await open("proof");
  check("proof: small enough", statSync(path.join(out, "proof.html")).size < 4e6);
  check("proof: verdict", (await page.locator(".badge").innerText()) === "linearizable", await page.locator(".badge").innerText());
  check("proof: points", (await page.locator("section").first().innerText()).includes("store prev->next"));
  check("proof: lines that linearize are marked", await page.locator(".at.point").count() === 2, await page.locator(".at.point").count());
  const line = page.locator("details.at", {hasText: "prev->next = n"}).first();
  check("proof: views are folded", !await line.locator("svg").first().isVisible());
  await line.locator("summary").click();
  check("proof: a click unfolds them", await line.locator("svg").first().isVisible());
  await page.evaluate(() => document.querySelectorAll("details").forEach(d => d.open = true));
  const wrong = await page.evaluate(() => {
    const said = [];
    for (const svg of document.querySelectorAll("svg.heap")) {
      const nodes = [...svg.querySelectorAll("g.n")].map(g => ({g, box: g.querySelector("rect:last-of-type").getBBox()})), all = svg.viewBox.baseVal;
      for (const {g, box} of nodes) {
        for (const t of g.querySelectorAll("text")) if (t.getBBox().x + t.getBBox().width > box.x + box.width) said.push("text: " + t.textContent);
        if (box.x + box.width > all.width || box.y + box.height > all.height) said.push("box outside the picture");
        for (const o of nodes) if (o.g !== g && o.box.x < box.x + box.width && box.x < o.box.x + o.box.width && o.box.y < box.y + box.height && box.y < o.box.y + o.box.height) said.push("boxes overlap");
      }
    }
    return said;
  });
  check("proof: pictures", wrong.length === 0, wrong.slice(0, 5));
  check("proof: the page is not wider than the window", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.screenshot({path: path.join(out, "proof.png"), fullPage: false});
  await line.scrollIntoViewIfNeeded();
  await shot(page, "proof-line");
  await page.close();
  page = await open("proof-not", {colorScheme: "dark"});
  check("proof: why not", (await page.locator(".reason").innerText()).includes("outside what prove follows"));
  check("proof: the line that fails is marked", await page.locator(".fails").count() === 1);
  await shot(page, "proof-not");
  await page.close();
}

try {
  await smallViolation();
  await keyboard();
  await good();
  await large();
  await odd();
  await real();
  await execution();
  await proof();
} finally {
  await browser.close();
}
console.log(`browser: ${passed} passed, ${failed} failed; screenshots in ${out}`);
process.exit(failed ? 1 : 0);
