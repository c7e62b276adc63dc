// The route of a session: its figures, and a map of it that is drawn here, on the owner's own tiles if there are any.

import { texts } from "./page-texts.js";
import { picture, tilesOf, world } from "./tiles.js";

const words = texts.sessions;
const EARTH = 6_371_008.8; // metres, the mean radius
const RADIANS = Math.PI / 180;
/** No point for longer than this is shown as a gap of the signal, if the host reports one. */
const LOST_MS = 30_000;
/** Heights that change by less are noise of the receiver. */
const CLIMB_METRES = 3;

/** Metres between two positions of `[longitude, latitude]`, on a sphere. */
export function distance([lonA, latA], [lonB, latB]) {
  const [a, b] = [latA * RADIANS, latB * RADIANS];
  const u = Math.sin((b - a) / 2) ** 2
    + Math.cos(a) * Math.cos(b) * Math.sin(((lonB - lonA) * RADIANS) / 2) ** 2;
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(u)));
}

/** Points in order, with the metres so far; `isBreak` where no line leads to a point. */
export class Route {
  points = [];
  distance;
  warnings;
  isManual;

  /** @param collection the answer of `GET /sessions/{id}/route` */
  constructor(collection) {
    const [feature] = collection.features;
    this.warnings = collection.warnings ?? [];
    this.isManual = collection.distanceSource === "manual";
    if (feature) this.#read(feature);
    this.distance = collection.distance ?? this.points.at(-1)?.metres;
    this.#scale();
  }

  /** Scales the distances along the route to the host's total, which is measured on an ellipsoid. */
  #scale() {
    const factor = this.distance / this.points.at(-1)?.metres;
    if (!(Math.abs(factor - 1) < 0.01)) return;
    for (const point of this.points) point.metres *= factor;
  }

  #read({ geometry: { type, coordinates }, properties }) {
    const lines = type === "LineString" ? [coordinates] : coordinates;
    let metres = 0, before;
    lines.forEach((line, number) => {
      const pauses = new Set(properties.via?.[number] ?? []);
      line.forEach((place, index) => {
        const isBreak = !before || index === 0 || pauses.has(index - 1);
        if (!isBreak) metres += distance(before.place, place);
        const time = Date.parse(properties.times?.[number]?.[index] ?? "");
        before = {
          place, metres, isBreak, altitude: place[2],
          time: Number.isNaN(time) ? undefined : time,
          accuracy: properties.accuracies?.[number]?.[index] ?? undefined,
        };
        this.points.push(before);
      });
    });
    // Longitudes that continue beyond the antimeridian, so that a route across it is one line.
    for (const [index, point] of this.points.entries()) {
      point.longitude = point.place[0];
      const last = this.points[index - 1];
      if (last) point.longitude += 360 * Math.round((last.longitude - point.longitude) / 360);
    }
  }

  get hasAltitude() {
    return this.points.length > 1 && this.points.every(({ altitude }) => altitude !== undefined);
  }

  /** Metres of ascent; nothing without altitudes. */
  get ascent() { return this.hasAltitude ? climb(this.points).up : undefined; }

  /** Lost signal, as pairs of points. */
  isLost(point, before) {
    return this.warnings.includes("signalLost") && point.time - before.time > LOST_MS;
  }

  /** Each kilometre, and the rest: its pace in seconds a kilometre, and how much higher it ends. */
  get splits() {
    const splits = [];
    const { points } = this;
    if (points.length < 2 || points.some(({ time }) => time === undefined)) return splits;
    let [first, active, start] = [0, 0, 0];
    for (let index = 1; index < points.length; index++) {
      const [before, point] = [points[index - 1], points[index]];
      if (!point.isBreak) active += point.time - before.time;
      const isLast = index === points.length - 1;
      const isWhole = point.metres - start >= 1000;
      if (!isWhole && !(isLast && point.metres - start > 10)) continue;
      const metres = point.metres - start;
      splits.push({
        number: splits.length + 1, isWhole, metres, pace: active / metres,
        climb: (point.altitude ?? 0) - (points[first].altitude ?? 0),
      });
      [first, active, start] = [index, 0, point.metres];
    }
    return splits;
  }

  /** The point at which a distance is reached. */
  at(metres) {
    let [low, high] = [0, this.points.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.points[middle].metres < metres) low = middle + 1; else high = middle;
    }
    return this.points[low];
  }
}

