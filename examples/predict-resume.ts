// Prints what Claude Code sends when it resumes a session with a prompt: node predict-resume.js SESSION PROMPT [ROOT…]
import { checkRequest, findSession, loadSession, requestMessages, resolveRoots } from 'clew';

const [name = '', prompt = 'go on', ...roots] = process.argv.slice(2);
const session = await loadSession(await findSession(name, resolveRoots({ roots })));

const request = requestMessages(session, prompt);
if ('refused' in request) {
  console.log(`Claude Code does not resume it: ${request.refused}`);
} else {
  for (const { role, content } of request.messages) console.log(role, content.map(({ type }) => type).join(' '));
  const violations = checkRequest(request);
  console.log(`${request.model}: ${request.messages.length} messages, ${violations.length} rules of the API broken`);
}
