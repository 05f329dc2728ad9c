// A module: its names are invisible to the page and to other scripts. All shown content comes from the page's data.

const MOST_ROWS = 60;
const $ = (id) => document.getElementById(id);
const text = (value) => String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const packed = Uint8Array.from(atob($("data").textContent.trim()), (sign) => sign.charCodeAt(0));
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const { clauses, requirements, glyphs, again, repro } = JSON.parse(await new Response(stream).text());
const byId = new Map(requirements.map((one) => [one.id, one]));
for (const one of requirements) one.words = `${one.id} ${one.statement} ${one.level} ${one.message}`.toLowerCase();
const causes = [...document.querySelectorAll(".cause")].map((item) => [item, item.dataset.requirements.split(" ")]);
const chips = [...document.querySelectorAll(".chip")];
const state = { verdicts: new Set(), operation: "", kind: "", clause: "", text: "" };
let shown = [], all = false, clauseState = "";

// The filter: `#q=...&verdict=fail,warn&operation=X&kind=error&clause=C` in the address, or the id of an element to show.

function readAddress() {
  const hash = location.hash.slice(1);
  if (!hash.includes("=")) return decodeURIComponent(hash);
  const given = new URLSearchParams(hash);
  state.verdicts = new Set((given.get("verdict") || "").split(",").filter(Boolean));
  for (const name of ["operation", "kind", "clause"]) state[name] = given.get(name) || "";
  state.text = $("search").value = given.get("q") || "";
  return "";
}

function writeAddress() {
  const given = new URLSearchParams();
  if (state.text) given.set("q", state.text);
  if (state.verdicts.size) given.set("verdict", [...state.verdicts].join(","));
  for (const name of ["operation", "kind", "clause"]) if (state[name]) given.set(name, state[name]);
  history.replaceState(null, "", `#${given}`);
}

function show() {
  const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  shown = requirements.filter((one) => (!state.verdicts.size || state.verdicts.has(one.verdict))
    && (!state.operation || one.operations.includes(state.operation))
    && (!state.kind || one.kind === state.kind)
    && (!state.clause || clauses[one.clause].id === state.clause)
    && wanted.every((word) => one.words.includes(word)));
  $("requirements").innerHTML = (all ? shown : shown.slice(0, MOST_ROWS)).map(row).join("");
  $("more").hidden = all || shown.length <= MOST_ROWS;
  $("more").textContent = `show all ${shown.length}`;
  const ids = new Set(shown.map((one) => one.id));
  for (const [item, members] of causes) item.hidden = !members.some((id) => ids.has(id));
  const about = [state.operation, state.kind, state.clause].filter(Boolean).join(", ");
  $("count").textContent = `${shown.length} of ${requirements.length}${about ? ` · ${about}` : ""}`;
  $("nothing").hidden = shown.length > 0;
  for (const chip of chips) chip.setAttribute("aria-pressed", state.verdicts.has(chip.dataset.verdict));
}

function change(values) {
  Object.assign(state, values);
  all = false;
  show();
  writeAddress();
}

function clear() {
  $("search").value = "";
  change({ verdicts: new Set(), operation: "", kind: "", clause: "", text: "" });
}

// Cards

const mark = (verdict) => `<span class="mark ${verdict}" title="${verdict}">${glyphs[verdict]}</span>`;

function row(one) {
  return `<details class="requirement ${one.verdict}" id="${text(one.id)}"><summary>${mark(one.verdict)}
    <span class="level">${one.level}</span><span class="statement">${text(one.statement)}</span>
    <code class="id">${text(one.id)}</code></summary></details>`;
}

