// The messages that a number counts, the most expensive first: tokens, cost, file and line, and the duplicate lines that
// are not counted.
import { useCallback, useEffect, useRef } from 'react';
import { counted, formatCount } from '../../../base/text/index.ts';
import { readJson } from '../../client/index.ts';
import type { ReceiptView, UsageQuery } from '../../wire/index.ts';
import { type Abortable, ProblemNote, useAnswer, useServices, Waiting } from '../page/index.ts';
import { formatMoney, formatTime } from '../session/format/index.ts';
import { writeAddress } from '../session/source/index.ts';
import { Words } from '../session/text/index.ts';

export interface ReceiptsOf {
  readonly title: string;
  readonly query: UsageQuery;
}

export function ReceiptsDrawer({ of, onClose }: { readonly of: ReceiptsOf; onClose(): void }) {
  const { client } = useServices();
  const ref = useRef<HTMLDialogElement>(null);
  const ask = useCallback(
    (options: Abortable) => readJson(client.usage.receipts.$get({ query: of.query }, options)),
    [client, of],
  );
  const { answer, problem, askAgain } = useAnswer(ask);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog className="drawer receipts" ref={ref} onClose={onClose} aria-label="Receipts">
      <header>
        <h2>
          Receipts of <Words text={of.title} />
        </h2>
        <button type="button" aria-label="Close" onClick={() => ref.current?.close()}>
          ✕
        </button>
      </header>
      {problem === null ? null : <ProblemNote problem={problem} onRetry={askAgain} />}
      {answer === null && problem === null ? <Waiting what="Reading the transcripts" /> : null}
      {answer === null ? null : (
        <>
          <p className="quiet">
            {counted(answer.total, 'message')}, each counted once
            {answer.receipts.length < answer.total ? `; the ${answer.receipts.length} most expensive are shown` : ''}.
          </p>
          <ol>
            {answer.receipts.map((receipt) => (
              <li key={`${receipt.path} ${receipt.line}`}>
                <Receipt receipt={receipt} />
              </li>
            ))}
          </ol>
        </>
      )}
    </dialog>
  );
}

function Receipt({ receipt }: { readonly receipt: ReceiptView }) {
  const { dropped } = receipt;
  return (
    <>
      <p>
        <span className="cost">{receipt.costMicroUsd === null ? 'no price' : formatMoney(receipt.costMicroUsd)}</span>{' '}
        <Words text={receipt.model ?? 'unknown model'} /> <span className="quiet">{formatTime(receipt.time)}</span>
      </p>
      <p className="quiet">{tokensOf(receipt)}</p>
      <p className="file-line">
        {receipt.key === '' ? (
          <Words text={`${receipt.path}:${receipt.line}`} />
        ) : (
          <a href={writeAddress(receipt.key, { line: receipt.line, agentId: agentOf(receipt.path) })}>
            <Words text={`${receipt.path}:${receipt.line}`} />
          </a>
        )}
      </p>
      {dropped.length === 0 ? null : (
        <details>
          <summary>{counted(dropped.length, 'line')} not counted again</summary>
          <ul>
            {dropped.map(({ path, line, reason }) => (
              <li key={`${path} ${line}`} className="file-line">
                <Words text={`${path}:${line}`} /> <span className="quiet">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function tokensOf(receipt: ReceiptView): string {
  const parts: readonly (readonly [number, string])[] = [
    [receipt.inputTokens, 'input'],
    [receipt.cacheReadTokens, 'cache read'],
    [receipt.cacheWrite5mTokens, 'cache write (5 min)'],
    [receipt.cacheWrite1hTokens, 'cache write (1 h)'],
    [receipt.outputTokens, receipt.outputIsLowerBound ? 'output at least' : 'output'],
  ];
  return parts
    .filter(([tokens]) => tokens > 0)
    .map(([tokens, what]) => `${formatCount(tokens)} ${what}`)
    .join(' · ');
}

/** The transcript of a sub-agent is named after it. */
function agentOf(path: string): string | null {
  return /[\\/]agent-([\w-]+)\.jsonl$/.exec(path)?.[1] ?? null;
}
