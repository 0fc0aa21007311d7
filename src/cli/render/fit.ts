// Natural column widths and the available width → widths that fit; the widest columns shrink first.

/** The sum of the result is at most `available`, if there is at least one cell per column. */
export function fitWidths(natural: readonly number[], available: number): number[] {
  const total = sum(natural);
  if (total <= available) return [...natural];
  let cap = 1;
  while (sum(natural.map((width) => Math.min(width, cap + 1))) <= available) cap += 1;
  let spare = available - sum(natural.map((width) => Math.min(width, cap)));
  return natural.map((width) => {
    if (width <= cap || spare <= 0) return Math.min(width, cap);
    spare -= 1;
    return cap + 1;
  });
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** `Math.max` for any number of numbers: a call with a hundred thousand arguments overflows the stack. */
export function largest(numbers: Iterable<number>, atLeast: number): number {
  let found = atLeast;
  for (const number of numbers) if (number > found) found = number;
  return found;
}