function card(one) {
  const clause = clauses[one.clause];
  const places = clause.place.map((place) => place.startsWith("https://")
    ? `<a href="${text(place)}">${text(place)}</a>` : `<code>${text(place)}</code>`).join(", ");
  return `<div class="card">${one.message ? `<pre class="message">${text(one.message)}</pre>` : ""}
    ${one.cause ? `<p class="meta">Cause <a href="#cause-${one.cause}">${one.cause}</a></p>` : ""}
    ${one.blocker ? `<p>Blocked by <a href="#${text(one.blocker)}"><code>${text(one.blocker)}</code></a>.</p>` : ""}
    <p><a href="#clause-${text(clause.id)}"><b>${text(clause.id)}</b></a> ${text(clause.text)}
    <small>(source: ${text(clause.source)}${places ? `, ${places}` : ""})</small></p>
    ${clause.said ? `<blockquote class="said">${text(clause.said)}</blockquote>` : ""}
    <p class="meta">${one.kind} · ${text(one.operations.join(", "))} · ${one.requests} requests · ${one.ms} ms ·
    <code>${text(one.where)}</code> <a class="permalink" href="#${text(one.id)}">link</a></p>
    ${one.timeline}
    ${one.worlds.length ? `<p class="meta">Also tested in ${one.worlds.map((world) => `<code>${text(world)}</code>`).join("; ")}</p>` : ""}
    ${pasted(`${again} ${one.again}`, "again")}
    ${one.steps.length && ["fail", "warn", "known"].includes(one.verdict) ? pasted(repro.replace("ID", one.id), "repro") : ""}
    ${one.steps.length ? steps(one) : ""}</div>`;
}

function steps(one) {
  const folder = one.reads ? folderOfPage() : "";
  return `${one.doubt ? `<p class="meta">These commands alone may not show it: ${text(one.doubt)}.</p>` : ""}
    ${one.reads && !folder ? '<p class="meta">Paste these in the folder of this report: they read files there.</p>' : ""}
    ${one.first ? pasted(folder + one.first, "first") : ""}
    ${one.before.length ? `<p class="meta">These first create what the steps depend on; it is not dropped.</p>
    <ol class="steps before">${one.before.map(({ curl, status }) => `<li>${pasted(curl, "")}<div class="answers"><div>${statusOf(status, false)}</div></div></li>`).join("")}</ol><p class="meta">The steps:</p>` : ""}
    <ol class="steps">${one.steps.map(stepOf).join("")}</ol>`;
}

function pasted(words, name) {
  return `<div class="curl ${name}">${command(words)} <button type="button" class="copy">copy</button></div>`;
}

// The command that changes to the page's folder, where the files for commands lie, if the page is on this machine.

