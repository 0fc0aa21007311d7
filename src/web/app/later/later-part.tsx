// Parts of the page that are loaded when they are needed first. A part that was loaded before it is shown appears at once,
// without the moment of waiting that `lazy` alone has.
import { type ComponentType, lazy, useState } from 'react';

export interface LaterPart<P extends object> {
  /** Below a `Suspense`. */
  readonly Part: ComponentType<P>;
  /** Starts to load it; resolves when it, or `Failed`, can be shown. */
  load(): Promise<void>;
}

/** `Failed` is shown if it cannot be loaded: the server may have ended, or may have been updated and have other files. */
export function laterPart<P extends object>(
  read: () => Promise<ComponentType<P>>,
  Failed: ComponentType<P>,
): LaterPart<P> {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<void> | undefined;
  const load = (): Promise<void> => {
    loading ??= read()
      .catch(() => Failed)
      .then((part) => {
        loaded = part;
      });
    return loading;
  };
  const Waited = lazy(async () => {
    await load();
    return { default: loaded ?? Failed };
  });
  const Part = (props: P) => {
    // Once for each place: another type would start with fresh state.
    const [Shown] = useState<ComponentType<P>>(() => loaded ?? Waited);
    return <Shown {...props} />;
  };
  return { Part, load };
}
