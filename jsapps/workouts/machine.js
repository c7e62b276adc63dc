// The states of a workout. A step that is not possible in a state changes nothing: it is logged, and the
// workout goes on.

const STEPS = {
  inactive: { start: "active" },
  active: { pause: "paused", finish: "inactive" },
  paused: { resume: "active", finish: "inactive" },
};

/** The state after a step; `undefined` if the step is not possible. */
export function after(state, step) {
  return Object.hasOwn(STEPS, state) && Object.hasOwn(STEPS[state], step) ? STEPS[state][step] : undefined;
}

/** What the two buttons do in a state, and what is written on them; no second one without a workout. */
export function buttons(state) {
  switch (state) {
    case "active": return [{ step: "pause", label: "Pause" }, { step: "finish", label: "Finish" }];
    case "paused": return [{ step: "resume", label: "Resume" }, { step: "finish", label: "Finish" }];
    default: return [{ step: "start", label: "Start" }];
  }
}

export const STATE_WORDS = { inactive: "Not recording", active: "Recording", paused: "Paused" };
