// Installing a package, from a file or from a URL that the host downloads: first it is shown, then exactly that is
// installed.

import { api, claim, format, h } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { button, foreign, notice, pairs, panel, perform, stateWord, visible } from "./parts.js";
import { decisionWord, meaning, meaningText, signer } from "./requests.js";

const words = texts.apps;
const LARGEST_PACKAGE = 64 << 20;
/** How often the state of a download is read, and after which time its progress is shown. */
const POLL_MS = 250;
const SLOW_MS = 2000;

/** The panel that installs a package: first shows what it is and asks for, then installs exactly that. */
export function installPanel(signal, onInstalled, { heading = words.install } = {}) {
  const line = notice();
  const review = h("div", { class: "stack", role: "group", "aria-label": words.review });
  const input = h("input", {
    class: "unseen", type: "file", accept: ".zip,.nervous",
    on: { change: () => { take(input.files[0]); input.value = ""; } },
  });
  const address = h("input", {
    type: "url", autocomplete: "off", spellcheck: "false", placeholder: "https://", "aria-label": words.url,
  });
  const fetching = h("button", { class: "button", type: "submit" }, words.download);
  const form = h("form", {
    class: "actions", novalidate: "",
    on: {
      submit: (event) => {
        event.preventDefault();
        perform(line, fetching, () => download(address.value.trim()));
      },
    },
  }, address, fetching);
  const drop = h("div", { class: "drop" }, h("p", { class: "small quiet" }, words.dropHere),
    h("label", { class: "button" }, words.choose, input),
    h("p", { class: "small quiet" }, words.orURL), form);
  /** The download that the host keeps for this panel. */
  let kept;
  const forget = async () => {
    const id = kept;
    kept = undefined;
    if (!id) return;
    try {
      await api(`/downloads/${encodeURIComponent(id)}`, { method: "DELETE" });
    } catch {
      // It is installed, or the host has forgotten it.
    }
  };
  signal.addEventListener("abort", forget, { once: true });
  const download = async (url) => {
    if (!/^https?:\/\/./i.test(url)) {
      address.focus();
      throw { detail: words.urlInvalid };
    }
    clear();
    const begun = performance.now();
    let state = await api("/downloads", { method: "POST", json: { url }, signal });
    const { id } = state;
    kept = id;
    const bar = h("progress", { "aria-label": words.downloading });
    const amount = h("span", { class: "small" });
    while (state.state === "receiving") {
      if (performance.now() - begun > SLOW_MS) {
        if (!bar.isConnected) {
          review.replaceChildren(h("p", {}, bar, " ", amount), h("p", { class: "actions" }, button(words.cancel, clear)));
        }
        if (state.total) {
          bar.max = state.total;
          bar.value = state.received;
        }
        amount.textContent = words.received(format.bytes(state.received), state.total && format.bytes(state.total));
      }
      await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
      // Cancelled, or the page was left.
      if (kept !== id) return;
      state = await api(`/downloads/${encodeURIComponent(id)}`, { signal }).catch((error) => {
        if (kept === id) throw error;
      });
      if (kept !== id) return;
    }
    if (state.state === "failed") {
      await forget();
      review.replaceChildren();
      throw { detail: state.failure, fix: state.fix };
    }
    await check({ download: state }, false);
  };
  const take = (file) => perform(line, null, async () => {
    if (!file) return;
    if (file.size > LARGEST_PACKAGE) throw { status: 413, detail: words.tooLarge };
    await forget();
    line.done(words.checking(visible(file.name, 80)));
    await check({ bytes: await file.arrayBuffer() }, false);
  });
  const check = async (source, allowDowngrade) => {
    try {
      const found = await send(source, { dryRun: "true", ...(allowDowngrade ? { allowDowngrade: "true" } : {}) });
      line.clear();
      show(found, source, allowDowngrade);
    } catch (error) {
      if (error.code !== "downgrade") throw error;
      line.failed(error);
      review.replaceChildren(h("p", { class: "actions" },
        button(words.allowDowngrade, () => perform(line, null, () => check(source, true))),
        button(words.cancel, clear)));
    }
  };
  const clear = () => {
    review.replaceChildren();
    line.clear();
    forget();
  };
  const show = (app, source, allowDowngrade) => {
    const label = words.installThis(app.name, visible(app.version, 24));
    const install = button(label, () => perform(line, install, async () => {
      const installed = await send(source, allowDowngrade ? { allowDowngrade: "true" } : {});
      clear();
      const sentence = [words.installedNow(app.name, visible(installed.version, 24)), " ",
        h("a", { href: `/apps/${app.name}` }, words.goToApp(app.name))];
      line.done(sentence);
      line.querySelector("a").focus();
      onInstalled(sentence);
    }), { kind: "main" });
    const title = h("h3", { tabindex: "-1" }, app.name, " ", h("span", { class: "id" }, visible(app.version, 48)));
    const { download: from } = source;
    review.replaceChildren(...describe(app, title),
      from ? h("p", { class: "small" }, words.from, " ", foreign(from.address, 200)) : [],
      from && !from.encrypted ? h("p", { class: "small" }, stateWord("warn", "warn", words.unencrypted)) : [],
      h("p", { class: "actions" }, button(words.cancel, clear), install));
    title.focus();
  };
  const element = panel(heading, {}, drop, h("div", { class: "inset stack" }, line, review));
  const acceptDrops = (target) => {
    target.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      drop.classList.add("over");
    }, { signal });
    target.addEventListener("dragleave", () => drop.classList.remove("over"), { signal });
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      take(event.dataTransfer.files[0]);
    }, { signal });
  };
  acceptDrops(element);
  return { element, acceptDrops, choose: () => { input.focus(); input.click(); } };
}

