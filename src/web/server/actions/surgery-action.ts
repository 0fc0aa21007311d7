// The actions that are surgery plans: fork, rewind, strip, compress, redact, rename and tag. The dry run is that of the
// command: the result is built in Clew's folder, verified and removed again.
import { UserError } from '../../../base/errors/index.ts';
import { counted } from '../../../base/text/index.ts';
import { archiveFolder } from '../../../library/archive/index.ts';
import { refuseUnreadable } from '../../../session/transcript/index.ts';
import { stateFolder } from '../../../store/index.ts';
import { loadSource, type Outcome, operate, type Plan, type Source } from '../../../surgery/engine/index.ts';
import {
  findCompressCut,
  offlineSummary,
  planCompress,
  planFork,
  planRename,
  planRewind,
  planTag,
} from '../../../surgery/operations/index.ts';
import { countArchived, planRedact, type RedactPlan, redactArchive } from '../../../surgery/redact/index.ts';
import { usualRuleSet } from '../../../surgery/secrets/index.ts';
import { estimateContext, planStrip, type StripOptions } from '../../../surgery/strip/index.ts';
import type { ActionOptions } from '../../wire/index.ts';
import { type ActionAsked, type DryRun, maxFiles, type PreparedAction, type Ran } from './prepared.ts';

export const surgeryActions = ['fork', 'rewind', 'strip', 'compress', 'redact', 'rename', 'tag'] as const;
export type SurgeryAction = (typeof surgeryActions)[number];

interface Planned {
  readonly plan: Plan;
  readonly source: Source;
  readonly redaction?: RedactPlan;
}

export async function prepareSurgery(
  action: SurgeryAction,
  { options, session }: ActionAsked,
  roots: readonly string[],
): Promise<PreparedAction> {
  const source = await loadSource(session.path, { roots });
  refuseUnreadable(source.session.transcript);
  return {
    state: [...source.identities],
    dryRun: async () => describe(await planFor(action, source, options), options),
    run: (group) => run(action, source, options, group),
  };
}

async function run(
  action: SurgeryAction,
  source: Source,
  options: ActionOptions,
  group: string | undefined,
): Promise<Ran> {
  const planned = await planFor(action, source, options);
  if (isWithoutSecrets(planned)) return { operation: undefined, summary: 'no secrets found', to: [], notes: [] };
  const outcome = await operate(planned.plan, [planned.source], {
    isPortable: options.portable === true,
    ...(group === undefined ? {} : { group }),
  });
  const { id, to, others, notes } = outcome;
  const copies = await cleanArchive(planned, options);
  return { operation: id, summary: summaryOf(outcome, true), to: [to, ...others], notes: [...notes, ...copies] };
}

async function describe(planned: Planned, options: ActionOptions): Promise<DryRun> {
  const { plan, source, redaction } = planned;
  let after: number | undefined;
  const counting: Plan = {
    ...plan,
    expects: async (staged, index) => {
      if (index === 0) after = estimateContext(staged.session);
      return (await plan.expects?.(staged, index)) ?? [];
    },
  };
  const isPortable = options.portable === true;
  const outcome = await operate(counting, [source], { isDryRun: true, isPortable });
  const before = estimateContext(source.session);
  const files = plannedFiles(plan, source);
  const isNoop = isWithoutSecrets(planned);
  return {
    summary: isNoop ? 'no secrets found; nothing will be written' : summaryOf(outcome, false),
    isNoop,
    files: files.slice(0, maxFiles),
    filesTotal: files.length,
    sizeBytes: outcome.sizeBytes,
    tokens: after === undefined || after === before ? null : { before, after },
    messages: {
      before: { loaded: outcome.proof.before.loaded, of: outcome.proof.before.of },
      after: { loaded: outcome.proof.reachable.loaded, of: outcome.proof.reachable.of },
    },
    changed: outcome.changed,
    dropped: countReasons(outcome),
    secrets: countKinds(redaction),
    notes: [...outcome.notes, ...archiveNotes(planned, options)],
  };
}

