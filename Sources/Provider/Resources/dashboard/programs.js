// Programs: a form that makes a token for one, and what to write into its configuration, which is shown once.

import { api, button as plainButton, h, icon } from "./dashboard.js";
import { texts } from "./page-texts.js";
import { notice, panel, perform, settingsList } from "./parts.js";

const words = texts.programs;

/** What a person writes into files and programs: pairs of the place and the text. */
const settings = {
  prometheus: ({ token }) => [
    [words.tokenFile("/etc/prometheus/nervous-token"), token],
    ["prometheus.yml, scrape_configs", `  - job_name: nervous
    authorization:
      credentials_file: /etc/prometheus/nervous-token
    static_configs:
      - targets: ["${location.host}"]`],
  ],
  grafana: ({ token }) => [
    [words.grafanaFile, `apiVersion: 1
datasources:
  - name: Nervous
    type: prometheus
    access: proxy
    url: ${location.origin}/prometheus
    jsonData:
      httpMethod: POST
      timeInterval: 1s
      httpHeaderName1: Authorization
    secureJsonData:
      httpHeaderValue1: Bearer ${token}`],
  ],
  "home-assistant": ({ token }) => [
    [words.tokenFile("/etc/nervous/home-assistant-token"), token],
    [words.brokerFile, `"mqtt": {
  "host": "broker.home",
  "tokenFile": "/etc/nervous/home-assistant-token"
}`],
  ],
  assistant: ({ name }) => [
    [words.assistantFile, `"mcpServers": {
  "nervous": {
    "command": "nervous",
    "args": ["mcp", "--as", "${name}"]
  }
}`],
  ],
  python: ({ token }) => [
    [words.pythonCode, `from nervous_sensors import Client

nervous = Client("${location.origin}", token="${token}")
print(nervous.sensors())`],
  ],
  curl: ({ token }) => [
    [words.shell, `curl -H "Authorization: Bearer ${token}" ${location.origin}/api/v1/sensors`],
  ],
};

/** Programs whose client has its name, and those that get no token before they start. */
const FIXED_NAMES = new Set(["home-assistant"]);
const WITHOUT_TOKEN = new Set(["assistant"]);

/** The panel of the programs; `added` is called after each new token. */
export function programsPanel(added) {
  const line = notice();
  const input = (more) => h("input", { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", ...more });
  const select = (items) => h("select", {}, items.map(([value, label]) => h("option", { value }, label)));
  const program = select(words.programs);
  const name = input({ maxlength: "64", required: true, pattern: "[a-z0-9]([a-z0-9\\-]*[a-z0-9])?" });
  const allow = input({ placeholder: "sensor:cpu sensor:temperature:stats" });
  const lifetime = select(texts.machine.lifetimes);
  const parts = [h("label", {}, words.allow, allow), h("label", {}, words.lifetime, lifetime)];
  const hint = h("p", { class: "small" });
  const label = h("span", {});
  const add = h("button", { class: "button", type: "submit" }, icon("key"), label);
  const shown = h("div", {});
  const suggest = () => {
    const chosen = program.value;
    name.value = chosen;
    name.disabled = FIXED_NAMES.has(chosen);
    for (const part of parts) part.hidden = WITHOUT_TOKEN.has(chosen);
    label.textContent = WITHOUT_TOKEN.has(chosen) ? words.showSettings : words.add;
    hint.textContent = words.hints[chosen];
  };
  program.addEventListener("change", suggest);
  suggest();
  const form = h("form", {
    class: "terms program",
    on: {
      submit: (event) => {
        event.preventDefault();
        perform(line, add, async () => {
          const [chosen, client] = [program.value, name.value.trim()];
          let made = { name: client };
          if (!WITHOUT_TOKEN.has(chosen)) {
            const privileges = allow.value.split(/[\s,]+/).filter(Boolean);
            made = await api("/tokens", { json: { name: client, allow: privileges, lifetime: lifetime.value } });
          }
          form.reset();
          program.value = chosen;
          suggest();
          show(made, chosen, shown);
          await added();
        });
      },
    },
  }, h("label", {}, words.program, program), h("label", {}, words.name, name), parts,
  h("p", { class: "actions" }, add), line);
  return panel(words.title, {},
    h("div", { class: "inset stack" }, h("p", { class: "small" }, words.about), form, hint, shown));
}

/** Shows what to configure, once. */
function show(made, program, place) {
  const { name, token } = made;
  const heading = h("h3", { tabindex: "-1" }, words.settingsOf[program]);
  place.replaceChildren(h("div", { class: "secret stack" }, heading,
    h("p", { class: "small" }, token ? words.shownOnce : words.withoutToken),
    settingsList(settings[program](made)),
    h("p", { class: "small" }, token ? words.revoke(name) : words.revokeLater(name)),
    h("p", { class: "actions" }, plainButton(words.hide, () => place.replaceChildren()))));
  heading.focus();
}
