// clew context SESSION: what the context of a request was made of, as a table or as JSON.
import { UserError } from '../../base/errors/index.ts';
import { jsonText } from '../../base/json/index.ts';
import { contextLedger } from '../../context/ledger/index.ts';
import { type AgentSource, loadAgent, type Session } from '../../session/load/index.ts';
import { turnsOf } from '../../session/turns/index.ts';
import { type CommandInput, textFlag } from '../command/index.ts';
import { chosenBranch, chosenTurns, loadSessionArgument } from '../input/index.ts';
import { terminalWidth, writeOut } from '../terminal/index.ts';
import { contextText } from './render.ts';

export async function run(input: CommandInput): Promise<void> {
  const { flags, io } = input;
  const main = await loadSessionArgument(input);
  const agent = chosenAgent(main, textFlag(flags, 'agent'));
  const session = agent === undefined ? main : await loadAgent(main, agent);
  const branch = chosenBranch(session, textFlag(flags, 'branch'));
  const wanted = textFlag(flags, 'turn');
  const [turn] = wanted === undefined ? [] : chosenTurns(turnsOf(session, branch), wanted);
  const ledger = contextLedger(session, {
    branch: Math.max(1, (branch === undefined ? 0 : session.branches.indexOf(branch)) + 1),
    ...(turn === undefined ? {} : { turn: turn.index }),
    ...(agent === undefined ? {} : { agentId: agent.agentId }),
  });
  const text =
    flags.json === true
      ? `${jsonText({ path: session.transcript.path, ...ledger }, 2)}\n`
      : contextText(ledger, { width: terminalWidth(io.stdout, io.env), style: io.style });
  await writeOut([text], { ...io, pager: true });
}

/** By its id, or the beginning of it. */
function chosenAgent({ agents }: Session, wanted: string | undefined): AgentSource | undefined {
  if (wanted === undefined) return undefined;
  const id = wanted.replace(/^agent-/, '');
  const exact = agents.find(({ agentId }) => agentId === id);
  const found = exact === undefined ? agents.filter(({ agentId }) => id !== '' && agentId.startsWith(id)) : [exact];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const ids = agents.map(({ agentId }) => agentId);
  throw new UserError(
    found.length > 1 ? `${found.length} sub-agents begin with "${wanted}"` : `there is no sub-agent "${wanted}"`,
    ids.length === 0 ? 'the session has none' : `the session has ${ids.slice(0, mostNamed).join(', ')}`,
  );
}

const mostNamed = 10;
