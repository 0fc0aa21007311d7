// A session → its diagnosis: everything that is wrong with its lines, its graph, what it would send and where it lies,
// and how much of it a resume loads. Sub-agents are looked at too; nobody resumes them, so nothing of theirs is fatal.
import { unreadableCode } from '../../base/errors/index.ts';
import type { Verdict } from '../../library/index/index.ts';
import type { Reachable } from '../../session/facts/index.ts';
import { agentSession, type Session } from '../../session/load/index.ts';
import { type AutoCompaction, autoCompactionOf } from '../../session/resume/request/index.ts';
import { isMessage, loadTranscript, reloadTranscript } from '../../session/transcript/index.ts';
import {
  checkContent,
  checkFolder,
  checkGraph,
  checkHeads,
  checkImages,
  checkLines,
  checkThinking,
  compareFindings,
  type DamageCode,
  type ExaminedSession,
  examine,
  type Finding,
  type FolderOptions,
  isDamagedInside,
  isMoved,
  oldReachOf,
  type PlacedViolation,
  reachOf,
  restoredSession,
  type Screening,
  type Segment,
  segmentsOf,
} from '../checks/index.ts';

/** What is wrong with a session and how much of it a resume loads. */
export interface Diagnosis {
  readonly sessionId: string;
  readonly path: string;
  /** Worst first. */
  readonly findings: readonly Finding[];
  /** How many of the entries that the user would expect the current client loads. */
  readonly reachable: Reachable;
  /** The same for clients up to 2.1.45. */
  readonly reachableOld: Reachable;
  /** Set if the current client compacts the session before it handles a prompt. */
  readonly compactsFirst: AutoCompaction | null;
  /** What the API would answer to a request that resumes it. */
  readonly violations: readonly PlacedViolation[];
  /** The active branch, piece by piece. */
  readonly chain: readonly Segment[];
}

/** Options of `diagnoseSession`. */
export interface DiagnoseOptions extends FolderOptions {
  /** @internal What a look at the bytes has shown: without anything odd, only the heads of the lines and images are judged. */
  readonly screening?: Screening;
}

/** Finds everything that is wrong with a session. */
export async function diagnoseSession(stored: Session, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const restored = restoredSession(stored);
  const { session } = restored;
  const examined = examine(session);
  const { screening } = options;
  const heads = checkHeads(examined);
  const api =
    screening !== undefined && isSound(screening, heads, examined)
      ? checkImages(examined, screening.imageLines)
      : checkContent(examined);
  const findings = [
    ...restored.findings,
    ...checkTranscript(examined),
    ...withoutReported(heads, api.findings),
    ...api.findings,
    ...checkThinking(examined),
    ...checkFolder(session, options),
    ...checkAgents(session, screening !== undefined),
  ];
  return {
    sessionId: session.id,
    path: session.files.main,
    findings: findings.map(restored.placed).sort(compareFindings),
    reachable: reachOf(examined),
    reachableOld: oldReachOf(examined),
    compactsFirst: session.isAgent ? null : (autoCompactionOf(session) ?? null),
    violations: api.violations,
    chain: segmentsOf(examined),
  };
}

/** Nothing points to a request that the API would reject, but for images, which stand for themselves. */
function isSound({ isOdd }: Screening, heads: readonly Finding[], { chain }: ExaminedSession): boolean {
  const first = [...chain].find(isMessage);
  return !isOdd && first?.type !== 'assistant' && heads.every(({ severity }) => severity === 'info');
}

function checkTranscript(examined: ExaminedSession): Finding[] {
  return [...checkLines(examined), ...checkGraph(examined)];
}

/** Damage that the request shows is worse than the same damage in the stored line; it is reported once. */
function withoutReported(stored: readonly Finding[], sent: readonly Finding[]): Finding[] {
  const reported = new Set(sent.map(({ code, offset }) => `${code} ${offset}`));
  return stored.filter(({ code, offset }) => !reported.has(`${code} ${offset}`));
}

/** `isScreened`: only those with damage inside are read strictly. */
function checkAgents(session: Session, isScreened: boolean): Finding[] {
  if (session.isAgent) return [];
  const findings: Finding[] = [];
  for (const agent of session.agents) {
    if (agent.path === undefined) continue;
    try {
      const light = loadTranscript(agent.path, { strict: !isScreened });
      const transcript = isScreened && isDamagedInside(light) ? reloadTranscript(light, { strict: true }) : light;
      const own = { ...agentSession(session, agent, transcript), isAgent: true };
      const found = checkTranscript(examine(own)).filter((finding) => !hangsOnMain(finding, own, session));
      findings.push(...found.map(ofAgent));
    } catch (error) {
      if (unreadableCode(error) === undefined) throw error;
      // One that cannot be read now says nothing about the session.
    }
  }
  return findings;
}

/** The client's own helpers continue the main conversation in a file of theirs: their first line hangs on it. */
function hangsOnMain({ code, uuid }: Finding, own: Session, main: Session): boolean {
  if (code !== 'G-no-root' && code !== 'G-phantom-parent') return false;
  return main.graph.byUuid(own.graph.byUuid(uuid)?.parentUuid ?? undefined) !== undefined;
}

function ofAgent(finding: Finding): Finding {
  if (finding.severity === 'info' || finding.severity === 'warn') return finding;
  return { ...finding, severity: 'warn', effect: `${finding.effect}; of a sub-agent, which a resume does not load` };
}

/** About the day, and about folders elsewhere: they can change while the session does not. */
const passing: ReadonlySet<DamageCode> = new Set(['F-expiring', 'F-moved']);

export function verdictOf({ findings }: Pick<Diagnosis, 'findings'>): Verdict {
  // Worst first.
  return findings.find(({ code }) => !passing.has(code))?.severity ?? 'sound';
}

export interface PlacedVerdict {
  readonly verdict: Verdict | undefined;
  readonly cwd: string | undefined;
  /** The folder of its transcript. */
  readonly project: string;
  readonly isExpiring: boolean;
}

/** `undefined`: not examined. */
export function healthOf({ verdict, cwd, project, isExpiring }: PlacedVerdict): Verdict | undefined {
  if (verdict !== 'sound' && verdict !== 'info') return verdict;
  return isExpiring || isMoved(cwd, project) ? 'warn' : verdict;
}
