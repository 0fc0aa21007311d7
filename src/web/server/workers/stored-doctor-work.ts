// The worker `doctor` of a page over a store: nothing in a store is examined or changed from a page.
import { Refusal } from '../protocol/index.ts';
import type { WorkerMethods } from './worker-methods.ts';

export function storedDoctorMethods(): WorkerMethods['doctor'] {
  const refuse = (): never => {
    throw new Refusal(
      403,
      'this page reads a store: nothing in it can be examined or changed here',
      'run `clew open` on the machine that has the sessions',
    );
  };
  return {
    diagnosis: refuse,
    preview: refuse,
    apply: refuse,
    previewAction: refuse,
    applyAction: refuse,
    previewActions: refuse,
    applyActions: refuse,
    archive: refuse,
    operations: refuse,
    undo: refuse,
    start: refuse,
    library: refuse,
  };
}