/** Sends the bytes of a package, or names the one that the host has downloaded. */
const send = ({ bytes, download }, query) => api("/apps", {
  method: "POST", query,
  ...(download ? { json: { download: download.id } }
    : { body: bytes, headers: { "Content-Type": "application/zip" } }),
});

/** A package before it is installed: the host's words first, then what it asks for. */
function describe(app, title) {
  const { update } = app;
  const changes = new Map((update?.privileges ?? []).map((change) => [change.privilege, change]));
  const removed = (update?.privileges ?? []).filter(({ change }) => change === "removed");
  const asked = app.privileges.map((declared) => {
    const change = changes.get(declared.privilege)?.change;
    return h("li", {}, h("div", {}, h("p", {}, ...meaning(declared.privilege),
      change && change !== "unchanged" && [" ", changeWord(change)]),
      declared.reveals ? h("p", { class: "small" }, words.reveals(visible(declared.reveals))) : [],
      h("p", { class: "small" }, decisionWord(declared)),
      declared.reason ? h("p", { class: "small" }, claim(declared.reason)) : []));
  });
  return [
    title,
    h("p", { class: "small" }, update ? words.updates[update.kind](update.from) : words.first),
    update?.reset ? h("p", { class: "small" }, stateWord("warn", "warn", words.resets[update.reset])) : [],
    pairs([words.signer, signer(app)],
      app.title && [words.titleOf, claim(app.title)],
      app.author && [words.author, claim(app.author)],
      [words.fingerprint, h("code", {}, hash(app.fingerprint))]),
    h("h4", {}, asked.length ? words.asksFor(asked.length)
      : app.generation !== undefined ? words.asksAtUse : words.asksNothing),
    h("ul", { class: "asked" }, asked),
    removed.length ? h("p", { class: "small" },
      words.noLonger(removed.map(({ privilege }) => meaningText(privilege)).join(", "))) : [],
    h("p", { class: "small quiet" }, words.nothingRuns),
  ].flat();
}

const changeWord = (change) => (change === "narrower"
  ? stateWord("", "check", words.changes[change]) : stateWord("warn", "add", words.changes[change]));

/** The beginning of a hash, in groups that can be compared by eye. */
export const hash = (hex) => hex.match(/.{1,8}/g).slice(0, 4).join(" ") + (hex.length > 32 ? " …" : "");
