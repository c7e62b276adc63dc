// The owner's key: its state, and forms that create and unlock it.

import { api, h, icon } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { button, every, notice, pairs, panel, perform, stateWord } from "./parts.js";

const words = texts.keyLock;
const REFRESH_MS = 10_000;
/** The shortest passphrase, in characters. */
const SHORTEST = 12;

/** The panel of the owner's key. */
export function keyLockPanel(signal) {
  const content = h("div", { class: "inset stack" });
  let shown;
  const show = (state) => {
    // A form that the person may be filling in stays.
    const same = shown?.state === state.state && shown?.wait === state.wait;
    if (same && state.state !== "unlocked" && content.contains(document.activeElement)) return;
    shown = state;
    content.replaceChildren(...views[state.state](state, show));
  };
  const read = async () => {
    try {
      show(await api("/lock", { signal }));
    } catch {
      // The strip at the head of the page says that the host does not respond.
    }
  };
  read();
  every(REFRESH_MS, signal, read);
  return panel(words.title, {}, content);
}

const small = (text) => h("p", { class: "small" }, text);

const views = {
  none: (_, show) => [small(words.noneHint), form([words.passphrase, words.again], words.create, async ([first, second]) => {
    if (first !== second) throw new Error(words.differ);
    show(await api("/lock/setup", { json: { passphrase: first } }));
  }, "new-password"), small(words.recoveryHint)],
  locked: (state, show) => [
    stateWord("", "lock", words.locked),
    small(words.lockedHint),
    state.wait === undefined ? "" : small(words.wait(Math.ceil(state.wait))),
    form([words.passphrase], words.unlock, async ([passphrase]) => {
      show(await api("/lock/unlock", { json: { passphrase } }));
    }, "current-password"),
    state.methods.includes("credential") ? actionLine(words.unlockByCredential, async () => {
      show(await api("/lock/unlock", { json: { credential: true } }));
    }) : "",
  ],
  unlocked: (state, show) => [
    stateWord("good", "check", words.unlocked(Math.ceil(state.left))),
    pairs([words.key, state.fingerprint], [words.recovery, state.recovery ?? words.noRecovery]),
    actionLine(words.lock, async () => { show(await api("/lock", { method: "POST" })); }),
  ],
};

/** A button with a line for its error. */
function actionLine(label, act) {
  const line = notice();
  return h("div", { class: "stack" }, h("div", { class: "actions" },
    button(label, (event) => perform(line, event.currentTarget, act))), line);
}

/** A form of passphrases, which are cleared once they were sent. */
function form(labels, action, act, autocomplete) {
  const line = notice();
  const isNew = autocomplete === "new-password";
  const fields = labels.map(() => h("input", {
    type: "password", autocomplete, required: true, maxlength: "1024", ...(isNew ? { minlength: String(SHORTEST) } : {}),
  }));
  // Password managers store a passphrase by this name.
  const user = h("input", { type: "text", autocomplete: "username", value: "nervous", hidden: true });
  const submit = h("button", { class: "button", type: "submit" }, icon("key"), action);
  return h("form", {
    class: "terms",
    on: {
      submit: (event) => {
        event.preventDefault();
        const values = fields.map(({ value }) => value);
        for (const field of fields) field.value = "";
        perform(line, submit, () => act(values));
      },
    },
  }, user, ...labels.map((label, index) => h("label", {}, label, fields[index])), h("p", { class: "actions" }, submit), line);
}
