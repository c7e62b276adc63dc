// Permissions: requests that wait for the owner, the dialog that answers them, and decisions in words.

import { api, claim, format, h, icon, live, plain, text } from "./dashboard.js";
import { texts } from "./page-texts.js";
import {
  announce, foreign, newId, notice, pairs, stateWord, visible,
} from "./parts.js";

const words = texts.requests;
/** For this long after the dialog appears, moves or its window gains the focus, no answer counts. */
const DEAD_MS = 500;

// MARK: Words of privileges and terms

/** The parts of the name of a privilege, such as `sensor:load:stats`. */
export function parts(privilege) {
  const [kind, ...rest] = privilege.split(":");
  if (kind === "net") return { kind, origin: rest.join(":"), access: "raw" };
  if (kind !== "sensor") return { kind: privilege, access: "raw" };
  const access = { stats: "stats", write: "write" }[rest[1]] ?? "raw";
  return { kind, sensor: rest[0], access };
}

/** What a privilege permits, in the host's words, with its name as code; a list of nodes. */
export function meaning(privilege, sensor = parts(privilege).sensor) {
  const { kind, access, origin } = parts(privilege);
  const name = (value) => h("code", {}, visible(value, 120));
  if (kind === "sensor") return words.access[access](name(sensor));
  if (kind === "net") return words.calls(name(origin));
  const health = /^health:([a-z0-9-]+)(:write)?$/.exec(kind);
  if (health) return words.health[health[2] ? "write" : "read"](name(health[1]));
  return [words.kinds[kind] ?? visible(privilege, 120)];
}

/** The same as plain text. */
export function meaningText(privilege) {
  return meaning(privilege).map((part) => part.textContent ?? part).join("");
}

/** The terms of a grant as one clause. */
export function termsText(terms) {
  return terms ? plain(text.terms(terms, format)) : "–";
}

/** The state of a decision as a sign and a word. */
export function decisionWord({ state, once, exhausted, refusals, restrictedBy }) {
  if (restrictedBy) return stateWord("bad", "refused", words.states.restricted(restrictedBy));
  if (exhausted || refusals) return stateWord("bad", "refused", words.states.exhausted);
  if (state === "granted") return stateWord("good", "check", once ? words.states.once : words.states.granted);
  if (state === "denied") return stateWord("bad", "refused", once ? words.states.deniedOnce : words.states.denied);
  if (state === "waits") return stateWord("warn", "question", words.states.waits);
  return stateWord("", "question", words.states.prompt);
}

// MARK: Answers

const path = ({ client, privilege }, root = "grants") =>
  `/${root}/${encodeURIComponent(client)}/${encodeURIComponent(privilege)}`;

/** Stores a decision of the owner. */
function decide(subject, decision, { terms, only } = {}) {
  const json = { decision };
  if (subject.isRequest) json.answer = true;
  if (decision.endsWith("-once")) json.run = subject.run;
  if (terms) json.terms = terms;
  else if (only) json.only = only;
  return api(path(subject), { method: "PUT", json });
}

/** Forgets a decision: the owner is asked again, or the app is refused. */
export function revoke(subject) {
  return api(path(subject), { method: "DELETE" });
}

/** Refuses the calls that wait, for a request without a run that could be denied once. */
async function refuse(subject) {
  try {
    if (subject.run) await decide(subject, "deny-once");
    else await api(path(subject, "requests"), { method: "DELETE" });
  } catch (error) {
    // The run has ended, or the request was answered elsewhere: nothing waits any more.
    if (error.status !== 404) throw error;
  }
}

// MARK: Dialog

const key = ({ client, privilege, run }) => [client, privilege, run ?? ""].join(" ");
let current;

/** Shows a request, and after its answer the others that wait. Escape denies it this time. */
export function openRequest(request) {
  return open({ ...request, isRequest: true });
}

/**
 * Shows the decision about a privilege of a client, to change it. Escape changes nothing.
 *
 * @param subject `{client, privilege}`, and the `run` that a decision for one run would be for.
 * @returns when it is changed or left.
 */
export function openDecision(subject) {
  return open({ ...subject, isRequest: false });
}

