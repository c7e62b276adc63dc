// The installed apps, with what runs and what it uses.

import { showApp } from "./app.js";
import { api, claim, emptyState, format, h, icon, live } from "./dashboard.js";
import { installPanel } from "./install.js";
import { texts } from "./page-texts.js";
import { button, load, notice, panel, table, until } from "./parts.js";
import { isAlive, Meter, newestRun, openPage, percent, runWord } from "./runs.js";

const words = texts.apps;

export default {
  title: ({ app } = {}) => app ?? words.title,
  async show(main, { params, signal }) {
    if (params?.app) await showApp(main, params.app, signal);
    else await showList(main, signal);
  },
};

async function showList(main, signal) {
  const place = h("div", { class: "stack" });
  const subtitle = h("p", {});
  const installer = installPanel(signal, () => reload());
  main.replaceChildren(
    h("div", { class: "head" },
      h("div", {}, h("h1", {}, words.title), subtitle),
      h("div", { class: "actions" },
        button(words.install, () => installer.choose(), { sign: "add", kind: "main" }))),
    h("div", { class: "with-aside" }, place,
      h("aside", { class: "stack", "aria-label": words.install }, installer.element)),
  );
  installer.acceptDrops(main);
  const meter = new Meter();
  const rows = new Map();
  let isRead = false;
  const showRuns = (body) => {
    const runs = meter.read(body);
    if (!isRead) return;
    subtitle.textContent = words.count(rows.size, runs.filter(isAlive).length);
    for (const [name, cells] of rows) cells.update(newestRun(runs, name));
  };
  const read = async () => {
    const [apps, runs] = await Promise.all([api("/apps", { signal }), api("/runs", { signal })]);
    return { apps: apps.items, runs };
  };
  const show = ({ apps, runs }) => {
    rows.clear();
    isRead = true;
    subtitle.textContent = words.count(apps.length, 0);
    if (!apps.length) {
      return emptyState("apps", words.none, h("p", {}, words.dropHere),
        h("p", {}, button(words.choose, () => installer.choose())));
    }
    const columns = words.columns;
    const lines = apps.map((app) => {
      const cells = new AppRow(app, signal);
      rows.set(app.name, cells);
      return cells.cells;
    });
    const list = panel(words.installed, {}, table(words.installed, columns, lines, "roomy"));
    setTimeout(() => showRuns(runs));
    return list;
  };
  const reload = () => load(place, signal, words.theApps, read, show);
  await reload();
  until(signal, live.on("runs", showRuns));
}

class AppRow {
  #run = h("div", {});
  #cpu = h("span", {});
  #memory = h("span", {});
  #calls = h("span", {});
  #app;

  constructor(app, signal) {
    this.#app = app;
    const allowed = app.privileges.filter(({ state }) => state === "granted").length;
    const line = notice();
    const isPublished = app.generation !== undefined;
    this.cells = [
      h("div", { class: "app" }, appIcon(app, signal),
        h("div", {}, h("a", { href: `/apps/${app.name}` }, app.name),
          app.title ? h("span", { class: "under" }, claim(app.title)) : [], line)),
      this.#run, this.#cpu, this.#memory, this.#calls,
      isPublished ? words.asksAtUse : words.allowedOf(allowed, app.privileges.length),
      button(words.openPage, (event) => openPage(app.name, line, event.currentTarget),
        { kind: "plain", about: app.name }),
    ];
    this.update(app.lastRun);
  }

  update(run = this.#app.lastRun) {
    this.#run.replaceChildren(runWord(run));
    this.#cpu.textContent = run?.rates ? percent(run.rates.cpu) : "–";
    this.#memory.textContent = run?.rates ? format.bytes(run.usage.memory) : "–";
    this.#calls.textContent = run?.rates ? words.perMinute(format.number(Math.round(run.rates.calls))) : "–";
  }
}

/** The icon of a published package; a sign of the host for all others. */
function appIcon(app, signal) {
  const place = h("span", { class: "app-icon" }, icon("apps"));
  if (app.generation !== undefined) showIcon(app.name, place, signal);
  return place;
}

async function showIcon(name, place, signal) {
  try {
    const answer = await api(`/apps/${encodeURIComponent(name)}/icon`, { raw: true, signal });
    if (!answer.ok) return;
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      place.replaceChildren(h("img", { src: reader.result, alt: "", width: "28", height: "28" }));
    });
    reader.readAsDataURL(await answer.blob());
  } catch {
    // It has no icon: the sign stays.
  }
}
