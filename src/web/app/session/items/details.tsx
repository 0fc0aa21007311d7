// The detail of a tool call: a diff, a terminal, a file, a search, a todo list, an answer from the web, a
// question, a plan; anything else as JSON in and text out.
import { counted, formatBytes, neutralise, readNumbered } from '../../../../base/text/index.ts';
import type { CallDetail, DetailOf, DiffDetail } from '../../../../export/wire/index.ts';
import { CopyButton, wholeText } from '../copy/index.ts';
import { type SessionSource, useSource } from '../source/index.ts';
import {
  Diff,
  isSafeLink,
  JsonText,
  languageOfFile,
  MarkdownText,
  More,
  NumberedLines,
  PlainText,
  readDiff,
  TerminalText,
  useWhole,
  Words,
} from '../text/index.ts';

/** `id` of the call: it names the folds of its trees. */
export function Detail({ detail, id }: { readonly detail: CallDetail; readonly id: string }) {
  switch (detail.as) {
    case 'diff':
      return <ChangedFile detail={detail} />;
    case 'shell':
      return <Terminal detail={detail} />;
    case 'file':
      return <ReadFile detail={detail} />;
    case 'search':
      return <SearchResult detail={detail} />;
    case 'todos':
      return <Todos detail={detail} />;
    case 'web-search':
      return <WebSearch detail={detail} />;
    case 'web-fetch':
      return <WebFetch detail={detail} />;
    case 'agent':
      return (
        <>
          <h4>Task</h4>
          <MarkdownText text={detail.prompt} />
          {detail.result.text === '' ? null : <h4>Answer</h4>}
          <MarkdownText text={detail.result} />
        </>
      );
    case 'questions':
      return <Questions detail={detail} />;
    case 'plan':
      return <MarkdownText text={detail.plan} />;
    case 'json':
      return (
        <>
          {detail.input.text === '' ? null : (
            <JsonText text={detail.input} id={`input ${id}`} label="input">
              <PlainText text={detail.input} className="mono" copies="input" />
            </JsonText>
          )}
          {detail.output.text === '' ? null : (
            <JsonText text={detail.output} id={`output ${id}`} label="output">
              <TerminalText text={detail.output} label="output" />
            </JsonText>
          )}
        </>
      );
    default:
      return detail satisfies never;
  }
}

/** Whether it is open at first. */
export function isShownOpen(detail: CallDetail): boolean {
  switch (detail.as) {
    case 'diff':
      return detail.added + detail.removed <= 60;
    case 'todos':
    case 'plan':
    case 'questions':
      return true;
    case 'shell':
      return lineCount(detail.stdout.text) + lineCount(detail.stderr.text) <= 14;
    default:
      return false;
  }
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}

function ChangedFile({ detail }: { readonly detail: DiffDetail }) {
  const whole = useWhole({ text: '', more: detail.more, at: detail.at });
  const source = useSource();
  const language = languageOfFile(detail.file);
  const added = (text: string): DiffDetail['hunks'] => [
    { oldStart: 0, newStart: 1, lines: text.split('\n').map((line) => `+${line}`) },
  ];
  const hunks = whole.text === '' ? detail.hunks : detail.isNew ? added(whole.text) : readDiff(whole.text);
  if (hunks.length === 0) return <p className="quiet">Nothing changed.</p>;
  return (
    <>
      <Diff hunks={hunks} language={language} label={`Changes of ${detail.file}`}>
        <CopyButton what="change" text={() => changeText(detail, source)} />
      </Diff>
      <More whole={whole} unit={whole.text === '' ? 'lines' : 'characters'} />
    </>
  );
}

/** A new file without marks, a change as a patch; whole even if only its beginning is shown. */
function changeText({ isNew, hunks, more, at }: DiffDetail, source: SessionSource): string | Promise<string> {
  if (more > 0 && at !== null) return source.text(at);
  const lines = hunks.map((hunk) => hunk.lines.map((line) => (isNew ? line.slice(1) : line)));
  return lines.map((each) => `${each.join('\n')}\n`).join('\n');
}

function Terminal({ detail }: { readonly detail: DetailOf<'shell'> }) {
  const isLong = detail.command.text.includes('\n') || detail.command.text.length > 100 || detail.command.more > 0;
  const facts = [
    detail.exitCode === null || detail.exitCode === 0 ? '' : `exit code ${detail.exitCode}`,
    detail.isInterrupted ? 'interrupted' : '',
    detail.backgroundId === null ? '' : `in the background as ${detail.backgroundId}`,
    detail.persisted === null
      ? ''
      : `whole output (${formatBytes(detail.persisted.sizeBytes)}) in ${detail.persisted.path}`,
  ].filter((fact) => fact !== '');
  const isSilent = detail.stdout.text === '' && detail.stderr.text === '';
  return (
    <>
      {isLong ? <PlainText text={detail.command} className="mono command" copies="command" /> : null}
      <TerminalText text={detail.stdout} label="output" />
      <TerminalText text={detail.stderr} label="errors" tone="stderr" />
      {facts.length === 0 ? null : (
        <p className="quiet">
          <Words text={facts.join(' · ')} />
        </p>
      )}
      {isSilent && facts.length === 0 && !isLong ? <p className="quiet">No output.</p> : null}
    </>
  );
}

