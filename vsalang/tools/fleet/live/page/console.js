// The console. All that devices, screens and models say is untrusted: it is put on the page as text, never as markup.
import { map, phone } from "./drawing.js";

const $ = (id) => document.getElementById(id);
const HIGH = 52;
const URGENT = { asking: 0, failed: 1, silent: 2, running: 3 };
const state = { me: null, columns: [], sessions: new Map(), shown: [], chosen: "", step: 0, view: null, follow: true, news: 0, questions: [], alarms: [] };

function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "click") node.addEventListener("click", value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== "").map((child) => (child instanceof Node ? child : String(child))));
  return node;
}

function say(text) {
  $("say").textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { $("say").textContent = ""; }, 6000);
}

async function get(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (answer.status === 401) { location.reload(); }
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error ? data.error.message : "that is not possible");
  return data;
}

async function post(path, body) {
  const answer = await fetch(path, { method: "POST", credentials: "same-origin", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-Fleet-Token": state.me.csrf } });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error ? data.error.message : "that is not possible");
  return data;
}

const roles = ["see", "approve", "administer"];
const may = (role) => state.me && roles.indexOf(state.me.role) >= roles.indexOf(role);
const keyOf = (row) => `${row.tenant}/${row.session}`;
const time = (text) => { const at = new Date(text); return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString(); };
const place = (row) => `${encodeURIComponent(row.tenant)}/${encodeURIComponent(row.session)}`;
const levels = ["allow", "warn", "flag", "confirm", "block"];
const css = (level) => (levels.includes(level) ? level : "");

// ---- the list: only the rows that show are on the page

const status = (row) => (row.asking ? "asking" : row.state);
const urgent = (row) => URGENT[status(row)] ?? 4;

function arrange() {
  const find = $("find").value.trim().toLowerCase(), wanted = $("state").value, order = $("order").value;
  const rows = [...state.sessions.values()].filter((row) =>
    (!wanted || status(row) === wanted) &&
    (!find || `${row.device} ${row.app} ${row.spec} ${row.tenant} ${row.action}`.toLowerCase().includes(find)));
  const newest = (a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0);
  const byDevice = (a, b) => a.device.localeCompare(b.device) || newest(a, b);
  rows.sort(order === "device" ? byDevice : order === "at" ? newest : (a, b) => urgent(a) - urgent(b) || b.alarms - a.alarms || byDevice(a, b));
  state.shown = rows;
  $("n-sessions").textContent = state.sessions.size;
  paint();
}

function paint() {
  const list = $("list"), room = $("room");
  room.style.height = `${state.shown.length * HIGH}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / HIGH) - 4);
  const last = Math.min(state.shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HIGH) + 4);
  room.replaceChildren(...state.shown.slice(first, last).map((row, nth) => rowOf(row, first + nth)));
  const here = room.querySelector('[aria-selected="true"]');
  if (here) list.setAttribute("aria-activedescendant", here.id); else list.removeAttribute("aria-activedescendant");
}

function rowOf(row, nth) {
  const now = status(row);
  const node = el("div", { class: "session", role: "option", id: `row-${nth}`, "aria-selected": keyOf(row) === state.chosen, "aria-posinset": nth + 1, "aria-setsize": state.shown.length,
    click: () => choose(row) },
    el("div", { class: "one" }, el("b", {}, row.device), el("span", { class: "grow" }, row.spec), el("span", { class: `badge ${now === "asking" ? "confirm" : now === "failed" ? "block" : ""}` }, now)),
    el("div", { class: "two" }, el("span", { class: `level ${css(row.level)}` }, row.level), el("span", { class: "grow" }, row.action || row.app),
      row.alarms ? el("span", { class: "block" }, `${row.alarms} ⚠`) : null, el("span", {}, `${row.steps} steps`), el("span", {}, time(row.at))));
  node.style.top = `${nth * HIGH}px`;
  return node;
}

function move(by) {
  const at = state.shown.findIndex((row) => keyOf(row) === state.chosen);
  const next = Math.min(state.shown.length - 1, Math.max(0, at < 0 ? 0 : at + by));
  if (!state.shown[next]) return;
  state.chosen = keyOf(state.shown[next]);
  const list = $("list"), top = next * HIGH;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + HIGH > list.scrollTop + list.clientHeight) list.scrollTop = top + HIGH - list.clientHeight;
  paint();
}

// ---- one session

async function choose(row) {
  state.chosen = keyOf(row);
  state.follow = true;
  document.querySelector("main").classList.add("open");
  show("sessions");
  paint();
  await load(row);
}

async function load(row) {
  try {
    const view = await get(`/api/session/${place(row)}`);
    if (keyOf(row) !== state.chosen) return;
    state.view = { ...view, row };
    const events = view.events;
    if (state.follow || !events.some((event) => event.line === state.step)) {
      const steps = events.filter((event) => event.kind === "step");
      state.step = (steps.length ? steps[steps.length - 1] : events[events.length - 1] || { line: 0 }).line;
    }
    detail();
    await Promise.all([step(), mapped()]);
  } catch (error) { say(error.message); }
}

function detail() {
  const { row, events, facts } = state.view;
  const now = state.sessions.get(keyOf(row)) || row;
  const done = ["completed", "not completed", "ended", "closed"].includes(now.state);
  const head = el("div", { class: "head" },
    el("button", { class: "close", type: "button", click: () => document.querySelector("main").classList.remove("open") }, "Back"),
    el("h2", {}, now.device), el("span", { class: "badge", id: "now" }, status(now)), el("span", { class: "dim" }, `${now.spec} · ${now.app}`),
    now.ending ? el("span", { class: "block" }, `ended by ${now.ending}`) : null,
    may("approve") && !done && !now.ending ? el("button", { class: "no", type: "button", id: "end", click: () => end(now) }, "End this session") : null);
  const place = el("div", { id: "screen" });
  const range = el("input", { type: "range", id: "travel", min: 0, max: Math.max(0, events.length - 1), "aria-label": "Step" });
  range.value = String(events.findIndex((event) => event.line === state.step));
  range.addEventListener("input", () => travel(Number(range.value) - current()));
  const steps = el("ol", { class: "steps", id: "steps" }, ...events.map((event) => el("li", {},
    el("button", { type: "button", "data-line": event.line, "aria-current": event.line === state.step, click: () => { state.follow = false; state.step = event.line; step(); } },
      el("span", { class: "n" }, event.step ?? ""), el("span", { class: `level ${css(event.level)}` }, event.level || event.kind), el("span", { class: "grow" }, event.title), event.surprise ? el("span", { class: "warn" }, "!") : null))));
  const about = el("p", { class: "dim" }, facts.map(([name, value]) => `${name}: ${value}`).join(" · "));
  $("detail").replaceChildren(head, about, el("div", { class: "columns" },
    el("div", {}, place, el("div", { class: "travel" }, el("button", { type: "button", click: () => travel(-1), "aria-label": "One step back" }, "←"), range,
      el("button", { type: "button", click: () => travel(1), "aria-label": "One step on" }, "→"))),
    el("div", {}, el("div", { id: "what" }), steps)), el("div", { id: "map" }));
}

const current = () => state.view.events.findIndex((event) => event.line === state.step);

function travel(by) {
  if (!state.view) return;
  const events = state.view.events, next = Math.min(events.length - 1, Math.max(0, current() + by));
  if (!events[next]) return;
  state.follow = next === events.length - 1;
  state.step = events[next].line;
  step();
}

async function step() {
  const { row } = state.view, line = state.step;
  $("travel").value = String(current());
  for (const button of $("steps").querySelectorAll("button")) button.setAttribute("aria-current", String(Number(button.dataset.line) === line));
  const here = $("steps").querySelector('[aria-current="true"]');
  if (here) { // within its list: the page itself stays where it is
    const list = $("steps"), top = here.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + here.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  }
  if (!line) return;
  try {
    const data = await get(`/api/step/${place(row)}/${line}`);
    if (line !== state.step) return;
    $("screen").replaceChildren(phone(data.drawing, data.target));
    $("what").replaceChildren(...whatOf(data));
  } catch (error) { say(error.message); }
}

function whatOf(data) {
  const parts = [el("h3", {}, el("span", { class: `level ${css(data.level)}` }, data.level), " ", data.title)];
  if (data.outcome) parts.push(el("p", {}, data.outcome));
  if (data.note) parts.push(el("p", { class: "dim" }, `The agent says: ${data.note}`));
  if (data.target && data.target.text) parts.push(el("p", {}, `It touches “${data.target.text}”`, data.target.about ? ` (${data.target.about})` : ""));
  for (const action of data.does || []) parts.push(el("p", {}, "It does ", el("code", {}, action)));
  for (const reason of data.reasons || []) parts.push(reasonOf(reason));
  for (const text of [...(data.surprises || []), ...(data.looks || [])]) parts.push(el("p", { class: "warn" }, text));
  if (data.shown && data.shown.length) parts.push(el("p", { class: "dim" }, `On ${data.shown.join(", ")}, ${data.clock}`));
  return parts;
}

function reasonOf(reason) {
  return el("div", { class: `reason ${css(reason.level)}` }, el("p", {}, reason.message), ...reason.conditions.map((text) => el("p", { class: "dim" }, text)),
    el("p", {}, reason.rule ? el("b", {}, reason.rule, " ") : null, reason.source ? el("span", { class: "dim" }, `${reason.source.file}:${reason.source.line} `) : null,
      reason.source ? el("code", {}, reason.source.text) : null));
}

async function mapped() {
  const { row } = state.view;
  const data = await get(`/api/map/${place(row)}`);
  if (keyOf(row) !== state.chosen || !$("map")) return;
  $("map").replaceChildren(el("h3", {}, "Where it is"), data.plan ? el("p", {}, `The plan: ${data.plan}`) : "", el("div", { class: "scroll" }, map(data)),
    data.left_out ? el("p", { class: "dim" }, `${data.left_out} more screens`) : "");
}

async function end(row) {
  const reason = prompt(`Why is the session of ${row.device} to end?`);
  if (!reason) return;
  try {
    await post("/api/end", { tenant: row.tenant, session: row.session, reason });
    say("The device is told with its next word.");
  } catch (error) { say(error.message); }
}

// ---- questions

function asked() {
  const bar = $("questions");
  bar.hidden = !state.questions.length;
  bar.replaceChildren(...state.questions.map((question) => el("button", { type: "button", click: () => ask(question) },
    `${question.device} asks: ${question.message.split("\n").pop()}`)));
  document.title = state.questions.length ? `(${state.questions.length}) Fleet` : "Fleet";
  const open = $("ask");
  if (open.open && open.dataset.hash && !state.questions.some((question) => question.hash === open.dataset.hash)) { open.close(); say("The question is over."); }
}

async function ask(question) {
  const box = $("ask");
  try {
    const data = await get(`/api/question/${encodeURIComponent(question.tenant)}/${encodeURIComponent(question.hash)}`);
    const until = Date.now() + data.seconds * 1000;
    const left = el("span", { class: "dim", id: "left" });
    const reasons = data.reasons.map((reason) => el("div", { class: `reason ${css(reason.level)}` }, el("p", {}, reason.message), el("p", {}, el("b", {}, reason.rule))));
    const refuse = el("button", { type: "button", class: "no", id: "refuse", click: () => answer(data, "no") }, "Refuse");
    box.dataset.hash = data.hash;
    box.replaceChildren(el("h2", { id: "ask-title" }, `${data.device} asks`), el("div", { class: "columns" },
      el("div", {}, data.drawing ? phone(data.drawing, data.target) : el("p", { class: "block" }, "The screen has not arrived: this can only be refused.")),
      el("div", {}, el("pre", {}, data.message), ...reasons, el("p", { class: "dim" }, `Screen ${data.screen.slice(0, 12)}, question ${data.hash.slice(0, 12)}. Your answer counts for exactly this, once. No answer is a no.`), left)),
      el("div", { class: "do" }, el("button", { type: "button", click: () => box.close() }, "Later"), may("approve") ? refuse : null,
        may("approve") && data.drawing ? el("button", { type: "button", class: "main", id: "approve", click: () => answer(data, "yes") }, "Approve") : null));
    if (!box.open) box.showModal();
    (may("approve") ? refuse : box).focus();
    clearInterval(ask.timer);
    ask.timer = setInterval(() => {
      const seconds = Math.max(0, Math.round((until - Date.now()) / 1000));
      left.textContent = `${seconds} s left`;
      if (!seconds || !box.open) clearInterval(ask.timer);
    }, 250);
  } catch (error) { say(error.message); }
}

async function answer(question, word) {
  try {
    const data = await post("/api/answer", { tenant: question.tenant, question: question.hash, screen: question.screen, answer: word });
    say(data.answer === "yes" ? "Approved: the guard takes it if it is in time." : "Refused.");
  } catch (error) { say(error.message); }
  $("ask").close();
}

// ---- alarms, figures, trail

function alarmRow(alarm) {
  const go = () => choose(state.sessions.get(`${alarm.tenant}/${alarm.session}`) || alarm);
  const row = el("tr", { class: "go", tabindex: 0, click: go }, el("td", {}, time(alarm.at)), el("td", { class: `level ${css(alarm.level)}` }, alarm.level), el("td", {}, alarm.device),
    el("td", {}, alarm.app), el("td", {}, alarm.rule || alarm.kind), el("td", {}, alarm.category), el("td", {}, alarm.text, alarm.effect ? el("div", {}, el("code", {}, alarm.effect)) : null));
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") go(); });
  return row;
}

async function alarms(older = false) {
  const fields = new URLSearchParams(new FormData($("alarm-filter")));
  if (older && state.oldest) fields.set("before", state.oldest);
  try {
    const { alarms: rows } = await get(`/api/alarms?${fields}`);
    if (rows.length) state.oldest = rows[rows.length - 1].id;
    const nodes = rows.map(alarmRow);
    if (older) $("alarm-rows").append(...nodes); else $("alarm-rows").replaceChildren(...nodes);
    $("older").hidden = rows.length < 200;
    if (!older) { state.news = 0; $("n-alarms").textContent = ""; }
  } catch (error) { say(error.message); }
}

function bars(title, rows) {
  const most = Math.max(1, ...rows.map(([, number]) => number));
  return rows.length ? el("section", {}, el("h3", {}, title), el("div", { class: "bars" }, ...rows.flatMap(([name, number]) =>
    [el("span", { title: name }, name), el("meter", { min: 0, max: most, value: number }, number), el("span", {}, number)]))) : "";
}

async function figures() {
  try {
    const data = await get("/api/figures");
    const card = (name, number) => el("div", { class: "card" }, el("b", {}, number), name);
    $("figures").replaceChildren(el("div", { class: "cards" }, ...Object.entries(data.sessions).map(([name, number]) => card(`${name} sessions`, number)), card("steps", data.steps), card("open questions", data.questions)),
      bars("Verdicts", Object.entries(data.levels)), bars("Alarms by rule", data.alarms.rule), bars("Alarms by category", data.alarms.category), bars("Alarms by effect", data.alarms.effect),
      bars("Alarms by app", data.alarms.app), bars("Alarms by device", data.alarms.device), bars("Alarms by kind", data.alarms.kind));
  } catch (error) { say(error.message); }
}

async function trail() {
  try {
    const data = await get("/api/trail");
    const about = (row) => Object.entries(row).filter(([name]) => !["at", "by", "kind", "number"].includes(name)).map(([name, value]) => `${name}: ${String(value).slice(0, 80)}`).join(", ");
    const revoke = async (name) => {
      if (!confirm(`End the token of ${name}?`)) return;
      try { await post("/api/revoke", { name }); trail(); } catch (error) { say(error.message); }
    };
    $("trail").replaceChildren(el("p", { class: "dim" }, `Head of the trail: ${data.head}`),
      el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, ...data.trail.map((row) => el("tr", {}, el("td", {}, row.number), el("td", {}, row.at), el("td", {}, row.by), el("td", {}, row.kind), el("td", {}, about(row))))))),
      el("h3", {}, "Tokens"), el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, ...data.holders.map((one) => el("tr", {}, el("td", {}, one.name), el("td", {}, one.tenant), el("td", {}, one.role || "device"),
        el("td", {}, el("button", { type: "button", click: () => revoke(one.name) }, "Revoke"))))))));
  } catch (error) { say(error.message); }
}

function show(view) {
  for (const panel of document.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== view;
  for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  if (view === "alarms") alarms();
  if (view === "figures") figures();
  if (view === "trail") trail();
  if (view === "sessions") paint();
}

// ---- what changes

let again = 0, loading = 0;

function soon() {
  if (!again) again = setTimeout(() => { again = 0; arrange(); }, 150);
}

function listen() {
  const source = new EventSource("/api/events");
  const on = (kind, take) => source.addEventListener(kind, (event) => take(JSON.parse(event.data)));
  source.onopen = () => { $("link").textContent = "live"; $("link").className = ""; state.sessions.clear(); };
  source.onerror = () => { $("link").textContent = "the server is away"; $("link").className = "away"; };
  on("columns", (columns) => { state.columns = columns; });
  on("sessions", (rows) => {
    for (const values of rows) {
      const row = Object.fromEntries(state.columns.map((name, nth) => [name, values[nth]]));
      state.sessions.set(keyOf(row), row);
      if (keyOf(row) === state.chosen && state.view && !loading) {
        loading = setTimeout(() => { loading = 0; if (keyOf(row) === state.chosen) load(state.sessions.get(state.chosen)); }, 700);
      }
    }
    soon();
  });
  on("alarms", (rows) => {
    state.news += rows.length;
    $("n-alarms").textContent = state.news;
    if (!$("alarms").hidden && !new FormData($("alarm-filter")).values().some?.((value) => value)) $("alarm-rows").prepend(...rows.reverse().map(alarmRow));
  });
  on("questions", (questions) => { state.questions = questions; asked(); });
  on("leave", () => location.reload());
}

function keys(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) && document.activeElement.type !== "range";
  if ($("ask").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { document.activeElement.blur(); document.querySelector("main").classList.remove("open"); return; }
  if (typing) return;
  const inList = document.activeElement === $("list") || document.activeElement === document.body;
  if (event.key === "/") { event.preventDefault(); $("find").focus(); }
  else if ((event.key === "ArrowDown" || event.key === "j") && inList) { event.preventDefault(); move(1); }
  else if ((event.key === "ArrowUp" || event.key === "k") && inList) { event.preventDefault(); move(-1); }
  else if (event.key === "Enter" && inList) { const row = state.sessions.get(state.chosen); if (row) choose(row); }
  else if (event.key === "ArrowLeft" && document.activeElement.type !== "range") travel(-1);
  else if (event.key === "ArrowRight" && document.activeElement.type !== "range") travel(1);
  else if (event.key === "q" && state.questions.length) ask(state.questions[0]);
}

async function begin() {
  state.me = await get("/api/me");
  $("who").textContent = `${state.me.name}, ${state.me.role}, ${state.me.tenant === "*" ? "all tenants" : state.me.tenant}`;
  document.querySelector('[data-view="trail"]').hidden = !may("administer");
  for (const button of document.querySelectorAll("[data-view]")) button.addEventListener("click", () => show(button.dataset.view));
  for (const id of ["find", "state", "order"]) $(id).addEventListener("input", arrange);
  $("filter").addEventListener("submit", (event) => event.preventDefault());
  $("list").addEventListener("scroll", paint, { passive: true });
  addEventListener("resize", paint);
  $("alarm-filter").addEventListener("submit", (event) => { event.preventDefault(); alarms(); });
  $("older").addEventListener("click", () => alarms(true));
  $("theme").addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches, root = document.documentElement;
    root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  });
  $("leave").addEventListener("click", async () => { await post("/logout", {}); location.reload(); });
  document.addEventListener("keydown", keys);
  listen();
}

begin().catch((error) => say(error.message));
