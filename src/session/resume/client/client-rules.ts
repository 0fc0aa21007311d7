// The rules in which known versions of Claude Code differ on resume, as data: the resume code uses this table and compares
// no versions. Every row was measured by running the clients (test/interop/README.md);
// test/session/resume/versions.test.ts checks the table against recordings of older versions.
import { UserError } from '../../../base/errors/index.ts';
import { defaultModel } from '../../../models/index.ts';

/** The newest client that was run. Predictions are for this one by default. */
export const newestClient = '2.1.325';
export const oldestClient = '2.1.45';

/** A difference between versions of the client. */
export interface RuleSpan {
  /** The first version known to follow the rule; without it, all known versions up to `until` do. */
  readonly since?: string;
  /** The last earlier version known not to. */
  readonly without?: string;
  /** The last version known to follow it; without it, the newest one does. */
  readonly until?: string;
  readonly rule: string;
}

export type ClientRule =
  | 'closesOpenCalls'
  | 'looksPastAttachments'
  | 'wrapsNotifications'
  | 'dropsBlankLines'
  | 'remindsAtPrompt'
  | 'searchesTools'
  | 'honoursThinkingMark'
  | 'dropsOtherThinking'
  | 'usesSystemRole'
  | 'sendsRendered'
  | 'dropsBlankPrompts'
  | 'dropsEmptyStart'
  | 'readsTextAnswers'
  | 'hangsWithoutModel'
  | 'takesNewestChild'
  | 'skipsOddLines'
  | 'followsFileOrder'
  | 'sortsResults'
  | 'joinsWithNewline'
  | 'keepsEmptiedPrompts'
  | 'dropsRepeatedResults'
  | 'replacesSurrogates'
  | 'sendsLocalCommands'
  | 'renamesTask';

export const clientRules: Readonly<Record<ClientRule, RuleSpan>> = {
  closesOpenCalls: {
    without: '2.1.260',
    since: '2.1.300',
    rule: 'a call without a result at the end gets a result that says it was interrupted; before, the call was dropped and a turn that ended in a result continued with "Continue from where you left off."',
  },
  looksPastAttachments: {
    without: '2.1.150',
    since: '2.1.200',
    rule: 'attachments after an answer or after the mark of an interruption do not make the turn an open one',
  },
  wrapsNotifications: {
    without: '2.1.200',
    since: '2.1.260',
    rule: 'the report of a background task is sent as a reminder; before, as a prompt',
  },
  dropsBlankLines: {
    without: '2.1.260',
    since: '2.1.300',
    rule: 'an empty text in an answer of several lines is not sent',
  },
  remindsAtPrompt: {
    without: '2.1.260',
    since: '2.1.300',
    rule: "the client's own reminders are at the prompt; before, they were before the first message",
  },
  searchesTools: {
    without: '2.1.260',
    since: '2.1.300',
    rule: 'references to tools are sent behind a gateway; before, they were replaced by a text',
  },
  honoursThinkingMark: {
    without: '2.1.240',
    since: '2.1.260',
    rule: 'thinking before a thinking_stripped mark is left out',
  },
  dropsOtherThinking: {
    without: '2.1.150',
    since: '2.1.200',
    rule: 'behind a gateway the thinking of another model than that of the request is left out',
  },
  usesSystemRole: {
    without: '2.1.150',
    since: '2.1.200',
    rule: 'newer models receive reminders as system messages',
  },
  sendsRendered: {
    without: '2.1.260',
    since: '2.1.300',
    rule: 'an attachment is sent with the text that the session holds for it',
  },
  dropsBlankPrompts: {
    without: '2.1.150',
    since: '2.1.200',
    rule: 'a text of white space in a prompt of several blocks is not sent',
  },
  dropsEmptyStart: {
    without: '2.1.150',
    since: '2.1.200',
    until: '2.1.260',
    rule: 'an empty first prompt is not sent',
  },
  readsTextAnswers: {
    without: '2.1.260',
    since: '2.1.300',
    rule: 'an answer whose content is a text instead of a list of blocks is read; before, the client failed',
  },
  hangsWithoutModel: {
    without: '2.1.45',
    since: '2.1.150',
    until: '2.1.200',
    rule: 'the client does not end where the last answer does not name its model',
  },
  takesNewestChild: {
    without: '2.1.200',
    since: '2.1.260',
    rule: 'where lines hang on the last line of the file, the newest of them is the end',
  },
  skipsOddLines: {
    without: '2.1.200',
    since: '2.1.260',
    rule: 'a line that is JSON and not an object, such as `null`, is skipped; before, the client failed or lost what follows',
  },
  followsFileOrder: {
    without: '2.1.45',
    since: '2.1.150',
    rule: 'the end of the file or a pin is the end of the conversation, a missing parent is bridged, and lines next to the chain are put back; before, the newest line by its time was the end and nothing was put back',
  },
  sortsResults: {
    without: '2.1.260',
    since: '2.1.300',
    rule: 'a result next to the chain is put among the others in the order of the file; before, in front of them',
  },
  joinsWithNewline: {
    without: '2.1.45',
    since: '2.1.150',
    rule: 'the texts of two user lines that become one message get a newline between them',
  },
  keepsEmptiedPrompts: {
    without: '2.1.45',
    since: '2.1.150',
    rule: 'a user message of which nothing is left is sent as "(no content)"; before, it was left out',
  },
  dropsRepeatedResults: {
    without: '2.1.45',
    since: '2.1.150',
    rule: 'of two results of one call only the first is sent',
  },
  replacesSurrogates: {
    without: '2.1.45',
    since: '2.1.150',
    rule: 'half of a surrogate pair is sent as U+FFFD; before, it was sent as it was, and the API answered 400',
  },
  sendsLocalCommands: {
    without: '2.1.45',
    since: '2.1.150',
    rule: 'the output of a local command in a system line is sent',
  },
  renamesTask: {
    without: '2.1.45',
    since: '2.1.63',
    rule: 'a call of Task is sent as a call of Agent, the later name of the same tool',
  },
};

