// Files that are not sessions, of every kind that a user may give by mistake, and the messages of `clew show`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { writeTree } from './temp-folder.ts';
import { transcript } from './transcript-builder.ts';

/** By their names below the folder, with the refusal. */
export const strangers: Readonly<Record<string, RegExp>> = {
  'notes.txt': /notes\.txt is not a transcript: its name does not end in \.jsonl; name a \.jsonl file of Claude Code$/,
  'notes.jsonl': /is not a transcript: no line of it is a JSON record; name a \.jsonl file of Claude Code$/,
  'binary.jsonl': /is not a transcript: no line of it is a JSON record; name a \.jsonl file of Claude Code$/,
  'log.jsonl': /is not a transcript: no line of it is a record of Claude Code; name a \.jsonl file of Claude Code$/,
  'history.jsonl': /is not a transcript: no line of it is a record of Claude Code; name a \.jsonl file of Claude Code$/,
  'codex.jsonl': /is not a transcript: no line of it is a record of Claude Code; name a \.jsonl file of Claude Code$/,
  'package.jsonl': /is not a transcript: no line of it is a record of Claude Code; name a \.jsonl file of Claude Code$/,
  'qwen.jsonl':
    /was written by Qwen Code, and Clew reads Claude Code only; run `clew ls` for the sessions it can read$/,
  'empty.jsonl': /empty\.jsonl is empty, as some clients leave it when they resume; run `clew ls` for the others$/,
  'copy.jsonl.bak': /is not a transcript: its name does not end in \.jsonl; name a \.jsonl file of Claude Code$/,
  'agent-a1.jsonl': /agent-a1 is the transcript of a sub-agent, not a session; name its session: [0-9a-f-]{36}$/,
  'pipe.jsonl': /pipe\.jsonl is not a regular file; give a transcript \(\.jsonl\) or a session id$/,
  'socket.jsonl': /socket\.jsonl is not a regular file; give a transcript \(\.jsonl\) or a session id$/,
  'device.jsonl': /device\.jsonl is not a regular file; give a transcript \(\.jsonl\) or a session id$/,
  'folder.jsonl': /folder\.jsonl is a folder; give a transcript \(\.jsonl\) or a session id$/,
  'link.jsonl': /link\.jsonl is a link to .*elsewhere\.jsonl, outside .*; name .*elsewhere\.jsonl$/,
  'missing.jsonl':
    /(?:there is no file .*missing\.jsonl; run `clew ls`.*|cannot read .*missing\.jsonl \(ENOENT\); check the name)$/,
};

/** The socket's server must be closed. */
export function writeStrangers(folder: string): Server {
  const session = transcript().user('one').assistant('two').text();
  writeTree(folder, {
    'notes.txt': 'buy milk\n',
    'notes.jsonl': 'buy milk\nand bread\n',
    'binary.jsonl': Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff, 0x0a, 0xfe]),
    'log.jsonl': '{"level":"info","type":"request","timestamp":"2026-01-01T00:00:00Z"}\n{"level":"warn"}\n',
    'history.jsonl':
      '{"display":"hello","timestamp":1,"project":"/p","sessionId":"11111111-1111-4111-a111-111111111111"}\n',
    'codex.jsonl': '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x","cwd":"/p"}}\n',
    'package.jsonl': '{\n  "name": "x",\n  "type": "module"\n}\n',
    'qwen.jsonl': '{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","parts":[{"text":"hi"}]}}\n',
    'empty.jsonl': '',
    'copy.jsonl.bak': session,
    'agent-a1.jsonl': transcript({ isSidechain: true, agentId: 'a1' }).user('s').text(),
    'out/elsewhere.jsonl': session,
  });
  spawnSync('mkfifo', [path.join(folder, 'pipe.jsonl')]);
  symlinkSync('/dev/null', path.join(folder, 'device.jsonl'));
  symlinkSync(path.join(folder, 'out/elsewhere.jsonl'), path.join(folder, 'link.jsonl'));
  mkdirSync(path.join(folder, 'folder.jsonl'));
  return createServer().listen(path.join(folder, 'socket.jsonl'));
}
