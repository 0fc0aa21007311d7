// The calls of a push over HTTP, each for the person of the key: what `PushTarget` does, with the same answers.
import type { IncomingMessage } from 'node:http';
import { asString, type JsonObject, parseJson } from '../../../base/json/index.ts';
import type { LevelNumber, TombstoneReason } from '../../contract/index.ts';
import { DatabaseTarget, type Sql } from '../../database/index.ts';
import { type Check, checkShape, goodbyeShape, helloShape, removeShape, SessionReader } from '../push/index.ts';
import type { Sender } from '../queue/index.ts';
import { announcedBytes, type BodyLimits, readBody, readLines } from './body.ts';
import { Refusal } from './refusal.ts';

export type PushCall = 'hello' | 'push' | 'remove' | 'goodbye';

const smallLimits: BodyLimits = { mostBytes: 16_384, mostPlainBytes: 65_536 };

/** The connection is shared: every call names its person in its own transaction. */
export async function answerPush(
  call: PushCall,
  request: IncomingMessage,
  { person }: Sender,
  { sql, limits }: { readonly sql: Sql; readonly limits: BodyLimits },
): Promise<object> {
  const target = new DatabaseTarget(sql, { person });
  switch (call) {
    case 'hello': {
      const { machine } = await readMembers(request, helloShape);
      return target.hello(textIn(machine));
    }
    case 'remove': {
      const { sessionId, reason, machine, kept } = await readMembers(request, removeShape);
      // One of the reasons, and a level: checked.
      return target.remove(
        textIn(sessionId),
        textIn(reason) as TombstoneReason,
        textIn(machine),
        Number(kept) as LevelNumber,
      );
    }
    case 'goodbye': {
      const { machine, digest } = await readMembers(request, goodbyeShape);
      await target.goodbye(textIn(machine), textIn(digest));
      return {};
    }
    case 'push': {
      announcedBytes(request, limits);
      const reader = new SessionReader();
      for await (const line of readLines(request, limits)) reader.add(line);
      return target.push(reader.end());
    }
  }
}

async function readMembers(request: IncomingMessage, shape: Readonly<Record<string, Check>>): Promise<JsonObject> {
  announcedBytes(request, smallLimits);
  const value = parseJson((await readBody(request, smallLimits)).toString('utf8'));
  const wrong = checkShape(value, shape);
  if (wrong !== undefined) throw new Refusal(400, `the request ${wrong.replace(/^: /, 'is wrong: ')}`);
  return value as JsonObject; // checked
}

function textIn(value: unknown): string {
  return asString(value) ?? '';
}
