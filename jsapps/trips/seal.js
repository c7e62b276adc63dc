// Values as encrypted bytes: JSON in UTF-8, AES-256-GCM with a random nonce for each, and the name of the value
// as additional data, so that one cannot be put in the place of another.

const NONCE_BYTES = 12, KEY_BYTES = 32;

/** A value that cannot be decrypted: another key, or changed bytes. */
export class SealError extends Error {
  constructor(name) {
    super(`What is stored as “${name}” cannot be decrypted.`);
    this.name = "SealError";
  }
}

/** A key for this installation, as text. */
export const newKey = () => textOf(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));

/** Encrypts a JSON value. */
export async function seal(value, name, key) {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const sealed = await crypto.subtle.encrypt(algorithm(nonce, name), await imported(key), bytes);
  return { nonce: textOf(nonce), sealed: textOf(new Uint8Array(sealed)) };
}

/**
 * Decrypts what `seal` made.
 *
 * @throws {SealError} with another key or name, or after a change
 */
export async function unseal(blob, name, key) {
  let bytes;
  try {
    bytes = await crypto.subtle.decrypt(algorithm(bytesOf(blob.nonce), name), await imported(key), bytesOf(blob.sealed));
  } catch {
    throw new SealError(name);
  }
  return JSON.parse(new TextDecoder().decode(bytes));
}

const algorithm = (iv, name) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(name) });
const imported = (key) => crypto.subtle.importKey("raw", bytesOf(key), "AES-GCM", false, ["encrypt", "decrypt"]);

function textOf(bytes) {
  let text = "";
  // In parts: a call has a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
