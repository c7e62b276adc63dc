// What the person does: the labels of the sensor `activity`, and which of them names a workout.

/** In the order that decides a tie. */
export const LABELS = ["walking", "running", "cycling", "driving", "stationary", "unknown"];

/** A label that is older than this says nothing about now. */
export const LIFE_MS = 60_000;

/** No activity yet; plain data. `times` are milliseconds by label. */
export const activity = () => ({ label: null, confidence: null, at: null, times: {} });

/** Takes `{ t, activity, confidence }`. Only what the sensor is at least fairly sure of counts. */
export function takeActivity(activity, { t, activity: label, confidence }) {
  if (!LABELS.includes(label) || (activity.at !== null && t <= activity.at)) return;
  if (activity.at !== null && activity.confidence !== "low") {
    const known = activity.times[activity.label] ?? 0;
    activity.times[activity.label] = known + Math.min(LIFE_MS, t - activity.at);
  }
  Object.assign(activity, { label, confidence, at: t });
}

/** The pause begins: time that passes until the next sample belongs to no label. */
export function forget(activity) {
  Object.assign(activity, { label: null, confidence: null, at: null });
}

/** The label with the most time; of equal ones the first in order. "unknown" without any. */
export function prevailing({ times }) {
  let best = "unknown";
  for (const label of [...LABELS].reverse()) {
    if (times[label] > 0 && times[label] >= (times[best] ?? 0)) best = label;
  }
  return best;
}

/** "walking", or "walking (low confidence)". */
export const activityText = ({ label, confidence }) => (confidence === "low" ? `${label} (low confidence)` : label);
