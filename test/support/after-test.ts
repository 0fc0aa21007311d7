// Clean-up after a test, the last registered first: a server that uses a temporary folder is closed before the folder is
// removed. The hooks of node:test run in the order of their registration, and not after one that fails: a server that stays
// open then keeps the process of the test alive.

export interface Endable {
  after(end: () => unknown): unknown;
}

const stacks = new WeakMap<Endable, (() => unknown)[]>();

/** `{ after }` of node:test instead of a test's context: runs after all tests of the file. */
export function afterTest(context: Endable, end: () => unknown): void {
  const known = stacks.get(context);
  if (known !== undefined) {
    known.push(end);
    return;
  }
  const stack = [end];
  stacks.set(context, stack);
  context.after(() => runAll(stack.reverse()));
}

async function runAll(ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends) {
    try {
      await end();
    } catch (failure) {
      failures.push(failure);
    }
  }
  if (failures.length > 0) throw failures[0];
}
