// The dialog of an action: its options, the dry run of the server, the command that does the same, and the button that does
// it. On a server that only reads, the command is all it offers.
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { counted } from '../../../../base/text/index.ts';
import { type ActionView, actionNamed, commandOf } from '../../../wire/index.ts';
import { useServices, useStatus } from '../../page/index.ts';
import { Words } from '../../session/text/index.ts';
import { type ActionHost, type AskedAction, useChanges } from '../subject/index.ts';
import { OptionFields } from './option-fields.tsx';
import { firstOptions, missingOption } from './options.ts';
import { ManyPreviews, PreviewView } from './preview-view.tsx';
import { type ActionCall, download, failureText, type Ran, runAction, tryAction } from './run-action.ts';
import { type DryRun, useDryRun } from './use-dry-run.ts';

export interface ActionDialogProps {
  readonly asked: AskedAction;
  readonly host: ActionHost;
  onClose(): void;
}

export function ActionDialog({ asked, ...rest }: ActionDialogProps) {
  const action = actionNamed(asked.action);
  const { permission } = useChanges();
  if (action === undefined) return null;
  // A star is set and removed at once; there is nothing to choose or to look at first.
  if (action.writes === 'clew' && permission === 'allowed') return <AtOnce action={action} asked={asked} {...rest} />;
  return <OpenDialog action={action} asked={asked} {...rest} />;
}

type PartProps = ActionDialogProps & { readonly action: ActionView };

function AtOnce({ action, asked, host, onClose }: PartProps) {
  const { client } = useServices();
  const hasStarted = useRef(false);
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    const call = { client, action: action.name, options: {} };
    const run = async (): Promise<void> => {
      let tried: Parameters<typeof runAction>[1] = [];
      await tryAction(call, asked.subjects, new AbortController().signal, (all) => {
        tried = all;
      });
      host.notify(noticeOf(action, await runAction(call, tried)));
    };
    run()
      .catch((error: unknown) => host.notify({ text: failureText(error) }))
      .finally(onClose);
  });
  return null;
}

