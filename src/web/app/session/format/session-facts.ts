// The head of a session → the facts of the line below its title. While the rest of a large session is being read, the
// head is about its beginning, and every number that will still grow says so.
import { counted, formatBytes, formatDuration, formatTokens } from '../../../../base/text/index.ts';
import type { BranchRow, SessionHead } from '../../../../export/wire/index.ts';
import { formatKnownMoney, formatTime } from './format.ts';

export interface SessionFacts {
  readonly facts: readonly string[];
  /** `null` where nothing has a price. */
  readonly cost: string | null;
  /** `null` where nothing is damaged. */
  readonly damage: string | null;
}

export function sessionFacts(head: SessionHead, isWhole: boolean): SessionFacts {
  const { usage, damageCount, costMicros } = head;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const grows = (text: string): string => (isWhole || text === '' ? text : `${text} so far`);
  const facts = [
    head.cwd ?? 'folder unknown',
    formatTime(head.startedAt),
    grows(head.startedAt === null || head.endedAt === null ? '' : formatDuration(head.endedAt - head.startedAt)),
    grows(counted(head.turnCount, 'turn')),
    grows(head.agents.length === 0 ? '' : counted(head.agents.length, 'sub-agent')),
    grows(head.compactions.length === 0 ? '' : `compacted ${counted(head.compactions.length, 'time')}`),
    grows(formatBytes(head.sizeBytes)),
    head.models.join(', '),
    head.versions.length === 0 ? '' : `Claude Code ${head.versions.slice(0, 3).join(', ')}`,
    grows(
      usage.messages === 0
        ? ''
        : `${formatTokens(input)} in, ${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`,
    ),
  ];
  const rest = head.unpriced === 0 ? '' : ` + ${counted(head.unpriced, 'message')} without a price`;
  const places = `${counted(damageCount, 'place')} of the transcript ${damageCount === 1 ? 'is' : 'are'} damaged`;
  return {
    facts: facts.filter((fact) => fact !== ''),
    cost: costMicros === null ? null : grows(`${formatKnownMoney(costMicros, head.unpriced > 0)}${rest}`),
    damage: damageCount === 0 ? null : grows(places),
  };
}

export function branchText(branch: BranchRow, isWhole: boolean): string {
  const name = branch.active
    ? 'Active branch'
    : branch.isReplay
      ? `Branch ${branch.number}, a copy`
      : `Branch ${branch.number}`;
  return `${name}, ${counted(branch.turns, 'turn')}${isWhole ? '' : ' so far'}`;
}
