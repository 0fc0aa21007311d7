// Writes a session as Markdown to stdout, with placeholders for its secrets: node export-redacted.js SESSION [ROOT…]
import { exportMarkdown, exportSource, findSession, loadSource, redactorFor, resolveRoots } from 'clew';

const [name = '', ...roots] = process.argv.slice(2);
const source = await loadSource(await findSession(name, resolveRoots({ roots })));

const subject = exportSource(source.session, redactorFor([source]));
for await (const text of exportMarkdown(subject)) process.stdout.write(text);
for (const { kind, count } of subject.secrets()) console.error(`replaced ${count} of kind ${kind}`);