function folderOfPage() {
  if (location.protocol !== "file:") return "";
  const path = decodeURIComponent(location.pathname.replace(/[^/]*$/, ""));
  return `cd '${path.replaceAll("'", `'\\''`)}'\n`;
}

function stepOf(step) {
  const lines = step.lines.map(([line, marked]) => (marked ? `<mark>${text(line)}</mark>` : text(line))).join("\n");
  return `<li${step.offending ? ' class="offending"' : ""}><div class="curl">${command(step.curl)}
    <button type="button" class="copy">copy</button></div>
    ${step.sent.length ? `<pre class="sent">${text(step.sent.join("\n"))}</pre>` : ""}
    <div class="answers"><div><small>${step.reference ? "this server " : ""}</small>${statusOf(step.status, step.bad)}
    ${step.note ? `<code class="marked">${text(step.note)}</code>` : ""}${answer(lines, "")}</div>
    ${step.reference ? `<div><small>the reference server, same request </small>${statusOf(step.reference[0], false)}
      ${answer(text(step.reference.slice(1).join("\n")), "due")}</div>` : ""}</div></li>`;
}

const statusOf = (words, bad) => `<code class="status${bad ? " marked" : ""}">${text(words)}</code>`;

// The body alone, so that selecting or copying it gives JSON.

function answer(html, due) {
  return `<div class="body"><pre class="answer ${due}">${html}</pre><button type="button" class="copy">copy</button></div>`;
}

function command(curl) {
  const short = curl.replace(/echo [A-Za-z0-9+/=]{80,}/, (words) => `${words.slice(0, 40)}…`);
  return `<code${short === curl ? "" : ` data-full="${text(curl)}" title="The button copies the whole command."`}>${text(short)}</code>`;
}

function open(item, one) {
  if (item.querySelector(".card")) return;
  item.insertAdjacentHTML("beforeend", card(one));
  requestAnimationFrame(() => { // the mark of a long answer would be out of sight
    for (const mark of item.querySelectorAll(".answer mark:first-of-type")) {
      mark.parentElement.scrollTop = mark.offsetTop - mark.parentElement.clientHeight / 2;
    }
  });
}

// The document

const SIGNS = { tested: "✓", excluded: "–", missing: "○" };

function showClauses() {
  const worst = new Map();
  for (const one of requirements) {
    const about = worst.get(one.clause) || [one.verdict, 0];
    worst.set(one.clause, [about[0], about[1] + 1]);
  }
  let group = "";
  const parts = clauses.map((clause, place) => {
    if (clauseState && clause.state !== clauseState) return "";
    const [verdict, count] = worst.get(place) || ["", 0];
    const title = clause.group === group ? "" : `<h3>${text(group = clause.group)}</h3>`;
    const tests = count ? `<a href="#clause=${text(clause.id)}">${mark(verdict)} ${count}</a>` : "";
    const why = clause.why ? ` <small>Not tested: ${text(clause.why)}</small>` : "";
    return `${title}<div class="clause-row" id="clause-${text(clause.id)}"><span class="state-${clause.state}"
      title="${clause.state}">${SIGNS[clause.state]}</span><span class="level">${clause.level}</span>
      <span>${text(clause.text)}${why} <small>${text(clause.id)}</small></span><span>${tests}</span></div>`;
  });
  $("clauses").innerHTML = parts.join("");
  $("states").innerHTML = Object.keys(SIGNS).map((name) => `<button type="button" data-state="${name}"
    aria-pressed="${clauseState === name}">${SIGNS[name]} ${clauses.filter((one) => one.state === name).length}
    ${name}</button>`).join("");
}

// User actions

$("requirements").addEventListener("toggle", (event) => {
  if (event.target.open) open(event.target, byId.get(event.target.id));
}, true);
$("states").addEventListener("click", (event) => {
  const wanted = event.target.dataset.state;
  if (wanted) { clauseState = clauseState === wanted ? "" : wanted; showClauses(); }
});
for (const chip of chips) {
  chip.addEventListener("click", () => {
    const verdicts = new Set(state.verdicts);
    if (!verdicts.delete(chip.dataset.verdict)) verdicts.add(chip.dataset.verdict);
    change({ verdicts });
  });
}
document.querySelector(".matrix").addEventListener("click", (event) => {
  const cell = event.target.closest("[data-operation]");
  if (!cell) return;
  change({ verdicts: new Set(), operation: cell.dataset.operation, kind: cell.dataset.kind || "", clause: "" });
  $("list-title").scrollIntoView();
});
document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (!button) return;
  event.preventDefault();
  copy(button.previousElementSibling.dataset.full || button.previousElementSibling.textContent).then(() => {
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1200);
  });
});

async function copy(words) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(words);
  const area = Object.assign(document.createElement("textarea"), { value: words });
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

function move(step) {
  const rows = [...document.querySelectorAll("#requirements > details > summary")];
  const next = rows[Math.min(Math.max(rows.indexOf(document.activeElement) + step, 0), rows.length - 1)];
  if (next) next.focus();
}

$("search").addEventListener("input", () => change({ text: $("search").value.trim() }));
$("more").addEventListener("click", () => { all = true; show(); });
for (const id of ["clear", "clear2"]) $(id).addEventListener("click", clear);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { $("search").blur(); clear(); return; }
  if (event.target === $("search")) return;
  if (event.key === "/") { event.preventDefault(); $("search").focus(); }
  if (event.key === "j" || event.key === "k") { event.preventDefault(); move(event.key === "j" ? 1 : -1); }
});
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
addEventListener("beforeprint", () => { all = true; show(); });

function goTo(id) {
  if (byId.has(id) && !$(id)) {
    $("search").value = "";
    Object.assign(state, { verdicts: new Set(), operation: "", kind: "", clause: "", text: id });
    $("search").value = id;
    show();
  }
  const item = $(id);
  if (!item) return;
  const inner = item.matches("details") ? item : item.querySelector("details");
  if (inner) inner.open = true;
  if (byId.has(id)) open(item, byId.get(id));
  item.scrollIntoView();
}

function follow() {
  const id = readAddress();
  if (id) { goTo(id); return; }
  show();
  if (state.clause) $("list-title").scrollIntoView();
}
addEventListener("hashchange", follow);
showClauses();
show();
follow();
