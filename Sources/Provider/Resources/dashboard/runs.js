// Runs of apps: their states, and what they use of the machine.

import { api, format, h } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { perform, stateWord } from "./parts.js";

const words = texts.apps;

export const isAlive = ({ state }) => state === "running" || state === "waiting";

/** The use of the processor and the number of calls between two reports about the same run. */
export class Meter {
  #last = new Map();

  /** Adds rates to runs: `cpu` in percent of a core, `calls` a minute. */
  read({ items }, now = Date.now()) {
    return items.map((run) => {
      const last = this.#last.get(run.run);
      const before = last && now - last.at >= 1000 ? last : last?.before;
      const since = before ?? { at: run.started, cpu: 0, calls: 0 };
      const span = Math.max(1, now - since.at);
      const rates = {
        cpu: (100 * (run.usage.cpu - since.cpu)) / span,
        calls: (6e4 * (run.usage.calls - since.calls)) / span,
      };
      if (!last || now - last.at >= 1000) {
        this.#last.set(run.run, { at: now, cpu: run.usage.cpu, calls: run.usage.calls, before });
      }
      return { ...run, rates: isAlive(run) ? rates : undefined };
    });
  }
}

export function runWord(run) {
  if (!run) return stateWord("", "stop", words.neverRan);
  if (run.state === "running") {
    return h("span", { class: "state live" },
      h("span", {}, words.running));
  }
  if (run.state === "waiting") return stateWord("warn", "stale", words.waitsForRestart);
  if (run.state === "prepared") return stateWord("", "pause", words.prepared);
  if (run.gaveUp) return stateWord("bad", "warn", words.gaveUp);
  const ending = run.ending?.name;
  const isFault = ending && !["finished", "stopped"].includes(ending);
  const sentence = words.ended(ending, run.ended && format.age(run.ended));
  return stateWord(isFault ? "bad" : "", isFault ? "warn" : "stop", sentence);
}

export const newestRun = (runs, app) => runs.filter((run) => run.app === app)
  .sort((a, b) => Number(isAlive(b)) - Number(isAlive(a)) || b.started - a.started)[0];

/** A share of the processor. */
export const percent = (value) => format.number(Math.max(0, Math.round(value * 10) / 10), "%");

/** Opens the page of an app in a new tab, or `here`; the link works once. */
export async function openPage(app, line, control, { here = false } = {}) {
  await perform(line, control, async () => {
    const { url } = await api(`/apps/${encodeURIComponent(app)}/launch`, { method: "POST" });
    if (here) return location.assign(url);
    const opened = window.open(url, "_blank", "noopener");
    // With noopener the answer is always null: the link stays for a browser that blocks it.
    if (!opened) line.done(words.opened);
  });
}
