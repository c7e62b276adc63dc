// The part of the page about uploads: the state of that of the chosen session, its buttons, and the server.

import { byId, dateText, el, fill } from "./elements.js";
import { after, Outbox, serverURL, upload } from "./outbox.js";
import { clocksOf, limbsOf, rangeOf } from "./recording.js";
import { client, permissionFor, renameClient, storedServer, storeServer, transport } from "./server.js";

const LONGEST_TIMER = 2 ** 31 - 1;
/** The buttons in each state of an upload. */
const BUTTONS = {
  none: ["send"], waiting: ["retry", "discard"], sent: ["send"], refused: ["retry", "discard"], conflict: ["copy", "discard"],
};

/** How far an upload is: which limb, and which part of its time. */
function progress({ limb, total, through, session: { sensors, spans } }) {
  const { start, end } = rangeOf({ spans });
  const share = through === null ? 0 : Math.round((100 * (through - start)) / (end - start));
  return `${total} parts, limb ${Math.min(limb + 1, sensors.length)} of ${sensors.length}, ${Math.min(share, 100)} % of its time`;
}

/**
 * - `session()`: the chosen session, or null
 * - `cut()`: resolves to what of it is used
 * - `removed(id)`: deletes a session that the server has
 * - `report(error)`
 */
export class Uploads {
  #page;
  #server = null;
  #timer = null;

  constructor(page) {
    this.#page = page;
    this.outbox = new Outbox({
      storage: nervous.storage,
      now: () => Date.now(),
      post: (...call) => transport.post(...call),
      read: async ({ session, cut }) => ({ client: await client(), limbs: limbsOf(session, cut, await clocksOf(session.id)) }),
      removed: (id) => page.removed(id),
      changed: (entry) => this.#changed(entry),
    });
  }

  /** Shows what is stored about the server; rejects if the storage is not allowed. */
  async start() {
    this.#server = await storedServer();
    byId("client").value = (await client()).name;
    byId("server").value = this.#server ?? "";
    await this.#sayServer();
    const actions = {
      send: () => this.#send(), retry: () => this.#retry(), copy: () => this.#copy(), discard: () => this.#discard() };
    for (const [id, act] of Object.entries(actions)) byId(id).addEventListener("click", () => act().catch(this.#page.report));
    byId("server-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#saveServer().catch(this.#page.report);
    });
  }

  /** Shows the upload of the chosen session. */
  async show() {
    const entry = await this.outbox.get(this.#page.session().id), state = entry?.state ?? "none";
    for (const id of ["send", "retry", "copy", "discard"]) byId(id).hidden = !BUTTONS[state].includes(id);
    byId("send").textContent = entry === undefined ? "Upload" : "Upload again";
    if (entry !== undefined) byId("removes").checked = entry.removes;
    byId("removes").disabled = entry !== undefined && state !== "sent";
    const origin = entry === undefined ? null : new URL(entry.server).origin;
    const texts = {
      none: () => (this.#server === null ? "Enter the address of a server below to upload."
        : `Not uploaded. It goes to ${this.#server}.`),
      waiting: () => (entry.attempts === 0 ? `Uploading to ${origin}: ${progress(entry)} …`
        : `${entry.problem} It is tried again at ${dateText(entry.next).slice(11)}.`),
      sent: () => `Uploaded to ${origin} at ${dateText(entry.changed)}, ${entry.total} parts.`,
      refused: () => `Not uploaded: ${entry.problem}`,
      conflict: () => `${entry.problem} Discard this upload, or send it as a copy.`,
    };
    fill(byId("upload-state"), texts[state]());
  }

  /** Sends what is due, and again when the next upload is. */
  async sendDue() {
    clearTimeout(this.#timer);
    await this.outbox.runOnce();
    const due = await this.outbox.due();
    if (due === null) return;
    const wait = Math.min(Math.max(0, due - Date.now()), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.sendDue().catch(this.#page.report), wait);
  }

  #changed({ session, state, total, problem }) {
    if (state !== "waiting") console.log(`${session.name}: upload ${state}, ${total} parts`);
    else if (problem !== null) console.log(`${session.name}: upload waits. ${problem}`);
    if (this.#page.session()?.id === session.id) this.show().catch(this.#page.report);
  }

  async #queue(entry) {
    await this.outbox.put(entry);
    await this.sendDue();
  }

  async #made(more) {
    const session = this.#page.session();
    return upload({ session, cut: await this.#page.cut(), server: this.#server, now: Date.now(), ...more });
  }

  async #send() {
    if (this.#server === null) {
      byId("server").focus();
      fill(byId("upload-state"), "Enter the address of the server first.");
      return;
    }
    await this.#queue(await this.#made({ removes: byId("removes").checked }));
  }

  async #copy() {
    const { revision, removes, server } = await this.outbox.get(this.#page.session().id);
    await this.#queue(await this.#made({ revision: revision + 1, removes, server: this.#server ?? server }));
  }

  async #retry() {
    const entry = await this.outbox.get(this.#page.session().id);
    await this.#queue(after(entry, { type: "retry", server: this.#server }, Date.now()));
  }

  async #discard() {
    await this.outbox.discard(this.#page.session().id);
    await this.show();
    byId("send").focus();
  }

  async #saveServer() {
    const text = byId("server").value.trim(), address = text === "" ? null : serverURL(text);
    if (text !== "" && address === null) {
      byId("server").setAttribute("aria-invalid", "true");
      fill(byId("server-note"), "Enter an address such as https://walkabout.local. Nothing has changed.");
      return;
    }
    byId("server").removeAttribute("aria-invalid");
    await renameClient(byId("client").value.trim());
    await storeServer(address);
    this.#server = address;
    byId("server").value = address ?? "";
    await this.#sayServer("Saved. ");
    if (this.#page.session() !== null && !byId("upload").hidden) await this.show();
  }

  /** Whether the server may be called, and what to do if not. */
  async #sayServer(before = "") {
    const words = [before];
    if (this.#server !== null) {
      const { origin } = new URL(this.#server), state = await permissionFor(this.#server);
      if (state === "granted") words.push(`Uploads go to ${this.#server}.`);
      else {
        const decision = state === "prompt" ? "decided whether this app may call" : "allowed this app to call";
        words.push(`You have not ${decision} ${origin}. To allow it: `, el("code", {}, `nervous permissions grant gait net:${origin}`),
          ". A server that is missing in the list of this app’s permissions must be added to its package.json first.");
      }
    }
    fill(byId("server-note"), el("p", {}, words));
  }
}
