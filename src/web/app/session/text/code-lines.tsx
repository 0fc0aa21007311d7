// Lines of code with their numbers, and the lines of a diff: coloured one by one once the languages are loaded.
import { Fragment, type ReactNode, useEffect, useMemo, useState } from 'react';
import { neutralise } from '../../../../base/text/index.ts';
import type { HunkView } from '../../../../export/wire/index.ts';
import { currentHighlighter, type Highlighter, loadHighlighter } from './highlight.ts';
import { currentWordDiff, loadWordDiff } from './load-word-diff.ts';
import { type CharRange, markWords } from './mark-words.ts';

const maxColoured = 600;

function useHighlighter(language: string, lines: number): Highlighter | undefined {
  const isWanted = language !== '' && lines <= maxColoured;
  const [highlighter, setHighlighter] = useState<Highlighter | undefined>(() =>
    isWanted ? currentHighlighter() : undefined,
  );
  useEffect(() => {
    if (!isWanted || highlighter !== undefined) return;
    let isShown = true;
    void loadHighlighter().then((loaded) => {
      if (isShown) setHighlighter(() => loaded);
    });
    return () => {
      isShown = false;
    };
  }, [isWanted, highlighter]);
  return isWanted ? highlighter : undefined;
}

interface CodeLineProps {
  readonly text: string;
  readonly paint: Highlighter | undefined;
  readonly language: string;
  /** Parts of the neutralised text. */
  readonly changed?: readonly CharRange[] | undefined;
}

function CodeLine({ text, paint, language, changed = none }: CodeLineProps) {
  const shown = neutralise(text);
  const coloured = shown.length > 400 ? undefined : paint?.(shown, language);
  if (coloured === undefined && changed.length === 0) return <code>{shown}</code>;
  const words = markWords(coloured ?? [{ text: shown, className: '' }], changed);
  let at = 0;
  return (
    <code>
      {words.map(({ text: word, className: colour, isChanged }) => {
        const key = at;
        at += word.length;
        const className = isChanged ? `${colour} changed`.trim() : colour;
        return className === '' ? (
          <Fragment key={key}>{word}</Fragment>
        ) : (
          <span key={key} className={className}>
            {word}
          </span>
        );
      })}
    </code>
  );
}

const none: readonly CharRange[] = [];

export interface NumberedLinesProps {
  readonly content: string;
  readonly firstLine: number;
  readonly language: string;
  readonly label: string;
  /** The button that copies it. */
  readonly children?: ReactNode;
}

export function NumberedLines({ content, firstLine, language, label, children }: NumberedLinesProps) {
  const lines = content.split('\n').map((text, i) => ({ text, number: firstLine + i }));
  const paint = useHighlighter(language, lines.length);
  return (
    <figure className="code copyable" aria-label={neutralise(label)}>
      {lines.map(({ text, number }) => (
        <div className="code-line" key={number}>
          <span className="number" title="Line of the file">
            {number}
          </span>
          <CodeLine text={text} paint={paint} language={language} />
        </div>
      ))}
      {children}
    </figure>
  );
}

export interface DiffProps {
  readonly hunks: readonly HunkView[];
  readonly language: string;
  readonly label: string;
  /** The button that copies it. */
  readonly children?: ReactNode;
}

export function Diff({ hunks, language, label, children }: DiffProps) {
  const paint = useHighlighter(
    language,
    hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0),
  );
  const changed = useChangedWords(hunks);
  return (
    <figure className="code diff copyable" aria-label={neutralise(label)}>
      {hunks.map((hunk, i) => (
        <Fragment key={`${i} ${hunk.oldStart} ${hunk.newStart}`}>
          {i === 0 ? null : <div className="gap" aria-hidden="true" />}
          {numberLines(hunk).map(({ mark, text, before, after }, line) => (
            <div
              className={`code-line ${mark === '+' ? 'added' : mark === '-' ? 'removed' : ''}`}
              key={`${before} ${after}`}
            >
              <span className="number" title="Line before the change">
                {mark === '+' ? '' : before}
              </span>
              <span className="number" title="Line after the change">
                {mark === '-' ? '' : after}
              </span>
              <span className="mark">{mark}</span>
              <CodeLine text={text} paint={paint} language={language} changed={changed[i]?.get(line)} />
            </div>
          ))}
        </Fragment>
      ))}
      {children}
    </figure>
  );
}

/** For each hunk, the changed parts of its lines; none until the code that compares them is loaded. */
function useChangedWords(hunks: readonly HunkView[]): readonly ReadonlyMap<number, readonly CharRange[]>[] {
  const [diff, setDiff] = useState(currentWordDiff);
  useEffect(() => {
    if (diff !== undefined) return;
    let isShown = true;
    loadWordDiff().then(
      (loaded) => {
        if (isShown) setDiff(loaded);
      },
      () => {}, // the lines are right without marks
    );
    return () => {
      isShown = false;
    };
  }, [diff]);
  return useMemo(() => {
    if (diff === undefined) return [];
    const budget = diff.newBudget();
    return hunks.map(({ lines }) => diff.changedWords(lines.map(neutralise), budget));
  }, [diff, hunks]);
}

interface DiffLine {
  readonly mark: string;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

function numberLines({ oldStart, newStart, lines }: HunkView): readonly DiffLine[] {
  let before = oldStart;
  let after = newStart;
  return lines.map((line) => {
    const mark = line[0] === '+' || line[0] === '-' ? line[0] : ' ';
    const numbered = { mark, text: line.slice(1), before, after };
    if (mark !== '+') before++;
    if (mark !== '-') after++;
    return numbered;
  });
}

/** A unified diff as the server sends the whole of a cut one. */
export function readDiff(text: string): readonly HunkView[] {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (head !== null) hunks.push({ oldStart: Number(head[1]), newStart: Number(head[2]), lines: [] });
    else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}