async function planFor(action: SurgeryAction, source: Source, options: ActionOptions): Promise<Planned> {
  const isInPlace = options.inPlace === true;
  const { at, title } = options;
  switch (action) {
    case 'fork':
      return { source, plan: planFork(source, { ...given('at', at), ...given('title', title) }) };
    case 'rewind':
      return { source, plan: planRewind(source, { to: at ?? '', isInPlace }) };
    case 'strip':
      return { source, plan: planStrip(source, stripOptions(options)) };
    case 'compress': {
      const keepTurns = options.keepTurns ?? 0;
      const cut = findCompressCut(source.session, keepTurns);
      const summary = offlineSummary(source.session, cut);
      const dropOld = options.dropOld === true;
      return { source, plan: planCompress(source, summary, { keepTurns, dropOld, isInPlace }, cut) };
    }
    case 'redact': {
      const keepsThinking = options.keepThinking === true;
      const words = [...(isInPlace ? ['--in-place'] : []), ...(keepsThinking ? ['--keep-thinking'] : [])];
      const ruleSet = usualRuleSet(stateFolder());
      const redaction = await planRedact(source, { isInPlace, keepsThinking, ruleSet, words });
      return { source: redaction.source, plan: redaction.plan, redaction };
    }
    case 'rename':
      return { source, plan: planRename(source, title ?? '') };
    case 'tag':
      return { source, plan: planTag(source, options.tag === '' ? undefined : options.tag) };
  }
}

function stripOptions(options: ActionOptions): StripOptions {
  const { tools, truncateResults, truncateInputs, keepLast, olderThan } = options;
  return {
    ...(tools === undefined ? {} : { tools: tools === '' ? [] : tools.split(',') }),
    ...given('truncateResults', truncateResults),
    ...given('truncateInputs', truncateInputs),
    ...given('keepLast', keepLast),
    ...given('olderThanTurns', olderThan),
    thinking: options.thinking === true,
    images: options.images === true,
    progress: options.progress === true,
    bookkeeping: options.bookkeeping === true,
    agents: options.agents === true,
    isInPlace: options.inPlace === true,
  };
}

function given<N extends string, T>(name: N, value: T | undefined): { readonly [K in N]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [K in N]: T });
}

function isWithoutSecrets({ redaction }: Planned): boolean {
  return redaction !== undefined && redaction.secrets.length === 0;
}

function plannedFiles({ results, otherFiles = [], removals = [] }: Plan, source: Source): DryRun['files'] {
  const own = new Set(source.files.map((file) => file.path));
  return [
    ...results.flatMap(({ folder, files, isInPlace }) =>
      files.map(({ name }) => {
        const path = `${folder}/${name}`;
        return { path, kind: isInPlace && own.has(path) ? ('changed' as const) : ('made' as const) };
      }),
    ),
    ...otherFiles.map(({ path }) => ({ path, kind: 'changed' as const })),
    ...removals.map((path) => ({ path, kind: 'removed' as const })),
  ];
}

/** The same sentence before and after, apart from the verb. */
function summaryOf({ from, to, others, changed, dropped }: Outcome, isDone: boolean): string {
  const counts = `${counted(changed, 'line')} changed, ${counted(dropped.length, 'line')} dropped`;
  if (from.path === to.path) return `${isDone ? 'changed' : 'changes'} the session: ${counts}`;
  const what = others.length === 0 ? 'a new session' : `${others.length + 1} new sessions`;
  return `${isDone ? 'wrote' : 'writes'} ${what}: ${counts}`;
}

function countReasons({ dropped }: Outcome): DryRun['dropped'] {
  const counts = new Map<string, number>();
  for (const { reason } of dropped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([reason, count]) => ({ reason, count }));
}

function countKinds(redaction: RedactPlan | undefined): DryRun['secrets'] {
  const counts = new Map<string, number>();
  for (const { kind } of redaction?.secrets ?? []) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => ({ kind, count }));
}

function archiveNotes({ source, redaction }: Planned, { inPlace }: ActionOptions): readonly string[] {
  if (redaction === undefined || redaction.secrets.length === 0) return [];
  const held = countArchived(source.session.files.main, redaction.redactor, archiveFolder());
  if (held === 0) return [];
  const copies = counted(held, 'copy', 'copies');
  return [inPlace === true ? `${copies} in the archive would be replaced` : `${copies} in the archive also hold them`];
}

/** As `clew redact --in-place` does. */
async function cleanArchive({ source, redaction }: Planned, { inPlace }: ActionOptions): Promise<readonly string[]> {
  if (redaction === undefined || inPlace !== true) return [];
  const notes = ['the backup for undo still holds the secrets; `clew redact --in-place --no-backup` keeps none'];
  try {
    const gone = await redactArchive(source.session.files.main, redaction.redactor, { folder: archiveFolder() });
    if (gone > 0) notes.push(`${counted(gone, 'copy', 'copies')} in the archive held them and were replaced`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    notes.push(`the archive still holds them: ${error.message}`);
  }
  return notes;
}