function ReadFile({ detail }: { readonly detail: DetailOf<'file'> }) {
  // The whole text that the model got has numbers before its lines.
  const readContent = (text: string): string => readNumbered(text)?.content ?? text;
  const source = useSource();
  const whole = useWhole(detail.content, readContent);
  if (detail.note !== null && whole.text === '') return <p className="quiet">{detail.note}</p>;
  if (whole.text === '') return <p className="quiet">No content in the transcript.</p>;
  return (
    <>
      <NumberedLines
        content={whole.text}
        firstLine={detail.firstLine}
        language={languageOfFile(detail.file)}
        label={`Content of ${detail.file}`}
      >
        <CopyButton what="file content" text={async () => readContent(await wholeText(source, detail.content))} />
      </NumberedLines>
      <More whole={whole} />
    </>
  );
}

function SearchResult({ detail }: { readonly detail: DetailOf<'search'> }) {
  return (
    <>
      {detail.files.length === 0 ? null : (
        <ul className="files">
          {detail.files.map((file) => (
            <li key={file}>
              <Words text={file} />
            </li>
          ))}
        </ul>
      )}
      <TerminalText text={detail.content} label="matches" />
      {detail.fileCount === 0 && detail.content.text !== '' ? null : (
        <p className="quiet">
          {detail.fileCount === 0 ? 'Nothing found' : counted(detail.fileCount, 'file')}
          {detail.isCut ? ', more than are listed' : ''}
        </p>
      )}
    </>
  );
}

const todoMarks: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', pending: '○' };

function Todos({ detail }: { readonly detail: DetailOf<'todos'> }) {
  return (
    <ul className="todos">
      {detail.todos.map(({ content, status }, i) => (
        // A class name from the transcript could take the look of any part of the page.
        <li key={`${i} ${content}`} className={Object.hasOwn(todoMarks, status) ? `todo-${status}` : ''}>
          <span className="todo-mark" role="img" aria-label={neutralise(status.replaceAll('_', ' '))}>
            {Object.hasOwn(todoMarks, status) ? todoMarks[status] : '·'}
          </span>
          <Words text={content} />
        </li>
      ))}
    </ul>
  );
}

function SafeLink({ url, title }: { readonly url: string; readonly title: string }) {
  if (!isSafeLink(url)) return <Words text={`${title} (${url})`} />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      <Words text={title} />
    </a>
  );
}

function WebSearch({ detail }: { readonly detail: DetailOf<'web-search'> }) {
  return (
    <>
      <ul className="links">
        {detail.links.map(({ title, url }, i) => (
          <li key={`${i} ${url}`}>
            <SafeLink url={url} title={title} />
            <span className="quiet"> {hostOf(url)}</span>
          </li>
        ))}
      </ul>
      <MarkdownText text={detail.text} />
    </>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return '';
  }
}

function WebFetch({ detail }: { readonly detail: DetailOf<'web-fetch'> }) {
  const facts = [
    detail.code === null ? '' : String(detail.code),
    detail.sizeBytes === null ? '' : formatBytes(detail.sizeBytes),
  ].filter((fact) => fact !== '');
  return (
    <>
      <p>
        <SafeLink url={detail.url} title={detail.url} /> <span className="quiet">{facts.join(' · ')}</span>
      </p>
      {detail.prompt === null ? null : (
        <p className="quiet">
          <Words text={detail.prompt} />
        </p>
      )}
      <MarkdownText text={detail.text} />
    </>
  );
}

function Questions({ detail }: { readonly detail: DetailOf<'questions'> }) {
  return (
    <>
      {detail.questions.map(({ question, options, answer }) => (
        <div className="question" key={question}>
          <p className="asked">
            <Words text={question} />
          </p>
          <ul>
            {options.map(({ label, description }) => (
              <li key={label} className={answer?.includes(label) === true ? 'chosen' : ''}>
                <Words text={label} />
                {description === null ? null : (
                  <span className="quiet">
                    {' '}
                    <Words text={description} />
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p className="answer">
            {answer === null ? (
              'Not answered'
            ) : (
              <>
                Answer: <Words text={answer} />
              </>
            )}
          </p>
        </div>
      ))}
    </>
  );
}