async function open(subject) {
  if (current) return;
  const before = document.activeElement;
  current = new PermissionDialog();
  try {
    await current.run(subject);
  } finally {
    current = undefined;
    // What opened it may be gone with the request.
    (before?.isConnected ? before : document.getElementById("main")).focus();
  }
}

/** What the host and the package say about a request; what cannot be read is missing. */
async function readFacts({ client, privilege, isRequest, reveals }) {
  const name = encodeURIComponent(client);
  const paths = [`/apps/${name}`, "/sensors", isRequest ? "/requests" : `/grants/${name}`,
    ...(reveals ? [] : [`/permissions/${encodeURIComponent(privilege)}`])];
  const [app, sensors, list, permission] = (await Promise.allSettled(paths.map((path) => api(path))))
    .map(({ value }) => value);
  const { sensor } = parts(privilege);
  const covered = sensor === undefined ? [] : (sensors?.items ?? [])
    .filter(({ id }) => id === sensor || id.startsWith(`${sensor}.`));
  const readable = covered.filter(({ available, newest }) => available || newest !== undefined);
  return {
    app,
    declared: app?.privileges.find((item) => item.privilege === privilege),
    reveals: reveals ?? permission?.reveals,
    covered,
    instances: readable.map(({ id }) => id),
    requests: isRequest ? list?.items ?? [] : [],
    decision: isRequest ? undefined : list?.items.find((item) => item.privilege === privilege),
  };
}

class PermissionDialog {
  #dialog;
  #line = notice();
  #subject;
  #facts;
  #waiting = [];
  #answered = 0;
  #deadUntil = 0;
  #settling;
  #stops = [];
  #done;