/** Ascent and descent, without changes below the noise of a receiver. */
export function climb(points) {
  let [up, down, last] = [0, 0, points[0].altitude];
  for (const { altitude } of points) {
    if (altitude - last >= CLIMB_METRES) up += altitude - last;
    else if (last - altitude >= CLIMB_METRES) down += last - altitude;
    else continue;
    last = altitude;
  }
  return { up, down };
}

// MARK: Map

const [WIDTH, HEIGHT, MARGIN] = [960, 560, 72];
const SHORTEST = 60; // metres: a shorter route is not enlarged further
const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const rounded = (number) => Math.round(number * 10) / 10;

/** The smallest of 1, 2.5 and 5 times a power of ten that is at least `metres`. */
function roundLength(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return [1, 2.5, 5, 10].map((digit) => digit * power).find((length) => length >= metres * 0.999);
}

const kilometres = (metres) => (metres < 1000 ? `${metres}\u202fm` : `${metres / 1000}\u202fkm`);

/**
 * A map of a route: grid, scale, north, start as a ring, finish as a square, kilometres; in Web Mercator, as tiles are.
 *
 * @param tiles what `tileSet` found; without it nothing is drawn below the route
 * @param signal ends the reading of tiles
 * @returns the `element`, and `mark(point)` that shows a place on the way.
 */
export function routeMap(route, tiles = null, signal = undefined) {
  const { points } = route;
  const view = viewOf(points);
  const xy = ({ longitude, place }) => [
    rounded((world.x(longitude) - view.left) * view.scale), rounded((world.y(place[1]) - view.top) * view.scale),
  ];
  const title = `map-title-${points.length}`, description = `map-text-${points.length}`;
  const here = shape("circle", { class: "here", r: 0 });
  const { metre } = view, step = roundLength(90 / metre), ruler = roundLength(110 / metre);
  const ground = shape("g", { class: "tiles" });
  const element = shape("svg", {
    class: "map", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": `${title} ${description}`,
  },
  shape("title", { id: title }, words.mapTitle), shape("desc", { id: description }, mapText(route, view.wide, view.high, step)),
  ground, ...net(step * metre), ...ways(route, xy, metre), ...posts(route, xy), ...ends(points, xy),
  here, ...rulers(ruler, ruler * metre));
  if (tiles) for (const tile of tilesOf(tiles, view)) lay(ground, tile, signal);
  return {
    element,
    mark(point) {
      if (!point) return here.setAttribute("r", 0);
      const [x, y] = xy(point);
      here.setAttribute("cx", x);
      here.setAttribute("cy", y);
      here.setAttribute("r", 8);
    },
  };
}

/**
 * The part of the world that a map shows; `metre` is the length of a metre in its middle, `wide` and
 * `high` are metres.
 */
function viewOf(points) {
  const latitudes = points.map(({ place }) => place[1]), longitudes = points.map(({ longitude }) => longitude);
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)].map(world.x);
  const [north, south] = [Math.max(...latitudes), Math.min(...latitudes)].map(world.y);
  // The width of the world is shorter at higher latitudes.
  const around = 2 * Math.PI * EARTH * Math.cos(RADIANS * (Math.min(...latitudes) + Math.max(...latitudes)) / 2);
  const wide = Math.max(SHORTEST, (east - west) * around), high = Math.max(SHORTEST, (south - north) * around);
  const metre = Math.min((WIDTH - 2 * MARGIN) / wide, (HEIGHT - 2 * MARGIN) / high);
  const scale = metre * around;
  return {
    metre, wide, high, scale, width: WIDTH, height: HEIGHT,
    left: (west + east) / 2 - WIDTH / 2 / scale, top: (north + south) / 2 - HEIGHT / 2 / scale,
  };
}

