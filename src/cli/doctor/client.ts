// clew doctor --client: tries the installed Claude Code on twenty small sessions and says which predictions hold for
// it. Exit code 1 where one does not.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { oneLine } from '../../base/text/index.ts';
import { findClient, type ProbeReport, probeClient } from '../../doctor/client-probe/index.ts';
import { newestClient } from '../../session/resume/client/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { createStop, type Style, showProgress, terminalWidth, writeOut } from '../terminal/index.ts';

export async function runClientProbe(input: CommandInput): Promise<number> {
  const { flags, io } = input;
  const client = findClient(textFlag(flags, 'client'), io.env, io.cwd);
  const { signal, listen, dispose } = createStop();
  listen();
  const progress = showProgress({ stderr: io.stderr, label: 'trying sessions' });
  try {
    const report = await probeClient(client, {
      signal,
      onProgress: (done, total) => progress.update(done, total),
    });
    progress.end();
    const text =
      flags.json === true
        ? `${jsonText(probeJson(report), 2)}\n`
        : probeText(report, io.style, terminalWidth(io.stdout, io.env));
    await writeOut([text], io);
    return report.results.every(({ difference }) => difference === undefined) ? exitCodes.ok : exitCodes.failed;
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new UserError('stopped before all sessions were tried', 'run it again', exitCodes.failed);
  } finally {
    progress.end();
    dispose();
  }
}

function probeText({ path, version, isNewer, results }: ProbeReport, style: Style, width: number): string {
  const wrong = results.filter(({ difference }) => difference !== undefined);
  const lines = [
    `${results.length - wrong.length} of ${results.length} predictions hold for Claude Code ${version}`,
    style.muted(oneLine(path, width)),
    ...(isNewer ? [`It is newer than ${newestClient}, the newest one known here, whose rules were tried.`] : []),
    ...wrong.map(
      ({ name, rule, difference }) => `${style.error('✗')} ${name}: ${rule}; ${oneLine(difference ?? '', 300)}`,
    ),
    ...(wrong.length > 0
      ? ['What `clew messages` and `clew doctor` say of a resume may be wrong in these points.']
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

function probeJson({ path, version, isNewer, results }: ProbeReport): object {
  return {
    client: { path, version, newerThanKnown: isNewer, newestKnown: newestClient },
    predictions: results.length,
    holding: results.filter(({ difference }) => difference === undefined).length,
    results: results.map(({ name, rule, difference }) => ({
      name,
      rule,
      holds: difference === undefined,
      difference: difference ?? null,
    })),
  };
}
