// Exit codes that are answers and not failures: grep that found nothing, diff that found a difference.

const meanings: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  egrep: 'No matches found',
  fgrep: 'No matches found',
  rg: 'No matches found',
  diff: 'Files differ',
  cmp: 'Files differ',
  test: 'Condition is false',
  '[': 'Condition is false',
  '[[': 'Condition is false',
};

/** What exit code 1 means of the command that decides it: the last one. */
export function explainExit(command: string, code: number): string | undefined {
  if (code !== 1) return undefined;
  const last =
    command
      .trim()
      .split(/\|\||&&|[|;\n]/)
      .at(-1)
      ?.trim() ?? '';
  const name = last.split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? '';
  return Object.hasOwn(meanings, name) ? meanings[name] : undefined;
}
