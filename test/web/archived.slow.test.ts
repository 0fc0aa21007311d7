// A session that is deleted while its page is open: the page says so and reads it from the archive, also after a reload,
// and its button restores it.
import assert from 'node:assert/strict';
import { existsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { keyParam, readJson } from '../../src/web/client/client.ts';
import { openPage, skipWithoutChromium } from '../support/browser.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';
import { openWebServer } from '../support/web-server.ts';
import { at, hasCount, isListening, noComplaints } from './page-kit.ts';

test(
  'a deleted session is read from the archive, and restored by its button',
  { skip: skipWithoutChromium },
  async (context) => {
    const text = transcript({ cwd: '/home/kim/mill' }).user('grind the rye').assistant('the rye is ground').text();
    const place = `projects/-home-kim-mill/${sessionId}.jsonl`;
    const server = await openWebServer(context, { [place.slice('projects/'.length)]: text }, { allowsChanges: true });
    const { client, root } = server;
    const main = path.join(root, place);
    utimesSync(main, 1_700_000_000, 1_700_000_000);
    await server.isCurrent();
    const before = contentsOf(root);
    const opened = await openPage(at(server, `/s/${sessionId}`));
    const { page } = opened;
    await page.getByText('the rye is ground').first().waitFor();
    await hasCount(page, '.archive-notice', 0);
    await isListening(opened);
    await readJson(client.changes.$post({ json: {} }));
    const route = client.sessions[':key'].actions[':action'];
    const param = { ...keyParam(sessionId), action: 'delete' };
    const { fingerprint } = await readJson(route.$get({ param, query: {} }));
    await readJson(route.$post({ param, json: { options: {}, fingerprint } }));
    assert.equal(existsSync(main), false);
    await page.locator('.archive-notice').waitFor();
    await page.reload();
    await page.locator('.archive-notice').waitFor();
    await page.getByText('the rye is ground').first().waitFor();
    assert.equal(existsSync(main), false);
    await page.locator('.archive-notice button').click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await dialog.getByRole('button', { name: /^restore/i }).click();
    await hasCount(page, '.archive-notice', 0);
    assert.deepEqual(contentsOf(root), before);
    await noComplaints(opened);
    assert.deepEqual(server.faults, []);
  },
);
