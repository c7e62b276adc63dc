// The synchronisation with a provider: reports up, then people, then rates. Each step is stored as a whole when
// it has succeeded, and the next synchronisation resumes at the step that failed.

import { peopleOf, ratesOf } from "./account.js";
import { encoded } from "./report.js";
import { deliver } from "./outbox.js";

export const STEPS = ["reports", "people", "rates"];

/**
 * Synchronises the steps that are left.
 *
 * @param state `account` (`guid`, `profile`, `placements`, `rates`), `entries`, and `next`, the step to begin with
 * @param server `sendReport(report)` and `userInfo(guid)`, which reject with a `ServerError`
 * @param commit stores a part of the state: `commit({ entries })` and so on
 * @returns {Promise<{ done: string[], sent: number, failure: Error | null }>} if the server no longer knows the
 *   user, `failure.kind` is `login` and the account is removed
 */
export async function synchronise(state, server, commit) {
  let { account } = state;
  const done = [], start = STEPS.indexOf(state.next);
  let sent = 0, info;
  for (const step of STEPS.slice(Math.max(0, start))) {
    try {
      if (step === "reports") {
        const outcome = await deliver(state.entries, (report) => server.sendReport(encoded(report, account)),
          (entries) => commit({ entries }));
        sent = outcome.sent;
        if (outcome.failure !== null) throw outcome.failure;
      } else {
        info ??= await server.userInfo(account.guid);
        account = { ...account, ...(step === "people" ? peopleOf(info) : { rates: ratesOf(info) }) };
        await commit({ account });
      }
    } catch (error) {
      if (error.kind === undefined && !(error instanceof TypeError)) throw error;
      if (error.kind === "login") await commit({ account: null });
      await commit({ next: error.kind === "login" ? STEPS[0] : step });
      return { done, sent, failure: error };
    }
    done.push(step);
    await commit({ next: STEPS[(STEPS.indexOf(step) + 1) % STEPS.length] });
  }
  return { done, sent, failure: null };
}
