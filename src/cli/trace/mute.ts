// clew trace mute and unmute: stops and restarts the tracing of a session or folder.
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { neutralise } from '../../base/text/index.ts';
import { activeMute, type MuteTarget, mute, readMutes, tracePlaces, unmute } from '../../trace/state/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { findSessionArgument, folderOfTranscript } from '../input/index.ts';
import { writeOut } from '../terminal/index.ts';

export async function run(input: CommandInput): Promise<void> {
  const { io } = input;
  const { targets, shown } = await targetOf(input);
  const places = tracePlaces(io.env);
  let isNew = false;
  for (const target of targets) isNew = (await mute(places, target, Date.now())) || isNew;
  const { kind } = shown;
  const text = isNew
    ? `${kind} ${shown.name} is muted; \`clew trace unmute ${shown.name}\` traces it again`
    : `${kind} ${shown.name} is already muted; \`clew trace unmute ${shown.name}\` traces it again`;
  await report(input, { ...shown, muted: true, changed: isNew }, text);
}

export async function runUnmute(input: CommandInput): Promise<void> {
  const { io } = input;
  const { targets, shown, file } = await targetOf(input);
  const places = tracePlaces(io.env);
  let isChanged = false;
  for (const target of targets) isChanged = (await unmute(places, target, Date.now())) || isChanged;
  const { kind, name } = shown;
  const cwd = kind === 'project' ? name : file === undefined ? undefined : folderOfTranscript(file);
  const rest = activeMute(readMutes(places), { sessionId: kind === 'session' ? name : '', cwd });
  const text =
    rest === undefined
      ? `${kind} ${name} is ${isChanged ? 'traced again; turns from the muted time are not sent' : 'not muted'}`
      : `${kind} ${name} is still muted by its folder; run \`clew trace unmute ${rest.name}\``;
  await report(input, { ...shown, muted: rest !== undefined, changed: isChanged }, text);
}

interface Target {
  /** A folder has one for each of its paths. */
  readonly targets: readonly MuteTarget[];
  readonly shown: MuteTarget;
  readonly file: string | undefined;
}

/** A session or a folder; by default the working directory. */
async function targetOf(input: CommandInput): Promise<Target> {
  const { argument, flags, io } = input;
  const project = textFlag(flags, 'project');
  if (argument !== undefined && project !== undefined)
    throw new UserError('--project cannot be combined with an argument', 'leave one of them out');
  const folder = path.resolve(io.cwd, project ?? argument ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) {
    const targets = [...new Set([folder, realpathSync(folder)])].map((name) => ({ kind: 'project', name }) as const);
    return { targets, shown: { kind: 'project', name: folder }, file: undefined };
  }
  if (project !== undefined) throw new UserError(`folder not found: ${folder}`, 'name the folder of the project');
  const file = await findSessionArgument(input);
  const shown = { kind: 'session', name: path.basename(file, '.jsonl') } as const;
  return { targets: [shown], shown, file };
}

async function report(
  { flags, io }: CommandInput,
  value: MuteTarget & { readonly muted: boolean; readonly changed: boolean },
  text: string,
): Promise<void> {
  await writeOut([flags.json === true ? `${jsonText(value, 2)}\n` : `${neutralise(text)}\n`], io);
}
