// The pages by their addresses; those other than the overview are modules that are loaded when shown.
// A part of the module dashboard.js, which CResources/dashboard.c concatenates.

const SPINNER_MS = 300;

const ROUTES = [
  [/^\/$/, "overview", async () => overview],
  [/^\/sensors\/(?<id>[^/]+)$/, "overview", () => import("./sensor.js").then((m) => m.default)],
  [/^\/apps(?:\/(?<app>[^/]+))?$/, "apps", () => import("./apps.js").then((m) => m.default)],
  [/^\/activity$/, "activity", () => import("./activity.js").then((m) => m.default)],
  [/^\/sessions(?:\/(?<id>[^/]+))?$/, "sessions", () => import("./sessions.js").then((m) => m.default)],
  [/^\/alerts(?:\/(?<name>[^/]+))?$/, "alerts", () => import("./alerts.js").then((m) => m.default)],
  [/^\/machine$/, "machine", () => import("./machine.js").then((m) => m.default)],
];

let leaving = new AbortController();
let shownPath = null;

function leave() {
  leaving.abort();
  leaving = new AbortController();
}

/** Shows another page of the dashboard, as a click at a link does. */
export function go(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return show();
}

async function show({ isFirst = false } = {}) {
  if (token === null) return;
  leave();
  const { signal } = leaving;
  shownPath = location.pathname + location.search;
  const path = location.pathname.length > 1 ? location.pathname.replace(/\/$/, "") : location.pathname;
  const route = ROUTES.find(([pattern]) => pattern.test(path));
  for (const link of document.querySelectorAll(".rail [data-place]")) {
    if (link.dataset.place === route?.[1]) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // The previous content stays until the new one is ready; after 300 ms a sentence says that it is loading.
  const spinner = setTimeout(() => {
    if (!signal.aborted) {
      fill(page, h("section", { class: "panel empty", "aria-busy": "true" },
        h("span", { class: "wait", "aria-hidden": "true" }), h("h2", text.shell.loading)));
    }
  }, SPINNER_MS);
  const target = h("div", { class: "page" });
  try {
    if (!route) throw new ApiError(404, { code: "not-found", detail: text.shell.noPage });
    const params = Object.fromEntries(Object.entries(path.match(route[0]).groups ?? {})
      .map(([name, value]) => [name, value === undefined ? undefined : decodeURIComponent(value)]));
    const module = await route[2]();
    if (signal.aborted) return;
    const title = typeof module.title === "function" ? module.title(params) : module.title;
    setTitle(title);
    page.removeAttribute("aria-busy");
    const shown = module.show(target, { params, query: new URLSearchParams(location.search), signal });
    // A page that fills its element before its first await is shown at once.
    if (target.childElementCount > 0) place(target, spinner, isFirst);
    await shown;
    if (!signal.aborted) place(target, spinner, isFirst);
  } catch (error) {
    if (signal.aborted || token === null) return clearTimeout(spinner);
    if (!(error instanceof ApiError)) reportError(error);
    if (!route) setTitle(text.shell.noPage);
    fill(target, failure(error, () => show()));
    // It is the whole page, so its title is that of the page.
    const heading = target.querySelector("h2");
    heading.replaceWith(h("h1", { class: "same" }, [...heading.childNodes]));
    place(target, spinner, isFirst);
    // A page that could not be loaded is shown as soon as the host responds.
    const stop = live.on("state", ({ name }) => {
      if (name !== "live" || !(error instanceof TypeError)) return;
      stop();
      if (!signal.aborted) show();
    });
    signal.addEventListener("abort", stop);
  }
}

function place(target, spinner, isFirst) {
  clearTimeout(spinner);
  if (target.parentNode === page) return;
  fill(page, target);
  if (isFirst) return;
  scrollTo(0, 0);
  const heading = target.querySelector("h1");
  if (heading === null) return main.focus({ preventScroll: true });
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** What failed and what to do, as a panel. */
export function failure(error, retry) {
  const isDown = error instanceof TypeError && live.state.name !== "live";
  return emptyState("warn", isDown ? text.shell.hostDown : text.shell.failedPage,
    h("p", isDown ? text.shell.shownLater : plain(error.message)),
    error.fix && h("p", { class: "small" }, plain(error.fix)),
    h("p", retry && button(text.shell.retry, retry, { sign: "retry" }), " ",
      h("a", { class: "button plain", href: "/" }, text.shell.backToOverview)));
}

/** Writes what the page shows into its address, so that a reload shows it again. */
export function remember(query) {
  const rest = new URLSearchParams(query).toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  history.replaceState(null, "", location.pathname + (rest === "" ? "" : `?${rest}`));
  shownPath = location.pathname + location.search;
}

addEventListener("popstate", () => {
  if (location.pathname + location.search !== shownPath) show();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0 || link.target || link.download
    || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || token === null) return;
  if (url.pathname === location.pathname && url.hash !== "") return;
  if (!ROUTES.some(([pattern]) => pattern.test(url.pathname))) return;
  event.preventDefault();
  go(url.pathname + url.search + url.hash);
});
