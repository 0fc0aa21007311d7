// What a browser must load before it shows the library or a session, compressed as the server sends it. Files are followed
// from the page: its links, what the scripts import before they run, and the chunk of the page at the address.
// first-load.slow.test.ts compares this with what a browser requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWebServer } from '../support/web-server.ts';
import { codings, firstFiles, limitBytes } from './first-files.ts';

/** The session with its side panel, which is open in a wide window. */
const pages: Readonly<Record<string, readonly string[]>> = {
  '/': ['library-view'],
  '/people': ['people'],
  '/s/11111111-1111-4111-a111-111111111111': ['session-view', 'side'],
};

for (const coding of codings) {
  test(`the first load is at most 180 KB with ${coding}`, async (context) => {
    const { base } = await openWebServer(context, {});
    for (const [address, views] of Object.entries(pages)) {
      const sizes = await firstFiles(base, address, views, coding);
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      context.diagnostic(`${address}: ${total} bytes in ${sizes.size} files`);
      const names = [...sizes.keys()];
      for (const part of [/\.css$/, ...views.map((view) => new RegExp(`/${view}-`))])
        assert.equal(names.filter((name) => part.test(name)).length, 1, names.join());
      assert.ok(total <= limitBytes, `${total} bytes: ${JSON.stringify([...sizes])}`);
      // React alone is larger than this: the files were followed.
      assert.ok(total > 60_000, `${total} bytes`);
    }
  });
}
