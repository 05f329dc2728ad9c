"use strict";
(() => {
  const list = [...document.querySelectorAll(".requirement")];
  const causes = [...document.querySelectorAll(".cause")].map((item) => [item, item.dataset.requirements.split(" ")]);
  const byId = new Map(list.map((item) => [item.id, item]));
  const words = new Map(list.map((item) => [item, item.querySelector("summary").textContent.toLowerCase()]));
  const search = document.getElementById("search");
  const state = { verdicts: new Set(), operation: "", kind: "", text: "" };

  function matches(item) {
    const data = item.dataset;
    return (!state.verdicts.size || state.verdicts.has(data.verdict))
      && (!state.operation || data.operations.split(" ").includes(state.operation))
      && (!state.kind || data.kind === state.kind)
      && state.text.split(/\s+/).every((word) => words.get(item).includes(word));
  }

  function show() {
    let shown = 0;
    for (const item of list) {
      item.hidden = !matches(item);
      shown += !item.hidden;
    }
    for (const [item, ids] of causes) item.hidden = ids.every((id) => byId.get(id).hidden);
    const about = [state.operation, state.kind].filter(Boolean).join(", ");
    document.getElementById("count").textContent = `${shown} of ${list.length}${about ? ` · ${about}` : ""}`;
    document.getElementById("nothing").hidden = shown > 0;
    for (const chip of document.querySelectorAll(".chip")) {
      chip.setAttribute("aria-pressed", state.verdicts.has(chip.dataset.verdict));
    }
  }

  function clear() {
    state.verdicts.clear();
    state.operation = state.kind = state.text = search.value = "";
    show();
  }

  for (const chip of document.querySelectorAll(".chip")) {
    chip.addEventListener("click", () => {
      const verdict = chip.dataset.verdict;
      if (!state.verdicts.delete(verdict)) state.verdicts.add(verdict);
      show();
    });
  }
  for (const cell of document.querySelectorAll("[data-operation]")) {
    cell.addEventListener("click", () => {
      state.verdicts.clear();
      state.operation = cell.dataset.operation;
      state.kind = cell.dataset.kind || "";
      show();
      document.getElementById("list-title").scrollIntoView({ behavior: "smooth" });
    });
  }
  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      copy(button.previousElementSibling.textContent).then(() => {
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 1200);
      });
    });
  }

  async function copy(text) {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }

  function move(step) {
    const visible = list.filter((item) => !item.hidden).map((item) => item.querySelector("summary"));
    const at = visible.indexOf(document.activeElement);
    const next = visible[Math.min(Math.max(at + step, 0), visible.length - 1)];
    if (next) next.focus();
  }

  search.addEventListener("input", () => { state.text = search.value.trim().toLowerCase(); show(); });
  document.getElementById("clear").addEventListener("click", clear);
  document.getElementById("clear2").addEventListener("click", clear);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { search.blur(); clear(); return; }
    if (event.target === search) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    if (event.key === "j" || event.key === "k") { event.preventDefault(); move(event.key === "j" ? 1 : -1); }
  });
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  addEventListener("hashchange", openTarget);
  function openTarget() {
    const item = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!item || !item.matches(".requirement, .cause")) return;
    if (item.hidden) clear();
    item.querySelector("details").open = true;
    item.scrollIntoView();
  }
  show();
  openTarget();
})();
