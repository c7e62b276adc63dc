// The host's health store, which all apps share. Everything here is optional: on a host without it, or
// without permission for it, the app has its own list of workouts.

const TOTALS = [
  { type: "steps", field: "steps" },
  { type: "flights-climbed", field: "floors" },
];

/** The store of the host; null on one that has none. */
export const healthOf = (sdk = nervous) => sdk.health ?? null;

/** Whether a type may be written; asks the owner if there is no decision yet. */
async function mayWrite(permissions, type) {
  const privilege = { name: "health", type, access: "write" };
  try {
    const { state } = await permissions.query(privilege);
    return (state === "prompt" ? await permissions.request(privilege) : { state }).state === "granted";
  } catch (error) {
    // A version of the app, or of the host, that does not know this type.
    if (error.name !== "NotAllowedError" && error.name !== "NotFoundError") throw error;
    return false;
  }
}

/**
 * Saves a finished workout: the workout first, and attached to it the samples of the types that may be
 * written, all or none of them. The workout's id is the key, so that saving again stores nothing twice.
 *
 * Resolves to `{ state: "saved", without }`, with the types that the owner does not allow, or to
 * `{ state: "missing" | "denied" | "failed", error? }`: then it can be tried again later.
 */
export async function save(workout, { health = healthOf(), permissions = nervous.permissions } = {}) {
  if (health === null) return { state: "missing" };
  const { id: key, start, end, duration } = workout;
  const { activity, distance } = health.activityOf(workout.label);
  const wanted = [...TOTALS, ...(distance === undefined ? [] : [{ type: distance, field: "distance" }])]
    .filter(({ field }) => workout[field] !== null);
  const without = [], samples = [];
  try {
    if (!(await mayWrite(permissions, "workout"))) return { state: "denied" };
    for (const { type, field } of wanted) {
      if (await mayWrite(permissions, type)) samples.push({ type, value: workout[field], start, end });
      else without.push(type);
    }
    await health.saveWorkout({ activity, start, end, duration: Math.min(duration, end - start), key, samples });
    return { state: "saved", without };
  } catch (error) {
    // It arrived earlier, when other types were allowed.
    if (error.problem === "key-reused") return { state: "saved", without };
    return { state: error.name === "NotAllowedError" ? "denied" : "failed", error };
  }
}

/** The workouts of the last week that other apps saved, or this app before its storage was cleared. */
export async function others(own, { health = healthOf() } = {}) {
  if (health === null) return [];
  const ids = new Set(own.map(({ id }) => id));
  try {
    return (await health.workouts({ limit: 100 })).filter(({ own, key }) => !(own && ids.has(key))).map((workout) => ({
      id: `health-${workout.id}`, source: "health", label: workout.activity, start: workout.start, end: workout.end,
      duration: workout.duration, spans: [{ from: workout.start, to: workout.end }],
      distance: workout.distance ?? null, steps: workout.totals?.steps ?? null, floors: workout.floors ?? null, altitude: null,
    }));
  } catch (error) {
    if (error.name !== "NotAllowedError") console.warn(`workouts: the health store was not read: ${error.message}`);
    return [];
  }
}

/** Deletes a workout of this app from the store; quiet if it is not there. */
export async function remove(workout, { health = healthOf() } = {}) {
  if (health === null) return;
  try {
    const found = await health.workouts({ from: workout.start, to: workout.start + 1, own: true, limit: 100 });
    for (const { id, key } of found) if (key === workout.id) await health.remove(id);
  } catch (error) {
    if (error.name !== "NotAllowedError") throw error;
  }
}
