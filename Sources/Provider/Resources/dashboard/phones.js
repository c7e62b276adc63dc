// Phones: a form that adds one, and the settings of its app with their QR code, which are shown once.

import { api, button as plainButton, h, icon } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { notice, panel, perform, settingsList, visible } from "./parts.js";

const words = texts.phones;
/** The light margin that scanners need, in modules. */
const MARGIN = 4;
/** The size of a module where there is space, in pixels. */
const MODULE = 5;

/** What a person enters in an app, as pairs of the name there and the value. */
const settings = {
  "sensor-logger": ({ sensorLogger, token }) => [
    [words.pushURL, sensorLogger], [words.header, `Bearer ${token}`],
  ],
  owntracks: ({ ownTracks, name, token }) => [
    [words.url, ownTracks], [words.user, name], [words.password, token],
  ],
  influx: ({ influx, token }) => [[words.url, influx], [words.token, token]],
};

/** The panel of the phones; `added` is called after each new one, which has a token then. */
export function phonesPanel(added) {
  const line = notice();
  const name = h("input", {
    type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: "45", required: true,
  });
  const select = (items) => h("select", {}, items.map(([value, label]) => h("option", { value }, label)));
  const [app, lifetime] = [select(words.apps), select(texts.machine.lifetimes)];
  const add = h("button", { class: "button", type: "submit" }, icon("add"), words.add);
  const shown = h("div", {});
  const form = h("form", {
    class: "terms phone",
    on: {
      submit: (event) => {
        event.preventDefault();
        perform(line, add, async () => {
          const chosen = app.value;
          const json = { name: name.value.trim(), app: chosen, lifetime: lifetime.value };
          const phone = await api("/phones", { json });
          form.reset();
          show(phone, chosen, shown);
          await added();
        });
      },
    },
  }, h("label", {}, words.name, name), h("label", {}, words.app, app), h("label", {}, words.lifetime, lifetime),
  h("p", { class: "actions" }, add), line);
  return panel(words.title, {},
    h("div", { class: "inset stack" }, h("p", { class: "small" }, words.hint), form, shown));
}

/** Shows a new phone, once. */
function show(phone, app, place) {
  const { name, sensors, localNetwork, qr } = phone;
  const heading = h("h3", { tabindex: "-1" }, words.added(name));
  const small = (...sentences) => h("p", { class: "small" }, sentences.join(" "));
  place.replaceChildren(h("div", { class: "secret stack" },
    heading, small(words.declared(sensors.length, sensors[0]), words.shownOnce),
    h("h4", {}, words.settingsOf[app]), settingsList(settings[app](phone)),
    localNetwork ? [
      picture(qr.rows, words.codeOf(name)),
      small(app === "owntracks" ? words.scanOwnTracks : words.scan, words.secret),
      h("h4", {}, words.certificate), small(words.certificateHint),
      settingsList([[words.path, localNetwork.authority], [words.fingerprint, localNetwork.fingerprint],
        [words.pin, localNetwork.pin]]),
      localNetwork.urls.length > 1 && small(words.otherURLs(visible(localNetwork.urls.slice(1).join(", ")))),
    ] : small(words.notListening),
    small(words.revoke(name)),
    h("p", { class: "actions" }, plainButton(words.hide, () => place.replaceChildren()))));
  heading.focus();
}

/** A QR code of rows in which `#` is a dark module: black on white in every theme, as scanners need it. */
function picture(rows, label) {
  const side = rows.length + 2 * MARGIN;
  const runs = rows.flatMap((row, y) => Array.from(row.matchAll(/#+/g), ({ 0: { length }, index: x }) =>
    `M${x + MARGIN} ${y + MARGIN}h${length}v1h-${length}z`));
  return h("svg", {
    class: "qr", width: side * MODULE, viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": label,
    "shape-rendering": "crispEdges",
  }, h("rect", { width: side, height: side, fill: "#fff" }), h("path", { d: runs.join(""), fill: "#000" }));
}