  /** Shows the subject; resolves when everything is answered or the dialog is left. */
  async run(subject) {
    this.#subject = subject;
    this.#facts = await readFacts(subject);
    this.#waiting = this.#facts.requests;
    this.#dialog = h("dialog", {
      class: "permission",
      on: {
        cancel: (event) => {
          event.preventDefault();
          this.#leave();
        },
        keydown: (event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          if (!event.repeat) this.#leave();
        },
        scroll: () => this.#settle(),
        close: () => this.#end(),
      },
    });
    document.body.append(this.#dialog);
    if (subject.isRequest) this.#stops.push(live.on("requests", ({ items }) => this.#update(items)));
    const settle = () => this.#settle();
    for (const event of ["focus", "resize"]) {
      window.addEventListener(event, settle);
      this.#stops.push(() => window.removeEventListener(event, settle));
    }
    document.addEventListener("visibilitychange", settle);
    this.#stops.push(() => document.removeEventListener("visibilitychange", settle));
    const size = new ResizeObserver(settle);
    size.observe(this.#dialog);
    this.#stops.push(() => size.disconnect());
    const finished = new Promise((resolve) => { this.#done = resolve; });
    this.#dialog.showModal();
    this.#show();
    await finished;
  }

  // MARK: Order

  get #others() {
    return this.#waiting.filter((request) => key(request) !== key(this.#subject));
  }

  #update(items) {
    const wasWaiting = this.#waiting.some((request) => key(request) === key(this.#subject));
    this.#waiting = items;
    if (wasWaiting && !items.some((request) => key(request) === key(this.#subject))) {
      announce(words.answeredElsewhere);
      this.#next();
      return;
    }
    this.#dialog.querySelector(".position")?.replaceChildren(this.#position);
  }

  get #position() {
    const all = this.#answered + 1 + this.#others.length;
    return this.#subject.isRequest && all > 1 ? words.position(this.#answered + 1, all) : "";
  }

  /** Continues with the request that has waited longest. */
  async #next() {
    const [request] = this.#others;
    if (!this.#subject.isRequest || !request) {
      this.#dialog.close();
      return;
    }
    this.#waiting = this.#others;
    this.#answered += 1;
    this.#subject = { ...request, isRequest: true };
    this.#deadUntil = Infinity;
    this.#facts = await readFacts(this.#subject);
    if (this.#dialog.open) this.#show();
  }

  #end() {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#settling);
    this.#dialog.remove();
    this.#done();
  }

  // MARK: Answering

  /** Ignores answers for a moment: what is pressed now was meant for something else. */
  #settle() {
    if (this.#deadUntil === Infinity) return;
    this.#deadUntil = performance.now() + DEAD_MS;
    this.#dialog.dataset.settling = "";
    for (const answer of this.#answers) answer.setAttribute("aria-disabled", "true");
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      delete this.#dialog.dataset.settling;
      for (const answer of this.#answers) answer.removeAttribute("aria-disabled");
    }, DEAD_MS);
  }

  get #answers() {
    return this.#dialog.querySelectorAll(".answer, [type=submit]");
  }

  get #isDead() { return performance.now() < this.#deadUntil; }

  /** Escape: no, this time; for a decision that is looked at, no change. */
  async #leave() {
    if (this.#deadUntil === Infinity) return;
    if (!this.#subject.isRequest) {
      this.#dialog.close();
      return;
    }
    await this.#answer("deny-once");
  }

  async #answer(decision, { terms, only } = {}) {
    const subject = this.#subject;
    this.#deadUntil = Infinity;
    this.#line.clear();
    try {
      if (decision === "reset") await revoke(subject);
      else if (decision === "deny-once" && subject.isRequest) await refuse(subject);
      else await decide(subject, decision, { terms, only });
    } catch (error) {
      this.#deadUntil = 0;
      this.#settle();
      this.#line.failed(error);
      return;
    }
    announce(words.said[decision](subject.client, meaningText(subject.privilege)));
    this.#deadUntil = 0;
    await this.#next();
  }

  // MARK: Showing

  get #sensor() {
    const { sensor } = parts(this.#subject.privilege);
    // The name of a kind with a single sensor here: the answer is about that one.
    const { instances } = this.#facts;
    return instances.length === 1 ? instances[0] : sensor;
  }

  /** The sensors that an allowing answer is for, if it is not the whole kind. */
  get #only() {
    const { sensor } = parts(this.#subject.privilege);
    return sensor !== undefined && this.#sensor !== sensor ? [this.#sensor] : undefined;
  }

  #show() {
    const { client, privilege, isRequest } = this.#subject;
    const id = newId("asks");
    const what = meaning(privilege, this.#sensor);
    const name = h("code", {}, client);
    const heading = h("h2", { id, tabindex: "-1" },
      ...(isRequest ? words.wants(name, what) : words.change(name, what)));
    this.#dialog.setAttribute("aria-labelledby", id);
    this.#dialog.replaceChildren(
      h("div", { class: "top" }, icon("mark"), h("strong", {}, isRequest ? words.title : words.changeTitle),
        h("span", { class: "position" }, this.#position)),
      h("div", { class: "body" }, heading, this.#describe(), this.#reason(), this.#line,
        this.#choices(), this.#form()),
      h("p", { class: "bottom" }, words.recorded),
    );
    this.#line.clear();
    this.#dialog.scrollTop = 0;
    this.#deadUntil = 0;
    heading.focus();
    this.#settle();
  }

  #describe() {
    const { app, covered, instances, decision } = this.#facts;
    const { client, privilege } = this.#subject;
    const { sensor } = parts(privilege);
    const fields = (covered.find(({ id }) => instances.includes(id)) ?? covered[0])?.fields ?? [];
    return pairs(
      app ? [words.app, [`${client} ${visible(app.version, 24)}`,
        app.title ? [words.titled, claim(app.title)] : []]] : [words.client, client],
      app && [words.signer, signer(app)],
      decision && [words.now, [decisionWord(decision), " ", termsText(decision.terms)]],
      sensor !== undefined && instances.length > 1
        && [words.sensors, words.sensorsOf(instances.map((id) => visible(id, 64)).join(", "))],
      sensor !== undefined && !instances.length && [words.sensors, words.noSensor],
      fields.length > 0 && [words.fields, fieldsText(fields)],
      this.#facts.reveals && [words.revealed, visible(this.#facts.reveals)],
    );
  }

  #reason() {
    const { app, declared } = this.#facts;
    if (!app) return [];
    return h("figure", { class: "claims" },
      h("figcaption", {}, declared?.reason ? words.reason : words.noReason),
      declared?.reason ? h("blockquote", {}, h("p", {}, claim(declared.reason))) : []);
  }

  #choices() {
    const { isRequest, run, privilege } = this.#subject;
    const isSample = parts(privilege).access === "raw" && parts(privilege).sensor !== undefined;
    const no = isRequest ? ["deny-once", "deny"] : ["deny", "reset"];
    const yes = [
      ...(isSample ? ["statistics-only"] : []), "allow", ...(run ? ["allow-once"] : []),
      "allow-always",
    ];
    const group = (kind, heading, decisions) => {
      const id = newId(kind);
      return h("div", { role: "group", class: kind, "aria-labelledby": id }, h("h3", { id }, heading),
        decisions.map((decision) => this.#button(decision)));
    };
    return h("div", { class: "answers" }, group("no", words.deny, no), group("yes", words.allow, yes));
  }

  #button(decision) {
    const isKnown = decision !== "reset" || this.#facts.decision !== undefined;
    const [label, note] = words.answers[decision];
    const props = {
      class: "answer", type: "button",
      on: { click: () => this.#press(decision) },
    };
    if (!isKnown) props.disabled = true;
    return h("button", props, label, h("small", {}, note));
  }

  #press(decision) {
    if (this.#isDead) return;
    if (decision === "allow") this.#showTerms(true);
    else if (decision.startsWith("deny") || decision === "reset") this.#answer(decision);
    else this.#answer(decision, { only: this.#only });
  }

  #showTerms(isShown) {
    this.#line.clear();
    this.#dialog.querySelector(".answers").hidden = isShown;
    this.#dialog.querySelector(".terms").hidden = !isShown;
    this.#settle();
    this.#dialog.querySelector(isShown ? ".terms input" : "h2").focus();
  }

  #form() {
    const { privilege } = this.#subject;
    const { covered, instances, decision } = this.#facts;
    const form = new TermsForm(privilege, covered, instances, decision?.terms, this.#only);
    const element = h("form", {
      class: "terms", novalidate: "",
      on: {
        submit: (event) => {
          event.preventDefault();
          if (this.#isDead) return;
          const terms = form.read();
          if (terms) this.#answer("allow", { terms });
        },
      },
    }, h("h3", {}, words.limits), form.elements,
    h("p", { class: "actions" },
      h("button", { class: "button", type: "button", on: { click: () => this.#showTerms(false) } },
        words.back),
      h("button", { class: "button", type: "submit" }, words.allowThese)));
    element.hidden = true;
    return element;
  }
}

/** Names of fields, with a unit after the last of those that share it. */
function fieldsText(fields) {
  return fields.map(({ name, unit }, place) => {
    const isLast = fields[place + 1]?.unit !== unit;
    const shown = isLast ? unitWord(unit) : "";
    return visible(name, 32) + (shown ? ` (${shown})` : "");
  }).join(", ");
}

const unitWord = (unit) => words.units[unit] ?? visible(format.unit(unit), 24);

/** The signer of an app in the host's words. */
export function signer(app) {
  if (!app.signer) return words.unsigned;
  const { name, fingerprint } = app.signer;
  return [name ? h("strong", {}, foreign(name, 64)) : words.unnamed, " ",
    h("span", { class: "id wrap" }, visible(fingerprint, 80))];
}

// MARK: Terms

const DURATION = /^[0-9]{1,9}(us|ms|s|m|h|d|w)$/;
const NUMBER = /^(?:[0-9]{1,12}(?:\.[0-9]{1,12})?|\.[0-9]{1,12})$/;
const UNITS = { us: 0.001, ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

/** The end of a grant in milliseconds: after a duration, or at the end of a day or at a time. */
export function expiry(value, now = Date.now()) {
  const [, count, unit] = /^([0-9]{1,6})(m|h|d|w)$/.exec(value) ?? [];
  if (count) return now + Number(count) * UNITS[unit];
  const [, year, month, day, hour, minute] =
    /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2}))?$/.exec(value) ?? [];
  if (!year) return undefined;
  const date = hour
    ? new Date(year, month - 1, day, hour, minute) : new Date(year, month - 1, Number(day) + 1);
  const shown = hour ? date : new Date(date - 1);
  const isReal = shown.getMonth() === month - 1 && shown.getDate() === Number(day);
  return isReal ? date.getTime() : undefined;
}

