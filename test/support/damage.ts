// A transcript with random damage, of the kinds that crashes, editors and merges cause; the undamaged lines
// are known, so that a test can check them.
import fc from 'fast-check';

export interface DamagedLine {
  readonly bytes: Buffer;
  /** The number of the original line, from 0; `undefined` for a damaged one. */
  readonly original: number | undefined;
}

export interface Damage {
  readonly kind: 'flip' | 'delete' | 'insert' | 'nul' | 'duplicate' | 'join' | 'swap-halves' | 'swap-lines' | 'cut';
  /** Where in the file, and where in its line. */
  readonly line: number;
  readonly at: number;
  readonly length: number;
  readonly noise: Uint8Array;
}

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Damage['kind']>(
      ...(['flip', 'delete', 'insert', 'nul', 'duplicate', 'join', 'swap-halves', 'swap-lines', 'cut'] as const),
    ),
    line: fc.nat(),
    at: fc.nat(),
    length: fc.integer({ min: 1, max: 40 }),
    noise: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
      fc
        .string({ unit: fc.constantFrom('{', '}', '"', '\n', '\\', ',', '[', ']', '\r\n'), minLength: 1, maxLength: 4 })
        .map((text) => new Uint8Array(Buffer.from(text))),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

export function damageLines(lines: readonly Buffer[], wanted: readonly Damage[]): DamagedLine[] {
  let result = lines.map((bytes, original): DamagedLine => ({ bytes, original }));
  for (const damage of wanted) if (result.length > 0) result = damageOnce(result, damage);
  return result;
}

/** The file; every line ends with a newline, except the last if `isTorn`. */
export function joinLines(lines: readonly DamagedLine[], isTorn: boolean): Buffer {
  const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, newline]));
  return isTorn ? bytes.subarray(0, -1) : bytes;
}

const newline = Buffer.from('\n');

function damageOnce(lines: readonly DamagedLine[], damage: Damage): DamagedLine[] {
  const index = damage.line % lines.length;
  const other = (index + damage.length) % lines.length;
  const line = lines[index] as DamagedLine; // the index is below the length
  if (damage.kind === 'duplicate') return lines.toSpliced(index, 0, line);
  if (damage.kind === 'swap-lines') return lines.with(index, lines[other] as DamagedLine).with(other, line);
  if (damage.kind === 'join') {
    const bytes = Buffer.concat([line.bytes, lines[index + 1]?.bytes ?? Buffer.alloc(0)]);
    return lines.toSpliced(index, 2, { bytes, original: undefined });
  }
  return lines.with(index, { bytes: damageBytes(line.bytes, damage), original: undefined });
}

function damageBytes(bytes: Buffer, { kind, at, length, noise }: Damage): Buffer {
  const place = at % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  switch (kind) {
    case 'flip':
      return Buffer.concat([before, noise.subarray(0, 1), after.subarray(1)]);
    case 'delete':
      return Buffer.concat([before, after.subarray(length)]);
    case 'nul':
      return Buffer.concat([before, Buffer.alloc(length), after]);
    case 'swap-halves':
      return Buffer.concat([after, before]);
    case 'cut':
      return before;
    default:
      return Buffer.concat([before, noise, after]);
  }
}
