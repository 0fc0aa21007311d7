// Notebooks as Jupyter writes them: with cell ids (nbformat 4.5) and without (`old`).

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export function notebookText(kind: 'plain' | 'old'): string {
  const id = (name: string): { id?: string } => (kind === 'plain' ? { id: name } : {});
  const cells = [
    { cell_type: 'markdown', ...id('intro'), metadata: {}, source: ['# Title\n', 'text'] },
    {
      cell_type: 'code',
      ...id('calc'),
      metadata: {},
      execution_count: 3,
      source: ['x = 1\n', 'print(x)'],
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] },
        { output_type: 'execute_result', execution_count: 3, data: { 'text/plain': ['42'] }, metadata: {} },
        {
          output_type: 'display_data',
          data: { 'image/png': dot, 'text/plain': ['<Figure>'] },
          metadata: {},
        },
        { output_type: 'error', ename: 'ValueError', evalue: 'bad', traceback: ['line a', 'line b'] },
      ],
    },
    { cell_type: 'raw', ...id('raw'), metadata: {}, source: 'raw text' },
    { cell_type: 'code', ...id('empty'), metadata: {}, execution_count: null, source: [], outputs: [] },
  ];
  const metadata = { kernelspec: { name: 'python3' }, language_info: { name: 'python' } };
  return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: kind === 'plain' ? 5 : 2 }, null, 1)}\n`;
}
