// Colours by name and by meaning. Only the 16 colours of every terminal, which follow the user's theme; without colour
// every function returns its text unchanged.

export type Paint = (text: string) => string;

type PaintName =
  | ('bold' | 'italic' | 'underline' | 'inverse' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan')
  | ('heading' | 'code' | 'error' | 'ok' | 'accent' | 'muted');

export interface Style extends Readonly<Record<PaintName, Paint>> {
  readonly enabled: boolean;
  /** In every colour sequence, so that `safeText` can distinguish it from those in a file name; may be empty. */
  readonly mark: string;
}

/** `mark`: a parameter of colour sequences that terminals ignore, such as `4711;`. */
export function createStyle(enabled: boolean, mark = ''): Style {
  const sgr = (open: number, close: number): Paint => (enabled ? paint(`${mark}${open}`, `${mark}${close}`) : plain);
  const bold = sgr(1, 22);
  const colors = {
    red: sgr(31, 39),
    green: sgr(32, 39),
    yellow: sgr(33, 39),
    blue: sgr(34, 39),
    magenta: sgr(35, 39),
    cyan: sgr(36, 39),
  };
  return {
    enabled,
    mark,
    bold,
    italic: sgr(3, 23),
    underline: sgr(4, 24),
    inverse: sgr(7, 27),
    ...colors,
    heading: (text) => bold(colors.blue(text)),
    code: colors.cyan,
    error: colors.red,
    ok: colors.green,
    accent: colors.magenta,
    muted: sgr(90, 39),
  };
}

/** `flag`: from the command line (`--color`, `--no-color`); it overrides the environment. */
export function wantsColor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  flag?: boolean,
): boolean {
  if (flag !== undefined) return flag;
  // https://no-color.org: any value but the empty one.
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

/** A style whose colours `safeText` recognises; its random mark cannot be forged. */
export function createMarkedStyle(enabled: boolean): Style {
  return createStyle(enabled, `${1e14 + Math.floor(Math.random() * 1e14)};`);
}

/** The same colours without a mark, for output that does not pass `writeOut`. */
export function withoutMark({ enabled }: Style): Style {
  return createStyle(enabled);
}

/** Returns the text unchanged. */
export const plain: Paint = (text) => text;

function paint(open: string, close: string): Paint {
  const start = `\x1b[${open}m`;
  const end = `\x1b[${close}m`;
  // A nested colour ends with the same code, so this one is opened again after it.
  return (text) => (text === '' ? '' : `${start}${text.replaceAll(end, end + start)}${end}`);
}
