// Providers: whoever takes reports. A list of them has the published form, an array of objects with `Name`,
// `APIUrl`, `ImgUrl`, `TextColor`, `PrimaryColor` and `SecondaryColor`.

const COLOUR = /^#[0-9a-f]{6}$/i;
/** The contrast that WCAG 2.2 AA asks of text. */
const READABLE = 4.5;

/**
 * The providers of a list, and those that cannot be used, each with the reason.
 *
 * @returns {{ providers: object[], rejected: { name: string, reason: string }[] }}
 * @throws {TypeError} if it is no list
 */
export function parseProviders(value) {
  if (!Array.isArray(value)) throw new TypeError("The answer is not a list of providers.");
  const providers = [], rejected = [];
  for (const entry of value) {
    const name = text(entry?.Name);
    try {
      providers.push(provider(entry, name));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      rejected.push({ name: name || "without a name", reason: error.message });
    }
  }
  return { providers, rejected };
}

const text = (value) => (typeof value === "string" ? value.trim() : "");

function provider(entry, name) {
  if (name === "") throw new TypeError("It has no name.");
  return {
    name, api: apiAddress(text(entry.APIUrl)),
    text: colour(entry.TextColor, "TextColor"), primary: colour(entry.PrimaryColor, "PrimaryColor"),
    secondary: colour(entry.SecondaryColor, "SecondaryColor"),
  };
}

/**
 * The address of an API without its final slash.
 *
 * @throws {TypeError} unless it is an http or https address without user name, query and fragment
 */
export function apiAddress(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    throw new TypeError(address === "" ? "It has no address." : `“${address}” is not an address.`);
  }
  if (!["http:", "https:"].includes(url.protocol)) throw new TypeError("Its address must begin with https:// or http://.");
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("Its address must not have a user name, a query or a fragment.");
  }
  return url.href.replace(/\/+$/, "");
}

function colour(value, name) {
  if (!COLOUR.test(text(value))) throw new TypeError(`Its ${name} is not a colour such as #00665F.`);
  return value.trim().toLowerCase();
}

/** The relative luminance of a colour, after WCAG 2.2. */
function luminance(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours, from 1 to 21, after WCAG 2.2. */
export function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}

/** The text colour on a ground: the one that was asked for if it can be read there, otherwise black or white. */
export function readableOn(ground, wanted) {
  if (contrast(ground, wanted) >= READABLE) return wanted;
  return contrast(ground, "#000000") >= contrast(ground, "#ffffff") ? "#000000" : "#ffffff";
}

/** The CSS variables of a provider's theme. */
export function themeOf({ text: ink, primary, secondary }) {
  return { "--brand": primary, "--on-brand": readableOn(primary, ink), "--brand-edge": secondary };
}
