// Story: how a session is interpreted, once for every view.
export const mutants = [
  {
    id: 'old-compaction-is-not-marked',
    file: 'src/session/story/notes.ts',
    find: 'if (above === undefined && !text.isBlank)',
    replace: 'if (false)',
    tests: ['session/story/sinks'],
  },
  {
    id: 'error-tags-are-shown',
    file: 'src/session/story/call.ts',
    find: 'text: withoutErrorTags(resultText(blocks))',
    replace: 'text: resultText(blocks)',
    tests: ['session/story/sinks'],
  },
  {
    id: 'tail-marks-a-compaction-twice',
    file: 'src/cli/tail/render.ts',
    find: 'return this.#boundaries.delete(place.path);',
    replace: 'return false;',
    tests: ['session/story/sinks'],
  },
  {
    id: 'an-agent-is-opened-twice',
    file: 'src/session/story/story.ts',
    find: 'this.#shown.add(agent.agentId);',
    replace: '',
    tests: ['session/story/sinks'],
  },
];
