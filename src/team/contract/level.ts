// How much of a session its person shares with the store: each level has all of the one before.

export const levels = ['metrics', 'titles', 'text', 'files'] as const;
export type Level = (typeof levels)[number];

/** As the store writes it: 1 metrics, 2 titles, 3 text, 4 files; 0 is nothing. */
export type LevelNumber = 0 | 1 | 2 | 3 | 4;

export function levelNumber(level: Level): LevelNumber {
  return (levels.indexOf(level) + 1) as LevelNumber; // there are four
}

export function levelName(number: number): Level | undefined {
  return levels[number - 1];
}