/** The models of a version: its replacement for models that it does not offer, and which of ours it lacks. */
export interface ClientModels {
  readonly since: string;
  readonly defaultModel: string;
  /** Parts of the names of models that only newer clients offer. */
  readonly missing: readonly string[];
}

/** Newest first. */
const modelSpans: readonly ClientModels[] = [
  { since: newestClient, defaultModel, missing: [] },
  { since: '2.1.300', defaultModel, missing: ['claude-fable-5-2'] },
  {
    since: '2.1.260',
    defaultModel: 'claude-opus-5',
    missing: ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-2'],
  },
  { since: '2.1.200', defaultModel: 'claude-opus-4-8', missing: ['claude-opus-5', 'claude-haiku-5'] },
  {
    since: '2.1.150',
    defaultModel: 'claude-opus-4-7',
    missing: ['claude-opus-4-8', 'claude-opus-5', 'claude-sonnet-5', 'claude-haiku-5', 'claude-fable-5'],
  },
  // Always uses its default.
  { since: oldestClient, defaultModel: 'claude-sonnet-4-6', missing: ['claude'] },
];

/** The rules and the models of a version of the client. */
export interface ClientRules {
  has(rule: ClientRule): boolean;
  readonly models: ClientModels;
}

/** Returns the rules of a version; a version newer than all known ones gets the rules of the newest known one. */
export function rulesOf(version: string): ClientRules {
  const names = Object.keys(clientRules) as ClientRule[]; // the keys of the table
  const held = new Set(names.filter((name) => holds(clientRules[name], version)));
  const models = modelSpans.find(({ since }) => compareVersions(version, since) >= 0) ?? modelSpans.at(-1);
  return { has: (rule) => held.has(rule), models: models as ClientModels }; // the list is not empty
}

function holds({ since, until }: RuleSpan, version: string): boolean {
  if (since !== undefined && compareVersions(version, since) < 0) return false;
  return until === undefined || compareVersions(version, until) <= 0;
}

/** `clients up to 2.1.45`: those that do not follow a rule of the newest client. */
export function clientsWithout(rule: ClientRule): string {
  return `clients up to ${clientRules[rule].without ?? oldestClient}`;
}

export const currentRules: ClientRules = rulesOf(newestClient);

/** The rules for a version that the user names; `undefined` means the newest known one. */
export function rulesFor(version: string | undefined): ClientRules {
  return version === undefined ? currentRules : rulesOf(checkedVersion(version));
}

/** Returns the version as three numbers. Throws if it is not a version, or older than all known ones. */
export function checkedVersion(version: string): string {
  const found = /^v?(\d{1,4}\.\d{1,4}\.\d{1,4})$/.exec(version.trim())?.[1];
  const known = `give one from ${oldestClient} on; the newest known here is ${newestClient}`;
  if (found === undefined) throw new UserError(`"${version}" is not a version of Claude Code`, known);
  if (compareVersions(found, oldestClient) < 0) throw new UserError(`Claude Code ${found} is too old`, known);
  return found;
}

/** Whether a client is newer than all known ones, so that its rules may differ. */
export function isNewerClient(version: string): boolean {
  return compareVersions(version, newestClient) > 0;
}

/** The version whose rules apply: its own, or the newest known one. */
export function rulesVersion(version: string): string {
  return isNewerClient(version) ? newestClient : version;
}

/** Negative if the first is older; 0 if one is not a version. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split(/[.-]/, 3).map(Number));
  for (const [i, number] of (b ?? []).entries()) {
    const other = a?.[i];
    if (other === undefined || !Number.isInteger(other)) return 0;
    if (other !== number) return other - number;
  }
  return 0;
}
