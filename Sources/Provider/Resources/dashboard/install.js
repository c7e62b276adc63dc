// Installing a package: first it is shown, then exactly that is installed.

import { api, claim, h } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { button, notice, pairs, panel, perform, stateWord, visible } from "./parts.js";
import { decisionWord, meaning, meaningText, signer } from "./requests.js";

const words = texts.apps;
const LARGEST_PACKAGE = 64 << 20;

/** The panel that installs a package: first shows what it is and asks for, then installs exactly that. */
export function installPanel(signal, onInstalled, { heading = words.install } = {}) {
  const line = notice();
  const review = h("div", { class: "stack", role: "group", "aria-label": words.review });
  const input = h("input", {
    class: "unseen", type: "file", accept: ".zip,.nervous",
    on: { change: () => { take(input.files[0]); input.value = ""; } },
  });
  const drop = h("div", { class: "drop" }, h("p", { class: "small quiet" }, words.dropHere),
    h("label", { class: "button" }, words.choose, input));
  const take = (file) => perform(line, null, async () => {
    if (!file) return;
    if (file.size > LARGEST_PACKAGE) throw { status: 413, detail: words.tooLarge };
    line.done(words.checking(visible(file.name, 80)));
    await check(await file.arrayBuffer(), false);
  });
  const check = async (bytes, allowDowngrade) => {
    try {
      const found = await send(bytes, { dryRun: "true", ...(allowDowngrade ? { allowDowngrade: "true" } : {}) });
      line.clear();
      show(found, bytes, allowDowngrade);
    } catch (error) {
      if (error.code !== "downgrade") throw error;
      line.failed(error);
      review.replaceChildren(h("p", { class: "actions" },
        button(words.allowDowngrade, () => perform(line, null, () => check(bytes, true))),
        button(words.cancel, clear)));
    }
  };
  const clear = () => {
    review.replaceChildren();
    line.clear();
  };
  const show = (app, bytes, allowDowngrade) => {
    const label = words.installThis(app.name, visible(app.version, 24));
    const install = button(label, () => perform(line, install, async () => {
      const installed = await send(bytes, allowDowngrade ? { allowDowngrade: "true" } : {});
      clear();
      const sentence = [words.installedNow(app.name, visible(installed.version, 24)), " ",
        h("a", { href: `/apps/${app.name}` }, words.goToApp(app.name))];
      line.done(sentence);
      line.querySelector("a").focus();
      onInstalled(sentence);
    }), { kind: "main" });
    const title = h("h3", { tabindex: "-1" }, app.name, " ", h("span", { class: "id" }, visible(app.version, 48)));
    review.replaceChildren(...describe(app, title),
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

const send = (bytes, query) => api("/apps", {
  method: "POST", query, body: bytes, headers: { "Content-Type": "application/zip" },
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
