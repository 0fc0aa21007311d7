// A process of its own that works on an index: index-worker.js MODE FOLDER ROOT [MS]. `index` brings it up to date once,
// `index-again` and `search` do their work again and again for MS milliseconds. It says "ready" when it begins.
import { updateRows } from '../../src/library/index/indexer.ts';
import { openIndex } from '../../src/library/index/schema.ts';
import { search } from '../../src/library/search/search.ts';
import { updateText } from '../../src/library/search/text-indexer.ts';

const [mode, folder = '', root = '', ms = '0'] = process.argv.slice(2);
process.stdout.write('ready\n');
// Small, so that a kill finds many transactions to fall between and into.
const batchBytes = 64 * 1024;
const end = Date.now() + Number(ms);
do {
  const database = openIndex({ folder });
  if (mode === 'search') search(database, { text: 'lamp', mode: 'words', roots: [root], limit: 20 });
  else {
    updateRows(database, { roots: [root], batchBytes });
    updateText(database, { roots: [root], batchBytes });
  }
  database.close();
} while (Date.now() < end);
