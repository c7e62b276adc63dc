// The server and the client: what is stored about them, and the calls.

import { serverURL } from "./outbox.js";

const SERVER = "server", CLIENT = "client";

/** Calls to the server. A test replaces `post`. */
export const transport = {
  async post(url, body, key) {
    const answer = await nervous.net.fetch(url, {
      method: "POST", body, headers: { "Content-Type": "application/json", "Idempotency-Key": key } });
    return { status: answer.status, isRedirected: answer.redirected, text: await answer.text() };
  },
};

/** The address that was stored, or null. */
export const storedServer = async () => serverURL((await nervous.storage.get(SERVER)) ?? "");
export const storeServer = (address) =>
  address === null ? nervous.storage.remove(SERVER) : nervous.storage.set(SERVER, address);

/** Who this is to the server: `{ id, at, name }`, made at the first start. */
export async function client() {
  const stored = await nervous.storage.get(CLIENT);
  if (stored !== undefined) return stored;
  const made = { id: crypto.randomUUID().toUpperCase(), at: Date.now(), name: "Nervous" };
  await nervous.storage.set(CLIENT, made);
  return made;
}

export async function renameClient(name) {
  await nervous.storage.set(CLIENT, { ...(await client()), name });
}

/** Whether this app may call a server: `granted`, `prompt` or `denied`; a server that its manifest lacks is `denied`. */
export async function permissionFor(address) {
  const { state } = await nervous.permissions.query({ name: "net", origin: new URL(address).origin });
  return state;
}
