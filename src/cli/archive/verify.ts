// clew archive --verify: what of the archive can be restored, and what cannot. Exits with 1 if anything is damaged.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { counted, formatBytes, neutralise } from '../../base/text/index.ts';
import {
  archiveFolder,
  isDamaged,
  type SessionVerdict,
  type Verification,
  verifyArchive,
} from '../../library/archive/index.ts';
import type { CommandInput } from '../command/index.ts';
import { showByteProgress, writeNotice, writeOut } from '../terminal/index.ts';

export async function verify({ flags, io }: CommandInput): Promise<void> {
  const progress = showByteProgress(io.stderr, 'verifying');
  const found = await verifyArchive({
    folder: archiveFolder(io.env),
    onStart: (bytes) => progress.start(bytes),
    onRead: (bytes) => progress.add(bytes),
  }).finally(() => progress.end());
  await writeOut([flags.json === true ? `${jsonText(found, 2)}\n` : neutralise(verificationText(found))], io);
  for (const notice of noticesOf(found)) writeNotice(io.stderr, notice);
  if (!isDamaged(found)) return;
  const next = '`clew fsck` keeps what is intact and sets the rest aside; then run `clew archive`';
  throw new UserError('the archive is damaged', next, exitCodes.failed);
}

function verificationText(found: Verification): string {
  const { sessions, versions, files, sizeBytes, damage, broken, verdicts } = found;
  const damaged = damage.map(({ pack, offset, message }) => `${pack} at ${offset}: ${message}\n`);
  const lost = broken.map(
    ({ session, version, file, reason }) => `${session} copy ${version}${file === '' ? '' : `, ${file}`}: ${reason}\n`,
  );
  const total = `${counted(sessions, 'session')}, ${counted(versions, 'copy', 'copies')}, ${counted(files, 'file')}`;
  const list = isDamaged(found) ? verdicts.map(verdictLine) : [];
  return `${[...damaged, ...lost, ...list].join('')}${total}, ${formatBytes(sizeBytes)}: ${resultText(found)}\n`;
}

function verdictLine({ sessionId, title, isRestorable, restorable }: SessionVerdict): string {
  const name = title === '' ? sessionId : `${sessionId} (${title})`;
  if (isRestorable) return `${name}: can be restored\n`;
  const older = restorable.length === 0 ? '' : `, only copy ${restorable.join(', ')}`;
  return `${name}: can no longer be restored${older}\n`;
}

/** Never certain of what was not read: a missing record is not a broken file. */
function resultText({ sums, broken, damage, verdicts }: Verification): string {
  const files = broken.filter(({ file }) => file !== '').length;
  const lost = verdicts.filter(({ isRestorable }) => !isRestorable).length;
  const parts = [
    ...(files === 0 ? [] : [`${counted(files, 'file')} cannot be restored`]),
    ...(lost === 0 ? [] : [`${counted(lost, 'session')} can no longer be restored`]),
  ];
  if (parts.length > 0) return parts.join('; ');
  if (damage.length > 0) return 'every session that was found can be restored';
  return sums === 'read' ? 'every byte can be restored' : 'every byte that was found can be restored';
}

function noticesOf({ sums, sessions, uncommitted }: Verification): readonly string[] {
  const none =
    sums === 'none' && sessions > 0
      ? ['the archive has no committed sums yet, so missing copies cannot be noticed; `clew archive` writes them']
      : [];
  const tails = uncommitted.map(({ pack, offset, bytes, soundBytes, torn }) => {
    const held = torn.length === 0 ? '' : `, and with them a part of ${torn.join(', ')}`;
    const dropped = bytes - soundBytes;
    const fate = dropped === 0 ? 'commits them' : `keeps the first ${soundBytes} and drops the others${held}`;
    return `${bytes} bytes of ${pack} from ${offset} on are not committed; the next \`clew archive\` ${fate}`;
  });
  return [...none, ...tails];
}
