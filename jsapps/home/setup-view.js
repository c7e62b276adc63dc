// Names and rooms, and the bridge: import of its configuration, its code, the confirmation, and the reset.

import { byId, el, fill } from "./elements.js";
import { BridgeError, readBridge } from "./bridge.js";
import { DocumentError } from "./strict-json.js";

const MOST_BYTES = 262_144;

export class SetupView {
  #home;
  #onChange;
  #shape = "";
  #isAskingReset = false;
  #warnings = [];

  constructor(home, onChange) {
    [this.#home, this.#onChange] = [home, onChange];
  }

  /** Builds again what has changed; what a person types stays. */
  update() {
    const { rooms, pairing, devices } = this.#home, accessories = [...rooms.values()].flat();
    const shape = JSON.stringify([
      accessories.map(({ key, name, room, sensor }) => [key, name, room, sensor]), [...devices.keys()], pairing.stage,
      pairing.hasNext, pairing.config?.username, this.#isAskingReset, this.#warnings]);
    if (shape === this.#shape) return;
    this.#shape = shape;
    const none = el("p", { class: "note" }, "There is nothing to name yet.");
    fill(byId("names"), accessories.length === 0 ? none : accessories.map((one, at) => this.#place(one, at)));
    fill(byId("bridge"), this.#bridge());
  }

  #say(text) {
    fill(byId("bridge-note"), text);
  }

  #run(action) {
    action().then(() => this.#onChange()).catch((error) => this.#say(error.message));
  }

  #place({ key, name, room, sensor, isBridged }, at) {
    const chosen = this.#home.names.of(key);
    const named = el("input", { id: `name-${at}`, value: name, maxLength: 40, autocomplete: "off" });
    const placed = el("input", { id: `room-of-${at}`, value: room, maxLength: 40, autocomplete: "off" });
    const automatic = sensor && !chosen.sensor ? `Automatic (${sensor})` : "Automatic";
    const bound = isBridged
      ? el("select", { id: `sensor-of-${at}` }, el("option", { value: "" }, automatic),
        [...this.#home.devices.keys()].map((id) => el("option", { value: id, selected: chosen.sensor === id }, id)))
      : el("input", { id: `sensor-of-${at}`, value: sensor, readOnly: true });
    const field = (label, input) => el("div", {}, el("label", { for: input.id }, label), input);
    return el("form", { class: "place", "data-key": key, onsubmit: (event) => {
      event.preventDefault();
      this.#run(async () => {
        await this.#home.names.set(key, { name: named.value, room: placed.value, sensor: isBridged ? bound.value : "" });
        this.#say(`Saved “${named.value.trim() || name}”.`);
      });
    } }, field("Name", named), field("Room", placed), field("Sensor", bound),
    el("button", { "aria-label": `Save ${name}` }, "Save"));
  }

  #bridge() {
    const { pairing } = this.#home, { config } = pairing;
    const parts = [];
    if (config !== null) {
      const names = config.accessories.map(({ name }) => name).join(", ") || "no accessories";
      parts.push(el("p", {}, `${config.name}, ${config.username}, port ${config.port}: ${names}.`));
    }
    if (this.#warnings.length > 0) {
      parts.push(el("ul", { class: "plain note", id: "warnings" }, this.#warnings.map((one) => el("li", {}, one))));
    }
    if (pairing.stage === "code") parts.push(this.#code());
    if (pairing.stage === "confirm") parts.push(this.#confirmation());
    if (pairing.stage === "paired") {
      parts.push(el("p", { class: "state good" }, "● Paired"));
      if (pairing.hasNext) {
        parts.push(el("p", { class: "state warn" }, "◷ Another configuration was imported. Its accessories appear when you "
          + "reset the bridge and pair again."));
      }
    }
    if (config !== null) parts.push(this.#reset());
    parts.push(this.#importer());
    return parts;
  }

  #code() {
    const code = el("input", {
      id: "code", autocomplete: "off", placeholder: "031-45-154", "aria-describedby": "bridge-note" });
    return el("form", { class: "row", id: "code-form", onsubmit: (event) => {
      event.preventDefault();
      this.#run(async () => {
        const result = await this.#home.pairing.enter(code.value);
        code.setAttribute("aria-invalid", `${!result.ok}`);
        this.#say(result.ok ? "The code is right." : result.reason);
      });
    } }, el("label", { for: "code" }, "Setup code of the bridge"), code, el("button", { class: "main" }, "Check code"));
  }

  #confirmation() {
    return el("div", { class: "notice undecided" }, el("strong", {}, "? This bridge is not certified"),
      "Nobody has checked it. Add it only if you set it up yourself.",
      el("div", { class: "row" },
        el("button", { type: "button", id: "confirm", onclick: () => this.#run(async () => {
          await this.#home.pairing.confirm();
          this.#say("The bridge is paired.");
        }) }, "Add bridge"),
        el("button", { type: "button", onclick: () => this.#run(() => this.#home.pairing.cancel()) }, "Cancel")));
  }

  #reset() {
    if (!this.#isAskingReset) {
      return el("button", { type: "button", id: "reset", onclick: () => this.#ask(true) }, "Reset bridge …");
    }
    return el("div", { class: "notice" }, el("strong", {}, "Reset the bridge?"),
      "Its pairing, and the names and rooms of its accessories, are forgotten. Pair it again with its code.",
      el("div", { class: "row" },
        el("button", { type: "button", id: "reset-now", onclick: () => this.#run(async () => {
          await this.#home.resetBridge();
          this.#isAskingReset = false;
          this.#say("The bridge was reset. Enter its code to pair it again.");
        }) }, "Reset bridge"),
        el("button", { type: "button", onclick: () => this.#run(async () => {
          await this.#home.removeBridge();
          [this.#isAskingReset, this.#warnings] = [false, []];
          this.#say("The bridge was removed.");
        }) }, "Remove bridge"),
        el("button", { type: "button", onclick: () => this.#ask(false) }, "Cancel")));
  }

  #ask(isAsking) {
    this.#isAskingReset = isAsking;
    this.update();
    byId(isAsking ? "reset-now" : "reset")?.focus();
  }

  #importer() {
    const pasted = el("textarea", { id: "document", spellcheck: false, "aria-describedby": "bridge-note" });
    const read = async () => {
      const [file] = chosen.files;
      if (file === undefined) return;
      if (file.size > MOST_BYTES) throw new BridgeError("The file is larger than 256 KiB, so it is no config.json.");
      pasted.value = await file.text();
      await this.#import(pasted.value);
    };
    const chosen = el("input", {
      id: "file", type: "file", accept: ".json,application/json", onchange: () => this.#run(read) });
    return el("form", { class: "stack", id: "import-form", onsubmit: (event) => {
      event.preventDefault();
      this.#run(() => this.#import(pasted.value));
    } }, el("label", { for: "file" }, "Configuration of a bridge (config.json)"), chosen,
    el("label", { for: "document" }, "Or its text"), pasted, el("button", {}, "Import configuration"));
  }

  async #import(text) {
    try {
      const bridge = readBridge(text);
      this.#warnings = bridge.warnings;
      const isReady = await this.#home.pairing.import(bridge);
      const { length } = bridge.accessories;
      this.#say(isReady
        ? `Imported ${length} ${length === 1 ? "accessory" : "accessories"} of “${bridge.name}”. Enter the setup code.`
        : "The configuration was imported and waits: reset the bridge to use it.");
    } catch (error) {
      if (!(error instanceof DocumentError || error instanceof BridgeError)) throw error;
      this.#say(`Not imported. ${error.message}`);
    }
  }
}
