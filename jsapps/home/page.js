// The page of a home; a headless run prints the same on its console.

import { byId, fill, hasLayout, notice, spanText } from "./elements.js";
import { Home } from "./home.js";
import { isEntrance, quantityText, TITLES } from "./readings.js";
import { RoomsView } from "./rooms-view.js";
import { SetupView } from "./setup-view.js";

const POLL_MS = 500, HEADLESS_POLL_MS = 5000;

/** Shows the home of an SDK; resolves to it. */
export async function mount(sdk, options = {}) {
  const isPage = hasLayout(), isViewed = () => isPage && document.visibilityState === "visible";
  const [kind, pollEvery] = isPage ? ["page", POLL_MS] : ["run", HEADLESS_POLL_MS];
  const home = new Home(sdk, { kind, pollEvery, isViewed, ...options });
  const rooms = new RoomsView(byId("rooms"), byId("missing"), home), said = new Map();
  const show = () => {
    rooms.update();
    setup.update();
    showMessage(home);
    showMessages(home.notifier);
    if (!isPage) print(home, said);
  };
  const setup = new SetupView(home, show);
  home.report = (text) => fill(byId("answer"), text);
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    fill(byId("answer"), home.ask(byId("question").value).text);
  });
  // A page that is left gives its doors back, and takes them again when it comes back from the cache.
  globalThis.addEventListener("pagehide", () => home.stop().catch(() => {}));
  globalThis.addEventListener("pageshow", ({ persisted }) => persisted && home.resume().catch((error) => home.report(error.message)));
  await home.start();
  home.onChange(show);
  show();
  await home.notifier.ask();
  show();
  return home;
}

const MESSAGES = {
  granted: "You get a message when a door or lock changes, its battery is low or it is not connected, but only while this page "
    + "is not visible. Without a page, run it in the background: nervous run home --background",
  denied: "This app may not send messages. Allow it with: nervous permissions grant home notify",
  prompt: "You have not decided yet whether this app may send messages. Allow it with: nervous permissions grant home notify",
};

function showMessages({ state }) {
  if (byId("messages").textContent !== MESSAGES[state]) fill(byId("messages"), MESSAGES[state]);
}

let shown = "";

/** What concerns the whole page: the host does not answer, nothing is there, nothing is kept. */
function showMessage({ failure, rooms, isKept }) {
  const box = failure !== null ? notice({
    kind: "stale", title: "No answer from the host",
    text: `Since ${spanText(Date.now() - failure.since)}: ${failure.message} It is tried again.` })
    : rooms.size === 0 ? notice({
      kind: "empty", title: "No sensors yet", fix: "nervous sensors install door-contact",
      text: "This app shows sensors named door, lock, climate, temperature or humidity. Add one, and allow it for this app." })
      : isKept ? null : notice({
        kind: "undecided", title: "Nothing is kept", fix: "nervous permissions grant home storage",
        text: "Rooms, names and the bridge last until you leave the page. Allow the storage, then open the page again." });
  const text = box === null ? "" : box.outerHTML;
  if (text === shown && byId("message").childElementCount > 0 === (box !== null)) return;
  shown = text;
  fill(byId("message"), box);
}

/** Why a device shows nothing, in brackets. */
function why(device) {
  if (device === undefined) return " (no sensor)";
  const { access, available, unavailable, failure } = device.description;
  if (access !== "granted") return ` (${access === "prompt" ? "not decided" : access})`;
  const reason = available ? failure ?? device.link.problem : unavailable?.reason;
  return reason ? ` (${reason})` : "";
}

/** Prints what is new about each accessory. */
function print(home, said) {
  const { accessories } = home;
  if (accessories.length === 0 && !said.has("")) {
    console.log("No door, lock, thermometer or hygrometer is allowed. Add one with: nervous sensors install door-contact");
  }
  said.set("", "");
  for (const accessory of accessories) {
    const device = home.devices.get(accessory.sensor);
    const values = accessory.quantities.map((one) => {
      const { value } = home.read(accessory, one);
      return `${TITLES[one.quantity].toLowerCase()} ${quantityText(one.quantity, value)}`;
    });
    const isEmpty = device === undefined || device.sample === null;
    const stale = !isEmpty && home.freshness(device).isStale ? " (stale)" : "";
    const text = isEmpty ? `no data yet${why(device)}` : `${values.join(", ")}${stale}`;
    // Climates change all the time: one line at the beginning is enough.
    const news = isEmpty || isEntrance(device.id) ? text : "climate";
    if (said.get(accessory.key) === news) continue;
    said.set(accessory.key, news);
    console.log(`${accessory.room}, ${accessory.name}: ${text}`);
  }
}
