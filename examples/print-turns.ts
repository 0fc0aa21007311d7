// Prints the turns of a session: prompt, tool calls, tokens: node print-turns.js SESSION [ROOT…]
import {
  contentOf,
  findSession,
  loadSession,
  promptText,
  readEntry,
  resolveRoots,
  toolCallsOf,
  turnsOf,
  turnUsage,
} from 'clew';

const [name = '', ...roots] = process.argv.slice(2);
const session = await loadSession(await findSession(name, resolveRoots({ roots })));

for (const turn of turnsOf(session)) {
  const text = turn.prompt === undefined ? '(no prompt)' : promptText(contentOf(readEntry(session, turn.prompt)));
  console.log(`turn ${turn.index}: ${text.split('\n')[0]}`);
  for (const call of toolCallsOf(session, turn)) console.log(`  ${call.name}${call.isError ? ' failed' : ''}`);
  console.log(`  ${turnUsage(session, turn).outputTokens} output tokens`);
}
