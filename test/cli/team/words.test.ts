// Words and flags of `clew team` that are refused before a store is asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runClew } from '../../support/clew.ts';

/** There is no store at this address: a call that asks it ends with another message. */
const nowhere = ['--to', 'postgres://ada@127.0.0.1:9/clew'];

const refused: readonly (readonly [words: string, status: number, message: string])[] = [
  ['grnat ada', 2, 'there is no "clew team grnat"; use init, status, grant, revoke,'],
  ['toString', 2, 'there is no "clew team toString"; use init,'],
  ['grant', 2, 'clew team grant needs PERSON; write clew team grant PERSON'],
  ['grant ada --role boss', 2, 'there is no role "boss"; use developer, lead, auditor, gateway'],
  ['grant ada --login ada', 2, 'a login needs a role; add --role developer|lead|auditor|gateway'],
  ['most everything', 2, 'there is no level "everything"; use metrics, titles, text, files'],
  ['retain 0d', 2, '"0d" is not a time to keep rows; for example 90d, 52w, or off'],
  ['retain 90', 2, '"90" is not a time to keep rows; for example 90d, 52w, or off'],
  ['retain 90d 80d', 2, '"80d" is one word too many; write clew team retain DAYS'],
  [
    'group join core',
    2,
    'clew team group needs add or remove, and a group; write clew team group add NAME [PERSON...]',
  ],
  ['audit --since yesteryear', 2, '--since does not understand "yesteryear"'],
  ['people', 1, 'the store cannot be reached (postgres://ada@127.0.0.1:9/clew:'],
];

for (const [words, status, message] of refused) {
  test(`clew team ${words}: ${message}`, () => {
    const run = runClew(['team', ...words.split(' '), ...nowhere]);
    assert.deepEqual(
      [run.status, run.stdout, run.stderr.slice(0, `clew: ${message}`.length)],
      [status, '', `clew: ${message}`],
    );
  });
}

test('without an address, and with that of a gateway, the message says what to give', () => {
  assert.equal(
    runClew(['team', 'people']).stderr,
    'clew: there is no address of a store; give --to postgres://USER@HOST/DATABASE, or set CLEW_STORE\n',
  );
  assert.equal(
    runClew(['team', 'people'], { env: { CLEW_STORE: 'https://gate.example' } }).stderr,
    'clew: a gateway cannot be administered; give the database: --to postgres://USER@HOST/DATABASE\n',
  );
});

test('a password in the address is not printed', () => {
  const { stderr } = runClew(['team', 'people', '--to', 'postgres://ada:hunter2@127.0.0.1:9/clew']);
  assert.match(stderr, /ada:\*\*\*@127\.0\.0\.1/);
  assert.doesNotMatch(stderr, /hunter2/);
});
