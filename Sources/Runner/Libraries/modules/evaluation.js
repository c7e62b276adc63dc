// The order in which modules run: https://tc39.es/ecma262/#sec-moduleevaluation. A module waits only for
// its own dependencies, so modules with top-level await wait at the same time.

/** The number of the next module that waits; those that can continue do so in this order. */
let order = 0;

/** How far a module is. The names of the fields are those of the standard, without brackets. */
export class Evaluation {
    /** `linked`, `evaluating`, `evaluating-async` or `evaluated`. */
    status = "linked";
    /** `{ error }` after a failure. */
    failure = null;
    index = 0; ancestorIndex = 0;
    /** The record of the cycle's first module. */
    cycleRoot = null;
    /** The place in the order of modules that wait; `null` for others and afterwards. */
    asyncOrder = null;
    pendingDependencies = 0;
    /** Records. */
    asyncParents = [];
    /** The promise of `begin` and its functions. */
    capability = null;

    /** Evaluates a linked record. Returns a promise if it waits, otherwise `undefined`; throws its error. */
    begin(record) {
        const root = this.status === "linked" ? record : this.cycleRoot ?? record;
        return root.evaluation.#begin(root);
    }

    #begin(record) {
        if (this.status === "linked") {
            const stack = [];
            try {
                evaluate(record, stack, 0);
            } catch (error) {
                for (const { evaluation } of stack) evaluation.#fail(error);
                throw error;
            }
        }
        if (this.failure !== null) throw this.failure.error;
        if (this.asyncOrder === null) return undefined;
        if (this.capability === null) {
            this.capability = {};
            this.capability.promise = new Promise((resolve, reject) => Object.assign(this.capability, { resolve, reject }));
        }
        return this.capability.promise;
    }

    #fail(error) {
        this.status = "evaluated";
        this.failure = { error };
        this.asyncOrder = null;
    }

    fulfilled() {
        this.status = "evaluated";
        this.asyncOrder = null;
        this.capability?.resolve();
    }

    rejected(error) {
        if (this.status === "evaluated") return;
        this.#fail(error);
        this.capability?.reject(error);
        for (const parent of this.asyncParents) parent.evaluation.rejected(error);
    }
}

function evaluate(record, stack, start) {
    const own = record.evaluation;
    if (own.status !== "linked") {
        if (own.failure !== null) throw own.failure.error;
        return start;
    }
    own.status = "evaluating";
    own.index = own.ancestorIndex = start;
    let index = start + 1;
    stack.push(record);
    for (const dependency of record.dependencies.values()) {
        index = evaluate(dependency, stack, index);
        let other = dependency.evaluation;
        if (other.status === "evaluating") {
            own.ancestorIndex = Math.min(own.ancestorIndex, other.ancestorIndex);
        } else {
            other = other.cycleRoot.evaluation;
            if (other.failure !== null) throw other.failure.error;
        }
        if (other.asyncOrder !== null) {
            own.pendingDependencies++;
            other.asyncParents.push(record);
        }
    }
    if (own.pendingDependencies > 0 || record.isAsync) {
        own.asyncOrder = order++;
        if (own.pendingDependencies === 0) startWaiting(record);
    } else {
        record.generator.next();
    }
    if (own.ancestorIndex === own.index) {
        for (;;) {
            const last = stack.pop();
            last.evaluation.status = last.evaluation.asyncOrder === null ? "evaluated" : "evaluating-async";
            last.evaluation.cycleRoot = record;
            if (last === record) break;
        }
    }
    return index;
}

/** Runs a module with top-level await, then those that only waited for it. */
function startWaiting(record) {
    finish(record).then(() => continueAfter(record), (error) => record.evaluation.rejected(error));
}

/** Runs the generator of a module; what it yields is awaited. */
async function finish({ generator, isGenerator }) {
    if (!isGenerator) return void await generator.next();
    let step = generator.next();
    while (!step.done) {
        let value, failure = null;
        try {
            value = await step.value;
        } catch (error) {
            failure = { error };
        }
        step = failure === null ? generator.next(value) : generator.throw(failure.error);
    }
}

function continueAfter(record) {
    if (record.evaluation.status === "evaluated") return;
    record.evaluation.fulfilled();
    const ready = [];
    gather(record, ready);
    for (const next of ready.sort((one, other) => one.evaluation.asyncOrder - other.evaluation.asyncOrder)) {
        if (next.evaluation.status === "evaluated") continue;
        if (next.isAsync) {
            startWaiting(next);
            continue;
        }
        try {
            next.generator.next();
        } catch (error) {
            next.evaluation.rejected(error);
            continue;
        }
        next.evaluation.fulfilled();
    }
}

/** Adds the modules that have nothing left to wait for. */
function gather(record, ready) {
    for (const parent of record.evaluation.asyncParents) {
        const own = parent.evaluation;
        if (ready.includes(parent) || (own.failure ?? own.cycleRoot.evaluation.failure) !== null) continue;
        if (--own.pendingDependencies > 0) continue;
        ready.push(parent);
        if (!parent.isAsync) gather(parent, ready);
    }
}
