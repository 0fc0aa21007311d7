// Texts of the transcript on the page: as Markdown, as they are, or as terminal output. Long ones show their beginning,
// and the rest a part at a time, so that not even a word of ten megabytes blocks the page.
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { boundMarkdown } from '../../../../base/markdown/index.ts';
import { formatCount, neutralise } from '../../../../base/text/index.ts';
import type { Text } from '../../../../export/wire/index.ts';
import { CopyButton, copyButtonElement, wholeText } from '../copy/index.ts';
import { useActions, useSource } from '../source/index.ts';
import { type AnsiRun, readAnsi, withoutAnsi } from './ansi.ts';
import { highlightBlocks, renderMarkdown } from './markdown.ts';

const stepChars = 100_000;

export interface WholeText {
  readonly text: string;
  readonly more: number;
  readonly isBusy: boolean;
  readonly problem: string | null;
  showMore(): void;
}

/** The text as far as it is shown; `showMore` fetches the whole once, and then shows more of it. */
export function useWhole(given: Text, readWhole: (text: string) => string = asItIs): WholeText {
  const source = useSource();
  const [whole, setWhole] = useState<string | null>(null);
  const [shown, setShown] = useState(stepChars);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const showMore = (): void => {
    if (whole !== null) setShown((chars) => chars + stepChars);
    if (whole !== null || given.at === null || isBusy) return;
    setBusy(true);
    source.text(given.at).then(
      (text) => {
        setWhole(readWhole(text));
        setBusy(false);
      },
      (error: unknown) => {
        setProblem(error instanceof Error ? error.message : String(error));
        setBusy(false);
      },
    );
  };
  if (whole === null) return { text: given.text, more: given.more, isBusy, problem, showMore };
  return { text: whole.slice(0, shown), more: Math.max(0, whole.length - shown), isBusy, problem, showMore };
}

function asItIs(text: string): string {
  return text;
}

export function More({ whole, unit = 'characters' }: { readonly whole: WholeText; readonly unit?: string }) {
  if (whole.problem !== null) return <p className="problem">The rest cannot be shown: {whole.problem}</p>;
  if (whole.more === 0) return null;
  return (
    <button type="button" className="more" onClick={whole.showMore} disabled={whole.isBusy}>
      {whole.isBusy ? 'Loading…' : `Show more (${formatCount(whole.more)} ${unit})`}
    </button>
  );
}

export function MarkdownText({ text }: { readonly text: Text }) {
  const whole = useWhole(text);
  const { markdown, rest } = boundMarkdown(whole.text);
  const ref = useRef<HTMLDivElement>(null);
  const { copy } = useActions();
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    element.replaceChildren(renderMarkdown(markdown));
    addCopyButtons(element, (code) => copy(code, 'Code'));
    highlightBlocks(element);
  }, [markdown, copy]);
  return (
    <>
      <div className="prose" dir="auto" ref={ref} />
      {rest === '' ? null : (
        <>
          <p className="quiet">The rest is shown as plain text.</p>
          <div className="plain" dir="auto">
            {neutralise(rest)}
          </div>
        </>
      )}
      <More whole={whole} />
    </>
  );
}

/** Next to each code block, not in it: the block scrolls. */
function addCopyButtons(element: HTMLElement, copy: (code: string) => void): void {
  for (const block of element.querySelectorAll('pre')) {
    const frame = document.createElement('div');
    frame.className = 'copyable';
    block.replaceWith(frame);
    const code = (): string => (block.textContent ?? '').replace(/\n$/, '');
    frame.append(
      block,
      copyButtonElement('code', () => copy(code())),
    );
  }
}

export interface PlainTextProps {
  readonly text: Text;
  readonly className?: string;
  /** Names the text on a button that copies it. */
  readonly copies?: string;
}

export function PlainText({ text, className = '', copies }: PlainTextProps) {
  const source = useSource();
  const whole = useWhole(text);
  return (
    <>
      <div className={`plain ${className} ${copies === undefined ? '' : 'copyable'}`} dir="auto">
        {neutralise(whole.text)}
        {copies === undefined ? null : <CopyButton what={copies} text={() => wholeText(source, text)} />}
      </div>
      <More whole={whole} />
    </>
  );
}

export function TerminalText({
  text,
  label,
  tone = '',
}: {
  readonly text: Text;
  readonly label: string;
  readonly tone?: string;
}) {
  const source = useSource();
  const whole = useWhole(text);
  const runs = useMemo(() => keyed(readAnsi(whole.text)), [whole.text]);
  if (text.text === '') return null;
  return (
    <>
      <figure className={`terminal copyable ${tone}`} aria-label={neutralise(label)}>
        <pre>
          {runs.map(({ key, run }) => {
            const className = runClass(run);
            return className === '' ? (
              run.text
            ) : (
              <span key={key} className={className}>
                {run.text}
              </span>
            );
          })}
        </pre>
        <CopyButton what={label} text={async () => withoutAnsi(await wholeText(source, text))} />
      </figure>
      <More whole={whole} />
    </>
  );
}

/** A run is identified by where it begins. */
function keyed(runs: readonly AnsiRun[]): readonly { readonly key: number; readonly run: AnsiRun }[] {
  let at = 0;
  return runs.map((run) => {
    const key = at;
    at += run.text.length;
    return { key, run };
  });
}

function runClass(run: AnsiRun): string {
  return [
    run.ink === null ? '' : `ink-${run.ink}`,
    run.ground === null ? '' : `ground-${run.ground}`,
    run.isBold ? 'bold' : '',
    run.isFaint ? 'faint' : '',
    run.isItalic ? 'italic' : '',
    run.isUnderlined ? 'underlined' : '',
  ]
    .filter((name) => name !== '')
    .join(' ');
}
