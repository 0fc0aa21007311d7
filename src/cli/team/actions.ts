// The actions of `clew team`, each in a file that is loaded when it is called.
import type { Action } from './action.ts';

export const actions: Readonly<Record<string, () => Promise<Action>>> = {
  init: async () => (await import('./init.ts')).run,
  status: async () => (await import('./status.ts')).run,
  grant: async () => (await import('./grant.ts')).runGrant,
  revoke: async () => (await import('./grant.ts')).runRevoke,
  people: async () => (await import('./people.ts')).runPeople,
  groups: async () => (await import('./people.ts')).runGroups,
  group: async () => (await import('./people.ts')).runGroup,
  most: async () => (await import('./rules.ts')).runMost,
  retain: async () => (await import('./rules.ts')).runRetain,
  sweep: async () => (await import('./sweep.ts')).run,
  hold: async () => (await import('./holds.ts')).runHold,
  release: async () => (await import('./holds.ts')).runRelease,
  forget: async () => (await import('./forget.ts')).run,
  audit: async () => (await import('./audit.ts')).run,
  gateway: async () => (await import('../team-gateway/command.ts')).run,
};
