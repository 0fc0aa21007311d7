// What the palette is given by the page. Types only: the palette is loaded later.
import type { KeyMeaning } from '../keys/index.ts';

/** Something that the current page can do. */
export interface PaletteAction {
  readonly name: string;
  run(): void;
}

export interface PaletteProps {
  readonly keys: readonly KeyMeaning[];
  /** Called when the palette opens. */
  actions(): Promise<readonly PaletteAction[]>;
  /** The page shows a store. */
  readonly isStored: boolean;
}
