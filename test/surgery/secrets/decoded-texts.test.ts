// A value is recognised by its salted hash in every encoding, and in encodings inside one another; and no value of which there
// is no hash is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { visitTexts } from '../../../src/surgery/secrets/decoded-texts.ts';
import { HashedValueFinder, hashValue } from '../../../src/surgery/secrets/hashed-values.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const salt = '5a'.repeat(32);
const secret = 'pł"ss\\4word/k7Rq2mZx9TbX';
const plain = `gh${'p_'}k7Rq2mZx9TbXvLc8NpW1sYd6JgF3aKe5`;

type Encode = (bytes: Buffer) => Buffer;
const text =
  (change: (text: string) => string): Encode =>
  (bytes) =>
    Buffer.from(change(bytes.toString('utf8')));

const encodings: Readonly<Record<string, Encode>> = {
  json: text((all) => JSON.stringify({ note: all })),
  'json escapes': text((all) =>
    JSON.stringify(all).replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
  percent: text((all) => all.replace(/[\x20-\x7e]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)),
  html: text((all) => all.replaceAll('&', '&amp;').replaceAll('"', '&quot;')),
  base64: (bytes) => Buffer.from(`data: ${bytes.toString('base64')}.`),
  'base64 after one more byte': (bytes) =>
    Buffer.from(`${Buffer.concat([Buffer.from('x'), bytes]).toString('base64')}\n`),
  'base64 after letters': (bytes) => Buffer.from(`prefix${bytes.toString('base64')}`),
  'base64 in lines': (bytes) => Buffer.from(bytes.toString('base64').replace(/.{60}/g, '$&\n')),
  base64url: (bytes) => Buffer.from(bytes.toString('base64url')),
  hex: (bytes) => Buffer.from(`0x${bytes.toString('hex')}`),
  'hex after one digit': (bytes) => Buffer.from(`a${bytes.toString('hex')}`),
  gzip: (bytes) => Buffer.concat([Buffer.from('head\n'), gzipSync(bytes)]),
  zlib: (bytes) => deflateSync(bytes),
  'utf-16': (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  'utf-16 big endian': (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le').swap16(),
};

test('a value is found in every encoding', () => {
  for (const [name, encode] of Object.entries(encodings))
    for (const value of name.includes('percent') || name.includes('html') ? [plain] : [plain, secret])
      assert.deepEqual(findIn(encode(Buffer.from(`one ${value} two`)), [plain, secret]), [value], name);
});

test('a value is found in an encoding inside another one', () => {
  const inner = ['json', 'base64', 'hex', 'gzip', 'utf-16'];
  const outer = ['json', 'base64', 'base64 after one more byte', 'base64 in lines', 'hex', 'gzip'];
  for (const first of inner)
    for (const second of outer) {
      const [one, two] = [encodings[first] as Encode, encodings[second] as Encode];
      // Text cannot hold the bytes of gzip as they are; text with zero bytes in JSON is not an encoding of a text.
      if ((first === 'gzip' || first === 'utf-16') && second === 'json') continue;
      assert.deepEqual(findIn(two(one(Buffer.from(`one ${plain} two`))), [plain]), [plain], `${first} in ${second}`);
    }
});

test('random bytes and values with one other character are not found', () => {
  const random = seededRandom(4);
  const noise = Buffer.from(Array.from({ length: 200_000 }, () => Math.floor(random() * 256)));
  assert.deepEqual(findIn(noise, [plain, secret]), []);
  for (let at = 0; at < plain.length; at++) {
    const other = `${plain.slice(0, at)}#${plain.slice(at + 1)}`;
    assert.deepEqual(findIn(Buffer.from(`one ${other} two`), [plain]), [], other);
  }
});

test('a hash does not reveal a value without its salt, and values of seven characters have none', () => {
  assert.equal(hashValue('seven77', salt), undefined);
  const [one, two] = [hashValue(plain, salt), hashValue(plain, 'a5'.repeat(32))];
  assert.notEqual(one?.sha256, two?.sha256);
  assert.notEqual(one?.filter, two?.filter);
  assert.ok(!JSON.stringify(one).includes(plain.slice(4, 12)));
});

function findIn(bytes: Buffer, values: readonly string[]): string[] {
  const hashes = values.flatMap((value) => hashValue(value, salt) ?? []);
  const finder = new HashedValueFinder(salt, hashes);
  const found = new Set<string>();
  visitTexts(bytes, { visit: (each) => finder.find(each, (_, value) => found.add(value)), skip: assert.fail });
  return [...found];
}
