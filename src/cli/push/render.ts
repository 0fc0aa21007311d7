// The report of a push → a line for the user, or JSON.
import { counted, formatCount } from '../../base/text/index.ts';
import type { PushOutcome, PushReport } from '../../team/push/index.ts';

export function reportText({ hello, sessions, unchanged, waiting }: PushReport): string {
  if (hello === undefined)
    return 'nothing is shared: no session has a level in team.json, and nothing was sent; docs/team.md has an example\n';
  const count = (outcome: PushOutcome): number => sessions.filter((each) => each.outcome === outcome).length;
  const parts = [
    `pushed ${counted(count('sent'), 'session')} to ${hello.tenant} as ${hello.person}`,
    ...(['removed', 'lowered', 'blocked', 'held', 'other', 'failed'] as const)
      .filter((outcome) => count(outcome) > 0)
      .map((outcome) => `${formatCount(count(outcome))} ${outcomeWords[outcome]}`),
    ...(unchanged + count('same') === 0 ? [] : [`${formatCount(unchanged + count('same'))} unchanged`]),
    ...(waiting === 0 ? [] : [`${formatCount(waiting)} waiting; run \`clew push\` again`]),
  ];
  return `${parts.join('; ')}\n`;
}

const outcomeWords: Readonly<Record<Exclude<PushOutcome, 'sent' | 'same'>, string>> = {
  removed: 'removed',
  lowered: 'lowered',
  blocked: 'not accepted',
  held: 'on legal hold',
  other: 'pushed by another machine',
  failed: 'failed',
};

export function reportJson({ hello, sessions, unchanged, waiting }: PushReport): object {
  const { tenant = null, person = null, mostLevel = null } = hello ?? {};
  return { tenant, person, mostLevel, sessions, unchanged, waiting };
}
