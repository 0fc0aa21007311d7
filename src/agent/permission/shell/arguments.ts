// The arguments of a command as GNU and POSIX programs read them.

/** GNU programs take `--outp` for `--output`. */
export function isAbbreviation(flag: string, options: readonly string[]): boolean {
  const name = flag.slice(2).split('=')[0] ?? '';
  return name !== '' && options.some((option) => option.startsWith(name));
}

/** What is no flag, and everything after `--`. */
export function operandsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const before = (end < 0 ? args : args.slice(0, end)).filter((arg) => !arg.startsWith('-') || arg === '-');
  return end < 0 ? before : [...before, ...args.slice(end + 1)];
}
