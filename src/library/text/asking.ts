// One search for two places: the code that ranks and shows asks a source, and the source answers at once (the local index)
// or later (a team's store). A generator waits for each answer, so the same code is synchronous for the index, without the
// cost of promises, and asynchronous for the store.

export type Answer<T> = T | Promise<T>;

/** Code that asks; what it returns is `T`. */
export type Asking<T> = Generator<unknown, T, unknown>;

/** `yield* ask(source.question())` is the answer. */
export function* ask<T>(answer: Answer<T>): Asking<T> {
  return (yield answer) as T; // both drivers send the answer back
}

/** For a source that answers at once. */
export function answerNow<T>(asking: Asking<T>): T {
  let step = asking.next();
  while (step.done !== true) step = asking.next(step.value);
  return step.value;
}

/** For a source that answers later. */
export async function answerLater<T>(asking: Asking<T>): Promise<T> {
  let step = asking.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      answer = await step.value;
    } catch (error) {
      step = asking.throw(error);
      continue;
    }
    step = asking.next(answer);
  }
  return step.value;
}
