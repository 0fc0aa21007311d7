// The twenty sessions that an installed client is tried on, each with one rule of a resume that an update may change.
import { call, image, ProbeLines, result, text, thought, uuidOf } from './probe-lines.ts';

export interface ProbeSession {
  readonly name: string;
  /** What the newest known client does with it, in one sentence. */
  readonly rule: string;
  readonly transcript: string;
}

/** One exchange, for sessions whose point comes later. */
function started(): ProbeLines {
  return new ProbeLines().user('u1', 'one').answer('a1', [text('first')]);
}

function probe(name: string, rule: string, lines: ProbeLines): ProbeSession {
  return { name, rule, transcript: lines.text() };
}

/** A turn with a call, its result and an answer. */
function worked(): ProbeLines {
  return new ProbeLines()
    .user('u1', 'one')
    .answer('a1', [text('I look'), call('t1')])
    .user('r1', [result('t1')])
    .answer('a2', [text('done')]);
}

export function probeSessions(): readonly ProbeSession[] {
  return [
    probe(
      'plain',
      'a conversation is sent as it is; its titles and summaries are not sent',
      worked()
        .aside('summary', { summary: 'a title', leafUuid: uuidOf('a1') })
        .aside('custom-title', { customTitle: 'a title' }),
    ),
    probe(
      'fork',
      'of two branches the one that ends last in the file is sent',
      started()
        .user('u2', 'two')
        .answer('a2', [text('second')])
        .from('a1')
        .user('u3', 'other')
        .answer('a3', [text('third')]),
    ),
    probe(
      'pin',
      'a last-prompt line chooses the branch',
      started()
        .user('u2', 'two')
        .answer('a2', [text('second')])
        .from('a1')
        .user('u3', 'other')
        .answer('a3', [text('third')])
        .aside('last-prompt', { lastPrompt: 'two', leafUuid: uuidOf('a2') }),
    ),
    probe(
      'parallel-calls',
      'results that hang on their own calls are all sent',
      new ProbeLines()
        .user('u1', 'one')
        .answer('a1', [call('t1')], { id: 'msg_a' })
        .answer('a2', [call('t2')], { id: 'msg_a' })
        .user('r2', [result('t2')])
        .from('a1')
        .user('r1', [result('t1')])
        .from('r2')
        .answer('a3', [text('done')]),
    ),
    probe(
      'compaction',
      'lines before a compaction are not sent',
      started()
        .add('system', 'c1', {
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          parentUuid: null,
          logicalParentUuid: uuidOf('a1'),
          compactMetadata: { trigger: 'manual', preTokens: 1000 },
        })
        .user('s1', 'the summary', { isCompactSummary: true })
        .user('u2', 'two')
        .answer('a2', [text('second')]),
    ),
    probe(
      'kept-segment',
      'the part of the history that a compaction kept is sent after the summary',
      started()
        .user('u2', 'two')
        .answer('a2', [text('second')])
        .add('system', 'c1', {
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          parentUuid: null,
          logicalParentUuid: uuidOf('a2'),
          compactMetadata: {
            trigger: 'auto',
            preTokens: 1000,
            preservedSegment: { headUuid: uuidOf('u2'), anchorUuid: uuidOf('s1'), tailUuid: uuidOf('a2') },
          },
        })
        .user('s1', 'the summary', { isCompactSummary: true })
        .user('u3', 'three')
        .answer('a3', [text('third')]),
    ),
    probe(
      'thinking',
      'signed thinking of the same model is sent',
      new ProbeLines()
        .user('u1', 'one')
        .answer('a1', [thought('c2ln')], { id: 'msg_a' })
        .answer('a2', [text('first')], { id: 'msg_a' }),
    ),
    probe(
      'other-thinking',
      'behind a gateway the thinking of another model is left out',
      new ProbeLines()
        .user('u1', 'one')
        .answer('a1', [thought('c2ln'), text('first')], { model: 'claude-sonnet-4-5-20250929' })
        .user('u2', 'two')
        .answer('a2', [text('second')]),
    ),
    probe(
      'thinking-mark',
      'thinking before a thinking_stripped mark is left out',
      new ProbeLines()
        .user('u1', 'one')
        .answer('a1', [thought('c2ln'), text('first')])
        .attachment('m1', { type: 'thinking_stripped', scope: 'all' })
        .user('u2', 'two')
        .answer('a2', [text('second')]),
    ),
    probe(
      'rendered-attachment',
      'an attachment is sent with the text that the session holds for it',
      new ProbeLines()
        .user('u1', 'one')
        .attachment('n1', { type: 'probe_note' }, { rendered: [{ content: 'a note' }], renderedRole: 'user' })
        .answer('a1', [text('first')]),
    ),
    probe(
      'bare-attachment',
      'an attachment of an unknown kind without a text is not sent',
      new ProbeLines()
        .user('u1', 'one')
        .attachment('n1', { type: 'probe_note' })
        .answer('a1', [text('first')]),
    ),
    probe(
      'queued-prompt',
      'the image of a prompt that was typed while the agent worked is sent',
      new ProbeLines()
        .user('u1', 'one')
        .answer('a1', [call('t1')])
        .user('r1', [result('t1')])
        .attachment('q1', { type: 'queued_command', prompt: [text('queued'), image()], commandMode: 'prompt' })
        .answer('a2', [text('done')]),
    ),
    probe(
      'interrupted-call',
      'a call without a result at the end gets a result that says so',
      new ProbeLines().user('u1', 'one').answer('a1', [text('I look'), call('t1')]),
    ),
    probe(
      'interrupted-turn',
      'a session that ends in a result gets an answer before the prompt',
      new ProbeLines()
        .user('u1', 'one')
        .answer('a1', [call('t1')])
        .user('r1', [result('t1')]),
    ),
    probe(
      'side-chain',
      'lines of a sub-agent in the file are not sent',
      started().add('user', 'x1', { message: { role: 'user', content: 'side' }, isSidechain: true, parentUuid: null }),
    ),
    probe(
      'repeated-uuid',
      'of two lines with one uuid the later text counts',
      started()
        .from('a1')
        .user('u2', 'two')
        .answer('a2', [text('second')])
        .from('u2')
        .answer('a2', [text('again')]),
    ),
    probe(
      'orphan-result',
      'a result without a call is taken out',
      started()
        .user('r1', [result('nobody')])
        .answer('a2', [text('second')]),
    ),
    probe(
      'images',
      'images of prompts and results are sent',
      new ProbeLines()
        .user('u1', [text('see'), image()])
        .answer('a1', [call('t1')])
        .user('r1', [result('t1', [text('out'), image()])])
        .answer('a2', [text('done')]),
    ),
    probe(
      'server-tool',
      'the call of a server tool without its result is left out',
      new ProbeLines()
        .user('u1', 'one')
        .answer('a1', [
          text('I search'),
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        ]),
    ),
    probe(
      'missing-parent',
      'a line whose parent is missing continues the newest line before it, if that is recent',
      started()
        .from('gone')
        .user('u2', 'two')
        .answer('a2', [text('second')]),
    ),
  ];
}
