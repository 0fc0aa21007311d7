// Imports past the index.ts of a folder, in the bundle: each name comes from the file that defines it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './support/paths.ts';
import { temporaryFolder, writeTree } from './support/temp-folder.ts';

const script = pathToFileURL(path.join(projectRoot, 'scripts/build-flat.mjs')).href;
const { flatten } = (await import(script)) as { flatten(file: string, text: string): string };

test('each imported value comes from the file that defines it; types and other imports stay away', (context) => {
  const folder = temporaryFolder(context);
  writeTree(folder, {
    'store/index.ts':
      "export { type Line, read } from './lines.ts';\nexport { inner as deep } from './more/index.ts';\n",
    'store/more/index.ts': "export {\n  inner,\n} from './inner.ts';\n",
    'models/index.ts': "export * from './facts.ts';\nexport const own = 1;\n",
  });
  const flat = (text: string): string => flatten(path.join(folder, 'cli/main.ts'), text);
  const cases = [
    ["import { read } from '../store/index.ts';", "import { read as read } from '../store/lines.ts';"],
    ["import { read as r } from '../store/index.ts';", "import { read as r } from '../store/lines.ts';"],
    ["import { deep } from '../store/index.ts';", "import { inner as deep } from '../store/more/inner.ts';"],
    ["import { type Line } from '../store/index.ts';", ''],
    ["import type { Line } from '../store/index.ts';", "import type { Line } from '../store/index.ts';"],
    ["import { fact } from '../models/index.ts';", "import { fact as fact } from '../models/index.ts';"],
    ["import { own } from '../models/index.ts';", "import { own as own } from '../models/index.ts';"],
    ["import { run } from './run.ts';", "import { run } from './run.ts';"],
    ["import { join } from 'node:path';", "import { join } from 'node:path';"],
    ["export { read } from '../store/index.ts';", "export { read } from '../store/index.ts';"],
    ["const x = await import('../store/index.ts');", "const x = await import('../store/index.ts');"],
  ];
  for (const [text = '', wanted] of cases) assert.equal(flat(text), wanted);
  const long = "import {\n  deep,\n  type Line,\n  read,\n} from '../store/index.ts';\nread();\n";
  assert.equal(
    flat(long),
    "import { inner as deep } from '../store/more/inner.ts'; import { read as read } from '../store/lines.ts';\n\n\n\n\nread();\n",
  );
});