/** Draws a tile when it has been read; nothing is drawn where one is missing. */
async function lay(ground, tile, signal) {
  const href = await picture(tile, signal);
  if (href === null) return;
  // A little larger, so that no gap shows between two of them.
  const size = rounded(tile.size + 0.5);
  ground.append(shape("image", {
    href, x: rounded(tile.x), y: rounded(tile.y), width: size, height: size, preserveAspectRatio: "none",
  }));
}

function mapText(route, wide, high, step) {
  const { points } = route;
  const apart = distance(points[0].place, points.at(-1).place);
  const said = [route.distance, wide, high, apart, step].map((metres) => kilometres(Math.round(metres)));
  return words.mapText(...said, route.warnings.includes("signalLost"));
}

function net(gap) {
  const lines = [];
  for (let x = (WIDTH / 2) % gap; x < WIDTH; x += gap) lines.push(`M${rounded(x)} 0V${HEIGHT}`);
  for (let y = (HEIGHT / 2) % gap; y < HEIGHT; y += gap) lines.push(`M0 ${rounded(y)}H${WIDTH}`);
  return [shape("path", { class: "net", d: lines.join("") })];
}

/** The line, with an outline and a pale band as wide as the accuracy; dotted where the signal was lost. */
function ways(route, xy, scale) {
  const { points } = route;
  const parts = [], lost = [];
  points.forEach((point, index) => {
    const before = points[index - 1];
    if (point.isBreak) parts.push([point]);
    else if (route.isLost(point, before)) {
      lost.push([before, point]);
      parts.push([point]);
    } else parts.at(-1).push(point);
  });
  const list = (part) => part.map((point) => xy(point).join(",")).join(" ");
  const lines = (kind, all, more = {}) => all.filter((part) => part.length > 1)
    .map((part) => shape("polyline", { class: kind, points: list(part), ...more }));
  const accuracies = points.map(({ accuracy }) => accuracy).filter((accuracy) => accuracy !== undefined)
    .sort((a, b) => a - b);
  const accuracy = accuracies[accuracies.length >> 1];
  const band = accuracy === undefined ? 0 : Math.min(80, 2 * accuracy * scale);
  return [
    ...(band > 5 ? lines("band", parts, { "stroke-width": rounded(band) }) : []),
    ...lines("casing", parts), ...lines("way", parts), ...lines("way lost", lost),
  ];
}

function posts(route, xy) {
  const whole = Math.floor((route.points.at(-1).metres) / 1000);
  const every = [1, 2, 5, 10, 20, 50, 100].find((step) => whole / step <= 12) ?? 500;
  const shapes = [];
  for (let number = every; number <= whole; number += every) {
    const [x, y] = xy(route.at(number * 1000));
    shapes.push(shape("circle", { class: "post", cx: x, cy: y, r: 11 }), shape("text", { x, y }, String(number)));
  }
  return shapes;
}

function ends(points, xy) {
  const [x, y] = xy(points[0]), [u, v] = xy(points.at(-1));
  // Names stand away from each other.
  const isLeft = x <= u;
  const label = (name, left, x, y) => shape("text", {
    class: left ? "label before" : "label", x: rounded(left ? x - 18 : x + 18), y,
  }, name);
  return [
    shape("rect", { class: "finish", x: u - 8, y: v - 8, width: 16, height: 16, rx: 3 }),
    label(words.finishLabel, !isLeft, u, v),
    shape("circle", { class: "post", cx: x, cy: y, r: 8 }), label(words.startLabel, isLeft, x, y),
  ];
}

function rulers(length, wide) {
  const y = HEIGHT - 26;
  return [
    shape("path", { class: "ruler", d: `M32 ${y - 6}v6h${rounded(wide)}v-6` }),
    shape("text", { class: "label edge", x: 32, y: y - 20 }, "0"),
    shape("text", { class: "label edge", x: rounded(32 + wide), y: y - 20 }, kilometres(length)),
    shape("path", { class: "ruler", d: "M920 64V28m-7 9 7-9 7 9" }),
    shape("text", { x: 920, y: 82 }, words.north),
  ];
}
