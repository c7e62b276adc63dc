// The rooms on the page. Elements are kept while the rooms are the same, so that the keyboard stays where it is.

import { dateText, el, fill, notice, spanText } from "./elements.js";
import { buttonText } from "./link.js";
import { isEntrance, quantityText, TITLES } from "./readings.js";

const LOW_BATTERY = 20;
const LINKS = {
  unknown: "Unknown", scanning: "Scanning", connecting: "Connecting", connected: "Connected", disconnected: "Disconnected",
};

/** The state of a sensor that cannot be read; null if it can. */
function obstacle(device, accessory) {
  if (device === undefined) {
    const wanted = accessory.wanted.map((one) => TITLES[one].toLowerCase()).join(" and ");
    return notice({
      kind: "missing", title: "No sensor", fix: "nervous sensors install PACK",
      text: `No sensor reports ${wanted}. Choose one under “Rooms and bridge”, or add it.` });
  }
  const { description, error, sample } = device, { access } = description;
  const fix = `nervous permissions grant home sensor:${device.id}`;
  const refused = {
    denied: ["denied", "Denied", `You have denied ${device.id} to this app.`],
    statistics: ["denied", "Statistics only", `This app needs every sample of ${device.id} to show the newest one.`],
    prompt: ["undecided", "Not decided yet", `Decide about ${device.id} first.`],
  }[access];
  if (refused !== undefined) {
    const [kind, title, text] = refused;
    return notice({ kind, title, text, fix });
  }
  if (!description.available && sample === null) {
    const { reason, remedy } = description.unavailable ?? {};
    return notice({ kind: "missing", title: "Not on this machine", text: reason, fix: remedy });
  }
  if (sample !== null) return null;
  if (description.failure) return notice({ kind: "failed", title: "Sensor failure", text: description.failure });
  if (error !== null) return notice({ kind: "failed", title: "Failed", text: error.message, fix: error.fix });
  if (isEntrance(device.id) && !device.link.isHeld) {
    return notice({ kind: "empty", title: "Never connected", text: "Connect to see its state." });
  }
  return notice({ kind: "empty", title: "No data yet", text: device.link.problem ?? `Level: ${description.level}.` });
}

const holderText = (holders) => {
  const others = (kind, one, several) => {
    const count = holders.filter((holder) => holder.kind === kind).length;
    return count === 0 ? [] : [count === 1 ? one : `${count} ${several}`];
  };
  const found = [
    ...others("page", "another page", "other pages"), ...others("run", "a run in the background", "runs in the background")];
  return found.join(" and ");
};

/** Shows rooms in `place`, and in `missing` what is not there; `update` after each change. */
export class RoomsView {
  #place;
  #missing;
  #home;
  #cards = new Map();
  #shape = "";
  #shownMissing = "";

  constructor(place, missing, home) {
    [this.#place, this.#missing, this.#home] = [place, missing, home];
  }

  update(now = Date.now()) {
    this.#updateMissing();
    const { rooms } = this.#home;
    const shape = JSON.stringify([...rooms].map(([room, list]) => [room, list.map(({ key, sensor }) => [key, sensor])]));
    if (shape !== this.#shape) this.#build(rooms);
    this.#shape = shape;
    for (const accessory of [...rooms.values()].flat()) this.#cards.get(accessory.key).update(accessory, now);
  }

  /** What this machine does not have, in one line that opens. */
  #updateMissing() {
    const { missing } = this.#home, shape = JSON.stringify(missing.map(({ id, unavailable }) => [id, unavailable]));
    if (shape === this.#shownMissing) return;
    this.#shownMissing = shape;
    this.#missing.hidden = missing.length === 0;
    const title = missing.length === 1 ? "1 sensor is not on this machine" : `${missing.length} sensors are not on this machine`;
    const line = ({ title: name, id, unavailable: { reason, remedy } = {} }) =>
      el("li", {}, `${name} (${id}): ${reason ?? "no reason is known"}. `, remedy ? el("code", {}, remedy) : null);
    fill(this.#missing, el("summary", {}, title), el("ul", { class: "plain" }, missing.map(line)));
  }

  #build(rooms) {
    this.#cards.clear();
    fill(this.#place, [...rooms].map(([room, accessories], at) =>
      el("section", { class: "panel stack", "aria-labelledby": `room-${at}` }, el("h2", { id: `room-${at}` }, room),
        accessories.map(({ key }) => {
          const card = new Card(this.#home);
          this.#cards.set(key, card);
          return card.element;
        }))));
  }
}

class Card {
  #home;
  #name = el("h3", {});
  #body = el("div", {});
  #updated = el("p", { class: "note" });
  #button = null;
  #shown = "";
  element = el("article", { class: "accessory" }, this.#name, this.#body, this.#updated);

  constructor(home) {
    this.#home = home;
  }

  update(accessory, now) {
    const device = this.#home.devices.get(accessory.sensor), blocked = obstacle(device, accessory);
    fill(this.#name, accessory.name);
    this.element.setAttribute("data-sensor", accessory.sensor ?? "");
    this.#connection(device, accessory);
    if (blocked !== null && (device === undefined || device.sample === null)) {
      this.element.className = "accessory";
      // A notice that is rebuilt twice a second cannot be selected or copied.
      if (this.#shown !== blocked.outerHTML) fill(this.#body, blocked);
      this.#shown = blocked.outerHTML;
      fill(this.#updated);
      return;
    }
    const { isStale, note } = this.#home.freshness(device, now);
    this.element.className = isStale ? "accessory stale" : "accessory";
    this.#shown = "";
    fill(this.#body, this.#figures(accessory, device));
    this.#updated.className = isStale ? "note state warn" : "note";
    const { t } = device.sample, at = dateText(t);
    fill(this.#updated, isStale ? `◷ Stale: ${note} (${at})` : `Updated ${at}, ${spanText(now - t)} ago`,
      holdersOf(this.#home, device));
  }

  #figures(accessory, device) {
    const tile = (name, title, value, state) => el("div", { class: `tile-${name}`, "data-state": state },
      el("dt", {}, title), el("dd", { class: state }, value));
    const figures = accessory.quantities.map((one) => {
      const { value } = this.#home.read(accessory, one);
      const state = typeof value === "string" ? value : one.quantity === "battery" && value < LOW_BATTERY ? "low" : "";
      return tile(one.quantity, TITLES[one.quantity], quantityText(one.quantity, value), state);
    });
    if (isEntrance(device.id)) figures.push(tile("link", "Link", LINKS[device.link.state], device.link.state));
    return el("dl", { class: "figures" }, figures);
  }

  /** The one button of a door or lock. It stays the same element, so that it keeps the focus. */
  #connection(device, { name }) {
    if (device === undefined || !isEntrance(device.id) || !device.isReadable) {
      this.#button?.remove();
      this.#button = null;
      return;
    }
    const { id, link } = device;
    if (this.#button === null) {
      this.#button = el("button", { type: "button", onclick: () => {
        const current = this.#home.devices.get(id);
        const done = current?.link.isHeld ? this.#home.disconnect(id) : this.#home.connect(id);
        done.catch((error) => this.#home.report(`${name}: ${error.message}.`));
      } });
      this.element.append(this.#button);
    }
    const text = buttonText(link);
    if (this.#button.textContent !== text) fill(this.#button, text);
    this.#button.setAttribute("aria-label", `${text}: ${name}`);
  }
}

function holdersOf(home, device) {
  const others = home.othersAt(device.id);
  if (!isEntrance(device.id) || others.length === 0) return null;
  return el("span", {}, el("br", {}), `Also used by ${holderText(others)}.`);
}
