// Which values can be a secret at which place: the answers are written by hand, for values on both sides of each limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  entropyOf,
  isRandomLetters,
  looksLikeCredential,
  looksLikeEnvSecret,
  looksLikePassword,
  looksLikeSecret,
  looksRandom,
  looksStrong,
} from '../../../../src/surgery/secrets/rules/rule.ts';

test('entropy is counted in bits per character', () => {
  assert.deepEqual(
    ['aaaa', 'abab', 'abcd', 'aaab', 'abcdefgh'].map((text) => Number(entropyOf(text).toFixed(4))),
    [0, 1, 2, 0.8113, 3],
  );
});

test('a value with a known form is refused only if it is an obvious placeholder or repetitive', () => {
  assert.deepEqual(answers(looksRandom, ['abcdefabcdef', 'k7Rq2mZx9TbX4vLc8NpW1sYd', 'abcdefghabcdefghabcdefgh']), [
    'abcdefabcdef',
    'k7Rq2mZx9TbX4vLc8NpW1sYd',
    'abcdefghabcdefghabcdefgh',
  ]);
  assert.deepEqual(
    answers(looksRandom, [
      'abcdeabcdeabcde', // 2.32 bits, 2.5 are needed
      'abcdefgabcdefgabcdefgabcdefg', // 2.81 bits, 3 are needed from 24 characters on
      'k7Rq2mXXXXXZx9TbX4vLc8Np',
      'k7Rq2m00000000Zx9TbX4vLc',
      'k7Rq2mZx9TbX4vEXAMPLEcNp',
      'your-k7Rq2mZx9TbX4vLc8Np',
      'k7Rq2mZx9TbX...vLc8NpW1s',
      '[redacted:github-token:1]',
    ]),
    [],
  );
});

test('a password in an address has four characters, and is not a placeholder or default', () => {
  assert.deepEqual(answers(looksLikePassword, ['k7Rq', 'k7R', 'sea!', 'hunter2']), ['k7Rq', 'sea!', 'hunter2']);
  assert.deepEqual(
    answers(looksLikePassword, ['postgres', 'root', '12345', 'changeme', '$PW_VAR', `\${PW}`, '<password>', 'pass']),
    [],
  );
});

test('a value recognised only by name has eight characters, letters and digits, and is not an id', () => {
  assert.deepEqual(answers(looksLikeSecret, ['k7Rq2mZx', 'k7Rq2mZ', 'aQwXeRbTnYkUpIoLsDfG']), [
    'k7Rq2mZx',
    'aQwXeRbTnYkUpIoLsDfG', // no digit, but capitals as no word has them
  ]);
  assert.deepEqual(
    answers(looksLikeSecret, [
      'correcthorsebattery',
      'winter24',
      '12345678901',
      '9f3a7c1e-5b8d-4046-a1c3-e5f7092b4d68',
      'sha256-k7Rq2mZx9TbX4vLc8NpW',
      'toolu_01k7Rq2mZx9TbX4vLc8NpW',
      '/home/kim/k7Rq2mZx',
      'https://k7Rq2mZx.internal',
      '2026-01-03T10:00',
      'config.k7Rq2mZx',
      'process.env.K7RQ2MZX',
      'getToken2(user)',
      'my-secret-k7Rq2mZx',
      'a1a1a1a1a1a1',
    ]),
    [],
  );
});

test('a line of an .env file may also hold words with a number, but no plain word and no reference', () => {
  assert.deepEqual(answers(looksLikeEnvSecret, ['winter24', 'k7Rq2mZx', 'summer!rain', 'aQwXeRbTnYkUpIoLsDfG']), [
    'winter24',
    'k7Rq2mZx',
    'summer!rain',
    'aQwXeRbTnYkUpIoLsDfG',
  ]);
  assert.deepEqual(
    answers(looksLikeEnvSecret, ['winters', 'midwinter', 'password123', 'test-key-1', `\${VAULT_1}`, '/run/secrets/1']),
    [],
  );
});

test('a header or cookie has sixteen characters that are not words', () => {
  const values = ['k7Rq2mZx9TbX4vLc', 'k7Rq2mZx9TbX4vL', 'aQwXeRbTnYkUpIoLsDfG', 'applicationServerName'];
  assert.deepEqual(answers(looksLikeCredential, values), ['k7Rq2mZx9TbX4vLc', 'aQwXeRbTnYkUpIoLsDfG']);
});

test('letters alone are a secret where no word has their pairs, in capitals, small letters or both', () => {
  const random = ['akYrLhzYpacLYSES', 'qzkvwxhjtbnm', 'lnkkmpiewcvkavij', 'PRJTawpfNKHjSACc', 'HYWHXWBSSDZNNZDJ'];
  const words = [
    'correcthorsebatterystaple',
    'accessTokenProvider',
    'getUserByIdentifier',
    'authenticationRequired',
    'internationalization',
    'PostgreSQLConnection',
    'kubernetes',
  ];
  assert.deepEqual(answers(isRandomLetters, [...random, ...words]), random);
});

test('a value in a sentence has twelve characters, letters of both kinds with digits, or hex digits, or random letters', () => {
  const values = ['k7Rq2mZx9TbX', 'k7Rq2mZx9Tb', 'base64encoded', 'utf8mb4unicode', 'akYrLhzYpacLYSES'];
  assert.deepEqual(answers(looksStrong, values), ['k7Rq2mZx9TbX', 'akYrLhzYpacLYSES']);
});

/** The values that pass the check. */
function answers(check: (value: string) => boolean, values: readonly string[]): string[] {
  return values.filter((value) => check(value));
}
