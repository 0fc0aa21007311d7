// A pack → the same pack with other records, in one step: before the new bytes get the name of the pack, both what it is
// and what it becomes are committed, so that a kill in between leaves a pack that is known either way.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { replaceFile } from '../../store/index.ts';
import {
  type Committed,
  type CommittedPack,
  endOf,
  isRecord,
  type PackGap,
  type PackRecord,
  type PackState,
  readRange,
  writeCommitted,
} from './pack/index.ts';

/** The bytes instead of an item: none drop it, `undefined` keeps it as it is. */
export type PackChange = (item: PackRecord | PackGap) => Buffer | undefined | Promise<Buffer | undefined>;

/**
 * `committed`: with the new lists of copies. Returns it with the new state; the last change of several is
 * noted by `writeCommitted`.
 */
export async function replacePack(
  folder: string,
  committed: Committed,
  { name, items }: { readonly name: string; readonly items: Iterable<PackRecord | PackGap> },
  change: PackChange,
): Promise<Committed> {
  const pack = path.join(folder, name);
  const made: PackState[] = [];
  async function* newBytes(): AsyncGenerator<Buffer> {
    const sum = createHash('sha256');
    let bytes = 0;
    for (const item of items) {
      const piece = (await change(item)) ?? readRange(pack, item.offset, endOf(item) - item.offset);
      // A changed record begins with its header as well.
      if (isRecord(item)) sum.update(piece.subarray(0, piece.indexOf(0x0a) + 1));
      bytes += piece.length;
      yield piece;
    }
    const becomes = { bytes, sha256: sum.digest('hex') };
    made.push(becomes);
    writeCommitted(folder, withState(committed, name, { becomes }));
  }
  await replaceFile(pack, newBytes());
  return made.reduce((before, state) => withState(before, name, state), committed);
}

function withState(
  { next, packs }: Committed,
  name: string,
  state: PackState | { readonly becomes: PackState },
): Committed {
  const changed = ({ becomes: _, ...pack }: CommittedPack): CommittedPack => ({ ...pack, ...state });
  return { next, packs: packs.map((pack) => (pack.name === name ? changed(pack) : pack)) };
}
