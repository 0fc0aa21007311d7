// What a script of page-scripts.ts says of a page that shows hostile text, and what it says where nothing is wrong.
import type { Page } from 'playwright-core';

export interface Faults {
  /** How often the canary ran. */
  readonly ran: number;
  /** What the page's policy had to stop. */
  readonly violations: readonly string[];
  /** Elements and attributes that only the transcript can have brought in. */
  readonly foreign: readonly string[];
  readonly links: readonly string[];
  readonly wide: readonly string[];
  /** Where characters stand that move a cursor or turn the direction of text. */
  readonly steering: readonly string[];
}

export interface Reading extends Faults {
  readonly text: string;
}

export const noFaults: Faults = { ran: 0, violations: [], foreign: [], links: [], wide: [], steering: [] };

export async function faultsOf(page: Page, script: string): Promise<Faults> {
  const { text: _, ...faults } = await page.evaluate<Reading>(script);
  return faults;
}
