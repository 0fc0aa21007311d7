// The report of the scripts in page-scripts.ts about a page with hostile text, and the report without faults.
import type { Page } from 'playwright-core';

export interface Faults {
  /** How often the canary ran. */
  readonly ran: number;
  /** What the content security policy blocked. */
  readonly violations: readonly string[];
  /** Elements and attributes that can only come from the transcript. */
  readonly foreign: readonly string[];
  readonly links: readonly string[];
  readonly wide: readonly string[];
  /** Where control or bidi characters occur. */
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
