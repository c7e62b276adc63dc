// Map tiles from the folder that the owner names, in Web Mercator. Without the setting there are none.

import { api } from "./dashboard.js";

const PLACE = "/dashboard/tiles";
const SIZE = 256; // the length of a tile for which a level is made, in units of the map
const MOST = 64; // tiles of one map
const KEPT = 256; // tiles that are kept for the next drawing
const RADIANS = Math.PI / 180;

/** The width of the world is 1: `x` from west to east, `y` from north to south. */
export const world = {
  x: (longitude) => longitude / 360 + 0.5,
  y: (latitude) => 0.5 - Math.asinh(Math.tan(latitude * RADIANS)) / (2 * Math.PI),
};

let found = null;
const pictures = new Map();

/** What there is: `zooms` and `attribution`; `null` if the owner names no folder, or it has no tiles. */
export function tileSet() {
  found ??= api(PLACE, { at: "" }).then((set) => (set?.zooms.length > 0 ? set : null), () => {
    found = null; // asked again for the next map
    return null;
  });
  return found;
}

/**
 * The tiles of a map.
 * @param {{zooms: number[]}} set
 * @param {{left: number, top: number, scale: number, width: number, height: number}} view its corner in the world,
 *   its units in the width of the world, and its size in units
 * @returns {{zoom: number, column: number, row: number, x: number, y: number, size: number}[]}
 */
export function tilesOf(set, { left, top, scale, width, height }) {
  const wanted = Math.round(Math.log2(scale / SIZE));
  const near = [...set.zooms].sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted) || a - b);
  for (const zoom of near) {
    const count = 2 ** zoom, size = scale / count, tiles = [];
    const [first, last] = [Math.floor(left * count), Math.floor((left + width / scale) * count)];
    const [up, down] = [Math.max(0, Math.floor(top * count)), Math.min(count - 1, Math.floor((top + height / scale) * count))];
    if ((last - first + 1) * (down - up + 1) > MOST) continue;
    for (let at = first; at <= last; at++) {
      for (let row = up; row <= down; row++) {
        // Beyond the antimeridian the world begins again.
        const column = ((at % count) + count) % count;
        tiles.push({ zoom, column, row, size, x: (at / count - left) * scale, y: (row / count - top) * scale });
      }
    }
    return tiles;
  }
  return [];
}

/** A tile as a `data:` address, which an image can show without a token; `null` if it is missing. */
export function picture({ zoom, column, row }, signal) {
  const path = `${PLACE}/${zoom}/${column}/${row}`;
  let made = pictures.get(path);
  if (!made) {
    made = read(path, signal).catch((error) => {
      if (error.status !== 404) pictures.delete(path);
      return null;
    });
    pictures.set(path, made);
    if (pictures.size > KEPT) pictures.delete(pictures.keys().next().value);
  }
  return made;
}

async function read(path, signal) {
  const answer = await api(path, { at: "", raw: true, signal });
  const blob = await answer.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