function OpenDialog({ action, asked, host, onClose }: PartProps) {
  const { subjects } = asked;
  const { client } = useServices();
  const status = useStatus();
  const changes = useChanges();
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  const [options, setOptions] = useState(() => firstOptions(action, asked.options, subjects[0]?.title ?? null));
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const call = useMemo<ActionCall>(() => ({ client, action: action.name, options }), [client, action, options]);
  const missing = missingOption(action, options);
  const isDownload = action.writes === 'download';
  const isReadOnly = changes.permission === 'off';
  // The dry run of several sessions is a POST, which a page that may only read never sends.
  const canTry = !isDownload && missing === null && !(isReadOnly && subjects.length > 1);
  const run = useDryRun(call, subjects, canTry);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const command =
    run.tried.length === 1 && run.isCurrent && subjects.length === 1
      ? (run.tried[0]?.preview?.command ?? '')
      : subjects.map((subject) => commandOf(action.name, subject, options, status?.roots ?? [])).join('\n');
  const start = (work: () => Promise<void>): void => {
    setBusy(true);
    setFailure(null);
    work()
      .catch((error: unknown) => setFailure(failureText(error)))
      .finally(() => setBusy(false));
  };
  const doIt = (): void =>
    start(async () => {
      if (changes.permission === 'ask') await changes.allow();
      const ran = await runAction(call, run.tried);
      host.notify(noticeOf(action, ran));
      if (ran.failed.length > 0) setFailure(`${counted(ran.failed.length, 'session')} refused; see the notice below`);
      else dialog.current?.close();
    });
  const save = (): void =>
    start(async () => {
      for (const subject of subjects) await download(client, subject, options.format ?? 'md');
      host.notify({ text: subjects.length === 1 ? 'Downloaded' : `${counted(subjects.length, 'session')} downloaded` });
      dialog.current?.close();
    });
  return (
    <dialog className="action-dialog" ref={dialog} aria-labelledby={headingId} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isDownload) save();
          else if (!isReadOnly && run.isReady && !isBusy) doIt();
        }}
      >
        <h2 id={headingId}>
          {action.title}{' '}
          {subjects.length === 1 ? (
            <>
              “<Words text={subjects[0]?.title ?? subjects[0]?.id ?? ''} />”
            </>
          ) : (
            counted(subjects.length, 'session')
          )}
        </h2>
        <p className="quiet">{action.summary}</p>
        <OptionFields action={action} options={options} onChange={setOptions} />
        {isDownload ? null : <DryRunView {...{ missing, run, canTry }} total={subjects.length} />}
        <Command command={missing === null ? command : ''} host={host} isPrimary={isReadOnly && !isDownload} />
        {isReadOnly && !isDownload ? (
          <p className="quiet">
            This page only reads. To change sessions here, start it with <code>clew open --allow-changes</code>.
          </p>
        ) : null}
        {changes.permission === 'ask' && !isDownload ? (
          <p className="quiet">
            The page has not changed anything yet. Your confirmation allows it to change sessions until{' '}
            <code>clew open</code> ends.
          </p>
        ) : null}
        {failure === null ? null : (
          <p className="problem" role="alert">
            <Words text={failure} />
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            {isReadOnly && !isDownload ? 'Close' : 'Cancel'}
          </button>
          {isDownload ? (
            <button type="submit" className="primary" disabled={isBusy}>
              {isBusy ? 'Preparing…' : 'Download'}
            </button>
          ) : isReadOnly ? null : (
            <button type="submit" className="primary" disabled={isBusy || !run.isReady}>
              {buttonText(action, changes.permission, isBusy)}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

function buttonText(action: ActionView, permission: string, isBusy: boolean): string {
  if (isBusy) return 'Working…';
  return permission === 'ask' ? `Allow changes and ${action.title.toLowerCase()}` : action.title;
}

interface DryRunViewProps {
  readonly missing: string | null;
  readonly run: DryRun;
  readonly canTry: boolean;
  readonly total: number;
}

function DryRunView({ missing, run, canTry, total }: DryRunViewProps) {
  const [first] = run.tried;
  if (missing === null && !canTry) return null;
  return (
    <section className="dry-run" aria-label="Dry run" aria-live="polite" aria-busy={run.isTrying}>
      {missing !== null ? (
        <p className="quiet">{missing}</p>
      ) : run.problem !== null ? (
        <p className="problem">
          <Words text={run.problem} />
        </p>
      ) : first === undefined ? (
        <p className="quiet">Trying it on a copy…</p>
      ) : (
        <div className={run.isCurrent ? '' : 'stale'}>
          {total === 1 && first.preview !== null ? (
            <PreviewView preview={first.preview} />
          ) : (
            <ManyPreviews tried={run.tried} total={total} />
          )}
        </div>
      )}
    </section>
  );
}

interface CommandProps {
  readonly command: string;
  readonly host: ActionHost;
  readonly isPrimary: boolean;
}

function Command({ command, host, isPrimary }: CommandProps) {
  const [state, setState] = useState('');
  if (command === '') return null;
  const copy = (): void => {
    navigator.clipboard.writeText(command).then(
      () => {
        setState('Command copied');
        host.notify({ text: 'Command copied' });
      },
      () => setState('The browser refused to copy; select the text instead'),
    );
  };
  return (
    <div className="action-command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by key */}
      <section tabIndex={0} aria-label="Command">
        <pre>
          <Words text={command} />
        </pre>
      </section>
      <button type="button" className={isPrimary ? 'primary' : ''} onClick={copy}>
        Copy command
      </button>
      <output className="quiet">{state}</output>
    </div>
  );
}

const maxDetails = 100;

function noticeOf(action: ActionView, ran: Ran): Parameters<ActionHost['notify']>[0] {
  const [to] = ran.to;
  const isNew = action.writes === 'new' && to !== undefined;
  const failed = ran.failed.map(({ subject, problem }) => `${subject.title ?? subject.id}: ${problem}`);
  const single = ran.done.length === 1 && failed.length === 0;
  return {
    text: single ? ran.summary : manyText(action, ran),
    undoes: ran.operations,
    details: [...ran.notes, ...failed].slice(0, maxDetails),
    ...(isNew ? { link: { address: `/s/${encodeURIComponent(to.key)}`, text: 'Open the new session' } } : {}),
  };
}

function manyText(action: ActionView, { done, failed }: Ran): string {
  const refused = failed.length === 0 ? '' : `, ${failed.length} refused`;
  return `${action.title}: ${counted(done.length, 'session')}${refused}`;
}
