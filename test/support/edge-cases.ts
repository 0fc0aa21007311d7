// The thirteen counting cases on which other counters were measured (ccusage, tokscale), made by us: the name of each is
// that of the counting cases, which holds the same cases.
import { answerLine, session1, session2 } from './usage-library.ts';

export interface EdgeCase {
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly output: number;
  /** Reasons of the dropped lines. */
  readonly dropped: readonly string[];
}

const main = `-w-p/${session1}.jsonl`;
const later = '2026-03-01T10:00:01.000Z';
const a = { id: 'msg_a', requestId: 'req_a' };
const b = { id: 'msg_b', requestId: 'req_b' };

export const edgeCases: Readonly<Record<string, EdgeCase>> = {
  '1_stream_final': {
    files: { [main]: [stub(3), stub(3), answerLine({ ...a, output: 400, time: later })] },
    output: 400,
    dropped: ['smaller-line', 'smaller-line'],
  },
  '2_no_requestId': {
    files: {
      [main]: [answerLine({ id: 'msg_a', output: 400 }), answerLine({ id: 'msg_a', output: 400, time: later })],
    },
    output: 400,
    dropped: ['smaller-line'],
  },
  '3_no_requestId_gateway': {
    files: {
      [main]: [
        answerLine({ id: 'chatcmpl-1', output: 400 }),
        answerLine({ id: 'chatcmpl-1', output: 400, time: later }),
      ],
    },
    output: 400,
    dropped: ['smaller-line'],
  },
  '4_fork_copy': {
    files: {
      [main]: [answerLine({ ...a, output: 400 })],
      [`-w-p/${session2}.jsonl`]: [
        answerLine({ ...a, output: 400, sessionId: session2 }),
        answerLine({ ...b, output: 100, sessionId: session2 }),
      ],
    },
    output: 500,
    dropped: ['copy'],
  },
  '5_subagent_file': {
    files: {
      [main]: [answerLine({ ...a, output: 400 })],
      [agent('a1b2c3d')]: [answerLine({ id: 'msg_c', requestId: 'req_c', output: 50, top: side('a1b2c3d') })],
    },
    output: 450,
    dropped: [],
  },
  '6_sidechain_replay_diff_req': {
    files: {
      [main]: [answerLine({ ...a, output: 400 })],
      [agent('aside')]: [answerLine({ id: 'msg_a', requestId: 'req_z', output: 400, top: side('aside') })],
    },
    output: 400,
    dropped: ['copy'],
  },
  '7_truncated_tail': {
    files: { [main]: [answerLine({ ...a, output: 400 }), answerLine({ ...b, output: 100 }).slice(0, 200)] },
    output: 400,
    dropped: [],
  },
  '8_stream_last_smaller': {
    files: { [main]: [answerLine({ ...a, output: 400 }), answerLine({ ...a, output: 1, stop: null, time: later })] },
    output: 400,
    dropped: ['smaller-line'],
  },
  '9_cache_1h': {
    files: {
      [main]: [
        answerLine({
          ...a,
          usage: {
            cache_creation_input_tokens: 1_000_000,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000_000 },
          },
        }),
      ],
    },
    output: 0,
    dropped: [],
  },
  '10_unknown_model': {
    files: { [main]: [answerLine({ ...a, output: 400, model: 'claude-zeta-9' })] },
    output: 400,
    dropped: [],
  },
  '11_crlf_bom': {
    files: { [main]: [`\ufeff${answerLine({ ...a, output: 400 })}\r`, `${answerLine({ ...b, output: 100 })}\r`] },
    output: 500,
    dropped: [],
  },
  '12_pretty_spaces': {
    files: {
      [main]: [JSON.stringify(JSON.parse(answerLine({ ...a, output: 400 })), null, 1).replace(/\n\s*/g, ' ')],
    },
    output: 400,
    dropped: [],
  },
  '13_dup_key_text': {
    files: {
      [main]: [
        answerLine({ ...a, output: 400 }).replace('"text":"x"', '"text":"fake \\"usage\\":{\\"output_tokens\\":999}"'),
      ],
    },
    output: 400,
    dropped: [],
  },
};

function stub(output: number): string {
  return answerLine({ ...a, output, stop: null });
}

function agent(id: string): string {
  return `-w-p/${session1}/subagents/agent-${id}.jsonl`;
}

function side(agentId: string): { isSidechain: boolean; agentId: string } {
  return { isSidechain: true, agentId };
}
