// The top of the session page: what it is, where and when, what it took, its branches, and what can be done with it.

import { neutralise } from '../../../base/hostile-text.ts';
import { counted, formatBytes, formatDuration, formatTokens } from '../../../base/human.ts';
import { shellQuote } from '../../../base/shell-quote.ts';
import type { BranchRow, SessionHead } from '../../../export/page/view.ts';
import { formatMoney, formatTime } from './format.ts';
import { useActions, useSource } from './page-context.ts';
import { Words } from './text.tsx';

export interface SessionHeaderProps {
  readonly head: SessionHead;
  onFind(): void;
  onOutline(): void;
  onHelp(): void;
}

export function SessionHeader({ head, onFind, onOutline, onHelp }: SessionHeaderProps) {
  const source = useSource();
  const { copy, linkTo, showBranch } = useActions();
  const resume = `${head.cwd === null ? '' : `cd ${shellQuote(head.cwd)} && `}claude --resume ${shellQuote(head.sessionId)}`;
  // The header of the page is Clew's own, unless this is all there is.
  const Frame = source.exported === null ? 'section' : 'header';
  return (
    <Frame className="session-header" aria-label="Session">
      <div className="session-title">
        {source.exported === null ? (
          <a className="home" href="/">
            Clew
          </a>
        ) : null}
        <button type="button" className="outline-toggle" onClick={onOutline}>
          Turns
        </button>
        <h1>
          <Words text={head.title ?? 'Untitled session'} />
        </h1>
        {head.branches.length < 2 ? null : (
          <select aria-label="Branch" value={head.branch} onChange={(event) => showBranch(Number(event.target.value))}>
            {head.branches.map((branch) => (
              <option key={branch.number} value={branch.number}>
                {branchText(branch)}
              </option>
            ))}
          </select>
        )}
        <div className="session-tools">
          <button type="button" onClick={onFind} aria-keyshortcuts="/">
            Find
          </button>
          {source.exported === null ? (
            <button type="button" onClick={() => copy(resume, 'Resume command')} title={neutralise(resume)}>
              Copy resume command
            </button>
          ) : null}
          <button type="button" onClick={() => copy(source.markdown({ branch: head.branch }), 'Markdown')}>
            Copy as Markdown
          </button>
          <button type="button" onClick={() => copy(linkTo(0, null), 'Link')}>
            Copy link
          </button>
          <button type="button" onClick={onHelp} aria-label="Keyboard help" aria-keyshortcuts="?">
            ?
          </button>
        </div>
      </div>
      <p className="session-facts">
        <Words text={factsOf(head).join(' · ')} />
        {head.costMicros === null ? null : (
          <span className="cost">
            {' · '}
            {head.unpriced > 0 ? '≥ ' : ''}
            {formatMoney(head.costMicros)}
          </span>
        )}
      </p>
      {source.exported === null ? null : (
        <p className="quiet export-note">
          <Words text={source.exported.note} />
        </p>
      )}
      {head.damageCount === 0 ? null : <Damage head={head} />}
    </Frame>
  );
}

function factsOf(head: SessionHead): readonly string[] {
  const { usage } = head;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const took = head.startedAt === null || head.endedAt === null ? '' : formatDuration(head.endedAt - head.startedAt);
  return [
    head.cwd ?? 'folder unknown',
    formatTime(head.startedAt),
    took,
    counted(head.turnCount, 'turn'),
    head.agents.length === 0 ? '' : counted(head.agents.length, 'sub-agent'),
    head.compactions.length === 0 ? '' : `compacted ${counted(head.compactions.length, 'time')}`,
    formatBytes(head.sizeBytes),
    head.models.join(', '),
    head.versions.length === 0 ? '' : `Claude Code ${head.versions.slice(0, 3).join(', ')}`,
    usage.messages === 0
      ? ''
      : `${formatTokens(input)} in, ${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`,
  ].filter((fact) => fact !== '');
}

function branchText(branch: BranchRow): string {
  const name = branch.active
    ? 'Active branch'
    : branch.isReplay
      ? `Branch ${branch.number}, a copy`
      : `Branch ${branch.number}`;
  return `${name}, ${counted(branch.turns, 'turn')}`;
}

function Damage({ head }: { readonly head: SessionHead }) {
  return (
    <details className="damage">
      <summary>
        {counted(head.damageCount, 'place')} of the transcript {head.damageCount === 1 ? 'is' : 'are'} damaged
      </summary>
      <ul>
        {head.damage.map(({ code, line, message }, i) => (
          <li key={`${i} ${line} ${code}`}>
            line {line}: <Words text={message} /> <span className="quiet">({code})</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
