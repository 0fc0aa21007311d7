// clew doctor SESSION: what is wrong with a session, its effect and the repair; --fix repairs it, --all examines the
// whole library. Exit code 1 if a finding is severe.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { isSevere } from '../../doctor/checks/index.ts';
import { diagnoseSession, verdictOf } from '../../doctor/diagnosis/index.ts';
import { verdictState } from '../../library/index/index.ts';
import { daysLeftOf } from '../../library/session-files/index.ts';
import { titleOf } from '../../session/facts/index.ts';
import { refuseForeign } from '../../session/transcript/index.ts';
import { identify, projectsFolders } from '../../store/index.ts';
import { sourceOf } from '../../surgery/engine/index.ts';
import type { CommandInput } from '../command/index.ts';
import { findSessionArgument, readSession, refuseAgent, refuseDemo, rootsOf } from '../input/index.ts';
import { proseWidth, terminalWidth, writeOut } from '../terminal/index.ts';
import { diagnosisJson, keepVerdicts } from './json.ts';
import { diagnosisText } from './render.ts';

export async function run(input: CommandInput): Promise<number> {
  const { flags, io, argument } = input;
  if (flags.client !== undefined) {
    const other = ['all', 'fix', 'mark', 'dry-run', 'strategy', 'demo'].find(
      (name) => flags[name] !== undefined && flags[name] !== false,
    );
    if (argument !== undefined || other !== undefined) {
      throw new UserError('--client tries the installed Claude Code, not a session', 'leave out all but --json');
    }
    return (await import('./client.ts')).runClientProbe(input);
  }
  if (flags.all === true && argument !== undefined) {
    throw new UserError('--all looks at every session', 'give either a SESSION or --all');
  }
  if (flags.all === true && flags.fix === true) {
    throw new UserError('--fix repairs one session at a time', 'give a SESSION instead of --all');
  }
  if (flags.all === true) return (await import('./all.ts')).runAll(input);
  const isFix = flags.fix === true || flags['dry-run'] === true;
  const stray = ['in-place', 'portable', 'strategy', 'yes'].find(
    (name) => flags[name] !== undefined && flags[name] !== false,
  );
  if (!isFix && stray !== undefined) throw new UserError(`--${stray} needs --fix`, `add --fix or leave out --${stray}`);
  if (flags.fix === true && flags['dry-run'] !== true) refuseDemo(input, '`clew doctor --fix`');
  if (argument === undefined)
    throw new UserError('doctor needs a SESSION, --all or --client', 'run `clew doctor --help`');
  const file = await findSessionArgument(input, { isChange: isFix });
  const state = verdictState(file);
  const identity = identify(file);
  const session = await readSession(input, file);
  refuseForeign(session.transcript);
  // The demo's folders were never on this disk.
  const folders = flags.demo === true ? [] : projectsFolders(rootsOf(input));
  const diagnosis = await diagnoseSession(session, { folders, daysLeft: daysLeftOf(file, folders, Date.now()) });
  if (isFix) {
    refuseAgent(session);
    const source = await sourceOf(file, { roots: rootsOf(input) }, { session, identity });
    return (await import('./fix.ts')).runFix(input, source, diagnosis, folders);
  }
  if (state !== undefined && input.unread.size === 0)
    keepVerdicts(io, [{ path: file, state, verdict: verdictOf(diagnosis) }]);
  if (flags.json === true)
    await writeOut([`${jsonText({ ...diagnosisJson(diagnosis), unread: input.unread.problems }, 2)}\n`], io);
  else {
    const widths = { width: proseWidth(io.stdout, io.env), cutWidth: terminalWidth(io.stdout, io.env) };
    const options = { style: io.style, ...widths, title: titleOf(session) };
    await writeOut([diagnosisText(diagnosis, options)], { ...io, pager: true });
  }
  return diagnosis.findings.some(isSevere) ? exitCodes.failed : exitCodes.ok;
}
