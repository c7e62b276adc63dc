// The map view: the way of the workout that is recorded, of the one that was chosen, or of the last one.

import { byId, fill, timeText } from "./elements.js";
import { sizeOf } from "./drawing.js";
import { draw } from "./map.js";
import { figure } from "./record-view.js";
import { paceText, titleText } from "./texts.js";

export class MapView {
  #store;
  #recorder;
  #drawn = null;
  /** The workout of the history that is shown; undefined without any. */
  workout;

  constructor(store, recorder) {
    this.#store = store;
    this.#recorder = recorder;
  }

  /** The next `render` draws again, such as after the size has changed. */
  forget() {
    this.#drawn = null;
  }

  /** Shows a workout, or, with `isLive`, the one that is recorded. */
  async render(workout, { isLive, isLast }) {
    this.workout = isLive ? undefined : workout;
    const segments = isLive ? this.#recorder.segments : workout === undefined ? [] : await this.#store.route(workout.id);
    const count = segments.reduce((sum, { length }) => sum + length, 0);
    const what = `${isLive} ${isLast} ${workout?.id} ${count}`;
    // Nothing has changed, or another call has changed what is to be shown.
    if (what === this.#drawn || this.workout !== (isLive ? undefined : workout)) return;
    this.#drawn = what;
    byId("drawing").toggleAttribute("hidden", count === 0);
    const size = sizeOf(byId("drawing"), 640, 320);
    draw(byId("drawing"), segments, { ...size, isLive });
    byId("drawing").setAttribute("aria-label", count === 0 ? "No way"
      : `The way of a workout: ${count} positions from start to ${isLive ? "now" : "finish"}`);
    fill(byId("map-title"), isLive ? "This workout" : isLast ? "Last workout" : "Workout");
    fill(byId("map-when"), this.workout ? titleText(workout) : "");
    fill(byId("map-note"), count > 0 ? "" : isLive ? "No position yet."
      : workout === undefined ? "No workouts yet." : "No positions were recorded in this workout.");
    fill(byId("map-figures"), this.workout ? [
      figure("Distance", `${(workout.distance ?? 0).toFixed(0)} m`),
      figure("Pace", paceText(workout.distance ? workout.duration / 1000 / workout.distance : null)),
      figure("Steps", `${workout.steps ?? "–"}`), figure("Floors", `${workout.floors ?? "–"}`),
      figure("Ended", timeText(workout.end)),
    ] : []);
    byId("map-actions").hidden = !this.workout || workout.source === "health";
    byId("save-gpx").disabled = count === 0;
    this.confirmDeletion(false);
  }

  /** A second button deletes, so that one press cannot. */
  confirmDeletion(isAsked) {
    byId("delete").hidden = isAsked;
    byId("delete-now").hidden = byId("keep").hidden = !isAsked;
    if (isAsked) byId("keep").focus();
  }
}
