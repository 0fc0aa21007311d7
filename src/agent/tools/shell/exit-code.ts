// Exit codes that are results and not failures, such as grep without a match.

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

/** Explains exit code 1 of the last command, which decides the exit code of the line. */
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
