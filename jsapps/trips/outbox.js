// Reports that were kept to be sent later, the oldest first. An entry is `{ report, kept, failure }`: when it was
// kept, and why it was not sent the last time.

/** The entries with one more; an entry of the same report is replaced. */
export function withReport(entries, report, kept, failure = "") {
  return [...without(entries, report.uuid), { report, kept, failure }];
}

/** The entries without a report. */
export const without = (entries, uuid) => entries.filter(({ report }) => report.uuid !== uuid);

/** The entries with the reason why a report was not sent. */
export function withFailure(entries, uuid, failure) {
  return entries.map((entry) => (entry.report.uuid === uuid ? { ...entry, failure } : entry));
}

/**
 * Sends entries, the oldest first. A report is removed only after the server has accepted it. One that the
 * server refuses stays, and the next is tried; any other failure ends the attempt, since it would be the same
 * for all.
 *
 * @param send resolves when the server has a report, or rejects with a `ServerError`
 * @param save stores the entries; called after each change
 * @returns {Promise<{ entries: object[], sent: number, failure: Error | null }>}
 */
export async function deliver(entries, send, save) {
  let left = entries, sent = 0;
  for (const { report } of entries) {
    try {
      await send(report);
    } catch (error) {
      if (error.kind === undefined) throw error;
      left = withFailure(left, report.uuid, error.message);
      await save(left);
      if (error.kind === "refused") continue;
      return { entries: left, sent, failure: error };
    }
    left = without(left, report.uuid);
    sent += 1;
    await save(left);
  }
  return { entries: left, sent, failure: null };
}
