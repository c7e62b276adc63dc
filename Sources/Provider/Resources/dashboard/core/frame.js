// What frames every page: the theme, the state of the host, a lost connection.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const THEME_KEY = "nervous-theme";

const main = document.getElementById("main");
const page = document.getElementById("page");
const notices = document.getElementById("notices");
const hostLine = document.querySelector(".rail .host");
const themeButton = document.querySelector(".rail .theme");

function setTheme(theme) {
  const names = Object.keys(text.shell.themes);
  const chosen = names.includes(theme) ? theme : "system";
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  themeButton.querySelector("span").textContent = text.shell.themes[chosen];
  themeButton.onclick = () => {
    const next = names[(names.indexOf(chosen) + 1) % names.length];
    if (next === "system") localStorage.removeItem(THEME_KEY); else localStorage.setItem(THEME_KEY, next);
    setTheme(next);
  };
}

function showHost() {
  const { name } = live.state;
  const sensors = live.latest("sensors")?.items;
  hostLine.hidden = name === "stopped";
  const b = h("b", location.host);
  if (name !== "live" || sensors === undefined) {
    const said = name === "retrying" ? text.shell.notResponding : text.shell.connecting;
    return fill(hostLine, b, h("span", { class: `state ${name === "retrying" ? "bad" : ""}` },
      name === "retrying" && icon("warn"), said));
  }
  const count = sensors.filter((sensor) => sensor.available && sensor.level !== "off").length;
  fill(hostLine, b, h("span", { class: "state live" },
    count > 0 ? text.shell.collecting(count) : text.shell.notCollecting));
}

// The strip of a lost connection: after 2 s, so that a restart of the host is not an alarm.
let downStrip = null, downTimer = null;

function showConnection(state) {
  showHost();
  clearInterval(downTimer);
  if (state.name === "live" || state.name === "stopped") {
    downStrip?.remove();
    downStrip = null;
    return;
  }
  if (state.name !== "retrying") return;
  const update = () => {
    if (Date.now() - state.since < 1500 && downStrip === null) return;
    if (downStrip === null) {
      downStrip = h("section", { class: "question down" }, icon("warn"),
        h("p", { role: "status" }, h("strong", `${text.shell.hostDown}. `),
          text.shell.notResponded(format.clock(state.since))),
        h("span", { class: "small" }),
        button(text.shell.retry, () => live.retry(), { sign: "retry" }));
      notices.append(downStrip);
    }
    const left = Math.ceil((state.retryAt - Date.now()) / 1000);
    downStrip.querySelector("span").textContent
      = state.retryAt && left > 0 ? text.shell.retryingIn(left) : text.shell.retrying;
  };
  update();
  downTimer = setInterval(update, 500);
}