/** The fields for the limits of a grant. */
class TermsForm {
  #access;
  #now;
  #fields = [];
  #sensors = [];
  #background;
  #only;
  #noSensor = h("span", { class: "state bad", id: newId("only"), hidden: true }, words.invalid.only);

  constructor(privilege, covered, instances, now, only) {
    const { sensor, access } = parts(privilege);
    this.#access = now?.access && sensor !== undefined ? now.access : access;
    this.#now = now;
    this.#only = only;
    if (sensor !== undefined && access !== "write") {
      const units = new Set(covered.flatMap(({ fields }) => fields)
        .filter(({ kind }) => kind === "number" || kind === "integer").map(({ unit }) => unit));
      const [unit] = units.size === 1 ? units : [];
      this.#add("rate", words.fieldRate, "decimal", now?.rate);
      this.#add("precision", words.fieldPrecision(unitWord(unit)), "decimal", now?.precision);
      this.#add("history", words.fieldHistory, "text", now?.history);
    }
    this.#add("expires", words.fieldExpires, "text", now?.expires && localTime(now.expires));
    if (instances.length > 1) {
      this.#sensors = instances.map((id) => check(visible(id, 64), {
        value: id, isOn: now?.only?.includes(id) ?? true,
      }));
    }
    this.#background = check(words.fieldBackground, { isOn: now?.background ?? true });
  }

  get elements() {
    return [
      this.#fields.map(({ label }) => label),
      this.#sensors.length > 0 ? h("fieldset", {
        class: "only", "aria-describedby": this.#noSensor.id,
      }, h("legend", {}, words.fieldOnly), this.#sensors.map(({ label }) => label), this.#noSensor) : [],
      this.#background.label,
    ];
  }

  /** The terms; nothing if a field is invalid, which its message then says. */
  read() {
    const terms = { access: this.#access, background: this.#background.input.checked };
    let isValid = true;
    for (const { name, input, message } of this.#fields) {
      const value = input.value.trim();
      const read = value === "" ? null : readers[name](value);
      message.hidden = read !== undefined;
      input.setAttribute("aria-invalid", String(read === undefined));
      if (read === undefined) {
        if (isValid) input.focus();
        isValid = false;
      } else if (read !== null) terms[name] = read;
    }
    const chosen = this.#sensors.filter(({ input }) => input.checked).map(({ input }) => input.value);
    this.#noSensor.hidden = !this.#sensors.length || chosen.length > 0;
    if (!this.#noSensor.hidden) {
      if (isValid) this.#sensors[0].input.focus();
      return undefined;
    }
    if (this.#sensors.length && chosen.length < this.#sensors.length) terms.only = chosen;
    else if (this.#only) terms.only = this.#only;
    return isValid ? terms : undefined;
  }

  #add(name, sentence, mode, value) {
    const id = newId(name);
    const input = h("input", {
      type: "text", inputmode: mode, autocomplete: "off", spellcheck: "false",
      "aria-describedby": id,
    });
    if (value !== undefined) input.value = String(value);
    const message = h("span", { class: "state bad", id }, words.invalid[name]);
    message.hidden = true;
    this.#fields.push({ name, input, message, label: h("label", {}, sentence, input, message) });
  }
}

const readers = {
  rate: (value) => (NUMBER.test(value) && Number(value) > 0 ? Number(value) : undefined),
  precision: (value) => (NUMBER.test(value) && Number(value) > 0 ? Number(value) : undefined),
  history: (value) => (DURATION.test(value) && parseInt(value, 10) > 0 ? value : undefined),
  expires: (value) => {
    const end = expiry(value);
    return end !== undefined && end > Date.now() ? end : undefined;
  },
};

function check(label, { value = "on", isOn }) {
  const input = h("input", { type: "checkbox", value });
  input.checked = isOn;
  return { input, label: h("label", { class: "check" }, input, " ", label) };
}

function localTime(moment) {
  const date = new Date(moment), two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
    + `${two(date.getHours())}:${two(date.getMinutes())}`;
}
