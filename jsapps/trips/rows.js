// The stored form of reports, apart from the form that the app works with: short, with a version, and checked
// when it is read.

const VERSION = 1;
const SCALE = 1e7; // degrees are stored as integers of seven decimals, which is one centimetre

/** A row of an entry of the outbox. */
export function rowOf({ report, kept, failure }) {
  const { points, ...rest } = report;
  return {
    version: VERSION, kept, failure, ...rest,
    points: points.map(({ latitude, longitude, isVia }) => [Math.round(latitude * SCALE), Math.round(longitude * SCALE), isVia ? 1 : 0]),
  };
}

/**
 * The entry of a row.
 *
 * @throws {RangeError} for a row of another version, or one that was damaged
 */
export function entryOf(row) {
  if (row?.version !== VERSION || !Array.isArray(row.points) || typeof row.uuid !== "string") {
    throw new RangeError("A stored report has a form that this version cannot read.");
  }
  const { version, kept, failure, points, ...rest } = row;
  return {
    kept, failure,
    report: {
      ...rest,
      points: points.map(([latitude, longitude, via]) => ({
        latitude: latitude / SCALE, longitude: longitude / SCALE, isVia: via === 1,
      })),
    },
  };
}
