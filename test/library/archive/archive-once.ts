// A program for archive.test.ts, made to be killed: archives the sessions below a root in many small records.
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { mainTranscripts } from '../../support/archive-kit.ts';

const [folder = '', root = ''] = process.argv.slice(2);
const sessions = mainTranscripts(root);
process.stdout.write('ready\n');
await archiveSessions(sessions, { folder, blockBytes: 16 * 1024, packBytes: 8 * 1024 });
process.stdout.write('done\n');
