// The files that were changed up to a turn, with added and removed lines. A file opens its changes, in order, each with a
// link to its call.
import { useCallback, useState } from 'react';
import { counted, neutralise } from '../../../../base/text/index.ts';
import type { FileEdit, SideView, TouchedFile } from '../../../../export/wire/index.ts';
import { type Abortable, ProblemNote, useAnswer } from '../../page/index.ts';
import type { SideSource } from '../source/index.ts';
import { Diff, languageOfFile, Words } from '../text/index.ts';

export interface FilesPartProps {
  readonly view: SideView;
  readonly cwd: string | null;
  readonly branch: number;
  readonly side: SideSource;
  lineLink(line: number, text: string): React.ReactNode;
}

const shownFiles = 12;

export function FilesPart({ view, cwd, branch, side, lineLink }: FilesPartProps) {
  const [isWhole, setWhole] = useState(false);
  const { files, fileCount, turn } = view;
  if (files.length === 0) return <p className="quiet">None up to this turn.</p>;
  const shown = isWhole ? files : files.slice(0, shownFiles);
  return (
    <>
      <ul className="side-files">
        {shown.map((file) => (
          <li key={file.file}>
            <FileRow file={file} cwd={cwd} branch={branch} turn={turn} side={side} lineLink={lineLink} />
          </li>
        ))}
      </ul>
      {files.length <= shownFiles ? null : (
        <button type="button" className="more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${files.length}`}
        </button>
      )}
      {isWhole && fileCount > files.length ? (
        <p className="quiet">{counted(fileCount - files.length, 'older file')} not listed.</p>
      ) : null}
    </>
  );
}

interface FileRowProps extends Omit<FilesPartProps, 'view'> {
  readonly file: TouchedFile;
  readonly turn: number;
}

function FileRow({ file, cwd, branch, turn, side, lineLink }: FileRowProps) {
  const [isOpen, setOpen] = useState(false);
  const name = cwd !== null && file.path.startsWith(`${cwd}/`) ? file.path.slice(cwd.length + 1) : file.path;
  return (
    <>
      <button type="button" className="side-file" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {/* The end of a path says more than its beginning. */}
        <span className="side-path" title={neutralise(file.path)}>
          <bdi>
            <Words text={name} />
          </bdi>
        </span>
        <span className="side-counts">
          {file.edits === 0 ? (
            <span className="quiet">{file.failed > 0 ? 'failed' : 'running'}</span>
          ) : (
            <>
              <span className="side-added">+{file.added}</span> <span className="side-removed">−{file.removed}</span>
            </>
          )}
        </span>
      </button>
      {isOpen ? <Edits file={file} branch={branch} turn={turn} side={side} lineLink={lineLink} /> : null}
    </>
  );
}

function Edits({ file, branch, turn, side, lineLink }: Omit<FileRowProps, 'cwd'>) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the changes of a file are asked for again when it has more
  const ask = useCallback(
    ({ init }: Abortable) => side.edits({ branch, turn, file: file.file }, init.signal),
    [side, branch, turn, file.file, file.edits, file.failed],
  );
  const { answer, problem, askAgain } = useAnswer(ask);
  if (problem !== null) return <ProblemNote problem={problem} onRetry={askAgain} />;
  if (answer === null) return <p className="quiet">Reading the changes…</p>;
  return (
    <ol className="side-edits">
      {answer.edits.map((edit) => (
        <li key={edit.place.record}>
          <EditView edit={edit} path={file.path} lineLink={lineLink} />
        </li>
      ))}
      {answer.more === 0 ? null : <li className="quiet">{counted(answer.more, 'later change')} not listed.</li>}
    </ol>
  );
}

interface EditViewProps {
  readonly edit: FileEdit;
  readonly path: string;
  lineLink: FilesPartProps['lineLink'];
}

const stateNames = {
  done: '',
  failed: ', not made',
  declined: ', declined',
  interrupted: ', interrupted',
  open: ', running',
} as const;

function EditView({ edit: { place, turn, tool, state, diff }, path, lineLink }: EditViewProps) {
  return (
    <>
      <p className="side-edit">
        {lineLink(place.line, `${neutralise(tool)} in turn ${turn}`)}
        <span className="quiet">{stateNames[state]}</span>
      </p>
      {diff.hunks.length === 0 ? (
        <p className="quiet">Nothing changed.</p>
      ) : (
        <Diff hunks={diff.hunks} language={languageOfFile(path)} label={`Changes of ${path} on line ${place.line}`} />
      )}
      {diff.more === 0 ? null : <p className="quiet">{counted(diff.more, 'more line')} at the call.</p>}
    </>
  );
}
