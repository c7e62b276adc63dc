// What the person sets. The SDK has no place for secrets: the key is a setting in the storage of the app.

const KEY = "settings";

export const DEFAULTS = Object.freeze({
  key: "", latitude: null, longitude: null, units: "metric", forecast: "days", indoor: "", lock: "" });

/** The settings; what is stored and not valid is the default. */
export async function load() {
  const stored = (await nervous.storage.get(KEY)) ?? {};
  return { ...DEFAULTS, ...parse({ ...DEFAULTS, ...stored }).settings };
}

export const store = (settings) => nervous.storage.set(KEY, settings);

/** Degrees of a typed text: null for none, undefined if it is no number from −`most` to `most`. */
export function degrees(text, most) {
  const trimmed = String(text ?? "").trim().replace(",", ".").replace("−", "-");
  if (trimmed === "") return null;
  if (!/^-?\d+(\.\d+)?$/.test(trimmed)) return undefined;
  return Math.abs(Number(trimmed)) <= most ? Number(trimmed) : undefined;
}

/** What was typed, as `{ settings }`, with `error: { id, text }` if something is wrong. */
export function parse({ key, latitude, longitude, units, forecast, indoor, lock }) {
  const settings = {
    key: String(key).trim(), latitude: degrees(latitude, 90), longitude: degrees(longitude, 180),
    units: units === "imperial" ? "imperial" : "metric", forecast: forecast === "sampled" ? "sampled" : "days",
    indoor: String(indoor), lock: String(lock),
  };
  const wrong = (id, text) => ({ settings: { ...settings, latitude: null, longitude: null }, error: { id, text } });
  if (!/^[\w-]*$/.test(settings.key)) return wrong("key", "A key has only letters and digits.");
  if (settings.latitude === undefined) return wrong("latitude", "Enter a latitude from −90 to 90, such as 47.37.");
  if (settings.longitude === undefined) return wrong("longitude", "Enter a longitude from −180 to 180, such as 8.54.");
  if ((settings.latitude === null) !== (settings.longitude === null)) {
    return wrong(settings.latitude === null ? "latitude" : "longitude", "Enter both latitude and longitude, or neither.");
  }
  return { settings };
}
