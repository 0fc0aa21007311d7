// What doctor must say and do about each class of damage, written by hand: the severity of the class where it is planted
// alone into the healthy session, whether `--fix` repairs it, and what a resume of the repaired session sends.
import type { DamageCode, Severity } from '../../src/doctor/checks/finding.ts';
import type { OutlineMessage } from '../support/outline.ts';

export interface DamageRow {
  /** Of the class, planted into the healthy session with the first seed. */
  readonly severity: Severity;
  readonly isRepaired: boolean;
  /** What a resume of the repaired session sends; call ids are numbered in the order in which they appear. */
  readonly sent: readonly OutlineMessage[];
  /** How many lines of the repaired session are new or differ from the original, the pin of its end included. */
  readonly changed: number;
}

/** What a resume of the healthy session (sound-session.ts) sends. */
export const healthyMessages: readonly OutlineMessage[] = [
  { user: ['look at it'] },
  { assistant: ['thinking which?', 'call t1'] },
  { user: ['t1 → out t1'] },
  { assistant: ['it is fine'] },
  { user: ['and now?'] },
  { assistant: ['call t2'] },
  { user: ['t2 → out t2'] },
  { assistant: ['done'] },
  { user: ['thanks'] },
  { assistant: ['welcome'] },
];

const goOn: readonly OutlineMessage[] = [{ user: ['go on'] }, { assistant: ['gone on'] }];

function repaired(severity: Severity, changed: number, ...added: readonly OutlineMessage[]): DamageRow {
  return { severity, isRepaired: true, changed, sent: [...healthyMessages, ...added] };
}

/** Where a session is stored, and how long it is, other commands change. */
function left(severity: Severity): DamageRow {
  return { severity, isRepaired: false, changed: 0, sent: [] };
}

/** Needs a session with signed thinking: thinking.test.ts. */
function elsewhere(severity: Severity, isRepaired: boolean): DamageRow {
  return { severity, isRepaired, changed: 0, sent: [] };
}

export const damageTable: Readonly<Record<DamageCode, DamageRow>> = {
  'L-torn-tail': repaired('loss', 1),
  'L-no-newline': repaired('warn', 1),
  'L-spliced': repaired('loss', 1),
  'L-joined': repaired('loss', 1),
  'L-nul': repaired('loss', 1),
  'L-bom': repaired('info', 1),
  'L-crlf': repaired('info', 11),
  'L-not-json': repaired('warn', 1),
  'L-utf8': repaired('warn', 2),
  'L-surrogate': repaired('warn', 2),
  'L-oversize': left('loss'),
  'L-utf16': repaired('fatal', 1),
  'L-wrapped': repaired('loss', 1),
  'L-split': repaired('loss', 1),
  'L-quoted': repaired('loss', 1),
  'G-phantom-parent': repaired('warn', 2),
  'G-progress-fork': repaired('info', 2),
  'G-parallel-lost': repaired(
    'info',
    3,
    { assistant: ['call toolu_1', 'call toolu_2'] },
    { user: ['toolu_2 → out', 'toolu_1 → out'] },
    { assistant: ['both done'] },
  ),
  'G-lost-leaf': {
    ...repaired('loss', 2),
    sent: [...healthyMessages, { user: ['newer work\n', 'go on'] }, { assistant: ['gone on'] }],
  },
  'G-boundary-parent': repaired('loss', 2, ...goOn),
  'G-duplicate-uuid': {
    ...repaired('loss', 3),
    sent: [...healthyMessages.slice(0, 6), { user: ['t2 → out t2', 'something else'] }, ...healthyMessages.slice(7)],
  },
  'G-replayed': repaired('loss', 1),
  'G-foreign': repaired('warn', 1),
  'G-cycle': repaired('warn', 2),
  'G-no-root': repaired('warn', 2),
  'G-refused': repaired('fatal', 2, { assistant: ['when?'] }),
  'G-retracted': repaired('loss', 2, { user: ['too much'] }, { assistant: ['gone on'] }),
  'A-unanswered-tool': repaired(
    'warn',
    3,
    { assistant: ['call toolu_1'] },
    { user: ['toolu_1 → (interrupted)', 'go on'] },
    { assistant: ['gone on'] },
  ),
  'A-orphan-result': repaired(
    'warn',
    2,
    { user: ['[Result of a tool call that is not in this session: toolu_1]\nout\n', 'go on'] },
    { assistant: ['gone on'] },
  ),
  'A-duplicate-tool-id': repaired(
    'warn',
    2,
    { assistant: ['call toolu_1'] },
    { user: ['toolu_1 → out', 'go on'] },
    { assistant: ['gone on'] },
  ),
  'A-thinking-altered': repaired('fatal', 2, { user: ['think'] }, { assistant: ['thought'] }, ...goOn),
  'A-thinking-last': repaired('fatal', 2, { user: ['think again'] }, { assistant: ['said'] }, ...goOn),
  'A-thinking-bound': elsewhere('loss', true),
  'A-thinking-hole': elsewhere('loss', true),
  'A-image-size': repaired(
    'fatal',
    2,
    {
      user: [
        '[image taken out: image/png, 9000 × 10 pixels; the original session 11111111-1111-4111-a111-111111111111 has it]\n',
        'go on',
      ],
    },
    { assistant: ['gone on'] },
  ),
  'A-empty-text': repaired('warn', 2, { user: ['empty before\n', 'go on'] }, { assistant: ['gone on'] }),
  'A-role-order': repaired(
    'fatal',
    2,
    { assistant: ['call toolu_1 not_a_tool_name'] },
    { user: ['toolu_1 → out', 'go on'] },
    { assistant: ['gone on'] },
  ),
  'A-error-echo': repaired('info', 2, ...goOn),
  'A-too-long': left('fatal'),
  'I-thinking-dropped': elsewhere('info', false),
  'I-thinking-stripped': elsewhere('info', false),
  'W-prompt-lost': elsewhere('warn', false),
  'F-moved': left('warn'),
  'F-nested': left('loss'),
  'F-expiring': left('warn'),
  'F-main-gone': left('loss'),
  'F-empty': left('info'),
  'F-name': left('info'),
};
