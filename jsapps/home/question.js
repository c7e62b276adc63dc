// Answers to questions in words, such as "What is the temperature in the bedroom?". A question names a quantity,
// and a room or an accessory; the rest of its words do not matter.

import { quantityText, TITLES } from "./readings.js";

const ABOUT = [
  ["humidity", /\b(humidity|humid|moist|damp|dry)\b/],
  ["temperature", /\b(temperature|temp|warm|hot|cold|cool|degrees|heat)\b/],
  ["battery", /\b(battery|batteries|charge|power)\b/],
  ["lock", /\b(locked|unlocked|lock|locks)\b/],
  ["door", /\b(open|closed|shut|door|doors)\b/],
];
/** Words before the name of a room. */
const PLACE = /(?:^| )(?:in|of|at|for|from|inside) (?:(?:the|my|our) )?([\p{L}\p{N}' ]+?)(?: (?:right now|now|today|currently|please))?$/u;

const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}' ]+/gu, " ").replace(/\s+/g, " ").trim();
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const mentions = (question, name) => plain(name) !== "" && new RegExp(`(^| )${escaped(plain(name))}( |$)`, "u").test(question);

const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** A sentence about one value. `note` is what the reader must know about its age; null if it is fresh. */
function sentence({ name, room }, quantity, { value, note }) {
  const text = quantityText(quantity, value);
  if (value === undefined || value === "unknown") return `${TITLES[quantity]} of ${name}: unknown${note ? ` (${note})` : ""}.`;
  const said = quantity === "temperature" || quantity === "humidity"
    ? `The ${quantity} in ${room} is ${text}`
    : quantity === "battery" ? `The battery of ${name} is at ${text}` : `${name} is ${text.toLowerCase()}`;
  return `${said}${note ? ` (${note})` : ""}.`;
}

/**
 * Answers a question.
 *
 * @param rooms accessories by room, of `roomsOf`
 * @param read a function of an accessory and one of its quantities, to `{ value, note }`
 * @returns {{ isAnswer: boolean, text: string }}
 */
export function answer(text, rooms, read) {
  const question = plain(text), refuse = (why) => ({ isAnswer: false, text: why });
  if (question === "") return refuse("Ask for example: What is the temperature in the bedroom?");
  const all = [...rooms.values()].flat();
  const named = all.filter(({ name }) => mentions(question, name));
  // "door" as part of a name says which door, not what about it.
  const asked = named.reduce((rest, { name }) => rest.replace(plain(name), " "), question);
  const quantity = (ABOUT.find(([, words]) => words.test(asked)) ?? ABOUT.find(([, words]) => words.test(question)))?.[0];
  if (quantity === undefined) return refuse("I can say temperature, humidity, battery, and whether something is open or locked.");

  const names = [...rooms.keys()], inRooms = names.filter((name) => mentions(question, name));
  const place = PLACE.exec(question)?.[1];
  if (inRooms.length === 0 && named.length === 0 && place !== undefined && !/^(home|house|here|there|it)$/.test(place)) {
    return refuse(names.length === 0
      ? `There is no room “${place}”, because there is no room yet.`
      : `There is no room “${place}”. The rooms are ${listed(names)}.`);
  }
  const meant = named.length > 0 ? named : inRooms.length > 0 ? inRooms.flatMap((name) => rooms.get(name)) : all;
  // What is open can be a door or, without a contact, only a lock; and the other way round.
  const instead = { lock: "door", door: "lock" }[quantity];
  const found = meant.flatMap((accessory) => {
    const one = accessory.quantities.find((each) => each.quantity === quantity)
      ?? accessory.quantities.find((each) => each.quantity === instead);
    return one === undefined ? [] : [sentence(accessory, one.quantity, read(accessory, one))];
  });
  if (found.length > 0) return { isAnswer: true, text: found.join(" ") };
  const where = named.length > 0 ? listed(named.map(({ name }) => name)) : listed(inRooms);
  const what = { lock: "a lock", door: "a door" }[quantity] ?? `the ${quantity}`;
  return refuse(`Nothing${where === "" ? "" : ` in ${where}`} reports ${what}.`);
}
