// All limits of the built-in tools, used by both the descriptions and the code.

export const limits = {
  read: {
    /** The rest of a longer line is left out. */
    lineChars: 40_000,
    /** About 25,000 tokens. */
    totalChars: 100_000,
    /** The same with `allow_large`. */
    largeChars: 400_000,
    /** A file up to this size is read as a whole, hashed and editable; of a larger one, lines are streamed. */
    wholeFileBytes: 10_485_760,
    /** Of the outputs of one cell of a notebook. */
    outputChars: 10_000,
    notebookImages: 20,
  },
  pdf: {
    /** A larger file is not parsed. */
    fileBytes: 104_857_600,
    /** The API takes requests of 32 MB, and counts base64. */
    sentBytes: 20_971_520,
    /** A longer file is read in parts. */
    wholePages: 10,
    /** In one call. */
    pages: 20,
  },
  change: {
    fileBytes: 10_485_760,
    /** With more changed lines the patch is one hunk, because an exact diff takes quadratic time. */
    diffEdits: 1000,
    /** A longer text is not stored twice in the transcript. */
    keptChars: 1_048_576,
  },
  bash: {
    commandChars: 200_000,
    defaultTimeoutMs: 120_000,
    maxTimeoutMs: 600_000,
    outputChars: 30_000,
    previewHeadChars: 2000,
    previewTailChars: 8000,
    /** The size limit of the file with the whole output. */
    outputFileBytes: 268_435_456,
    progressChars: 4000,
    progressEveryMs: 200,
    killGraceMs: 2000,
    /** How long to wait for output after the shell has ended, if one of its processes keeps the pipe open. */
    drainMs: 400,
    /** The same if only `cat` is left, which ends on its own; only a slow machine needs it. */
    flushMs: 10_000,
    filterMs: 2000,
    /** A longer data URL is text. */
    pictureBytes: 20_971_520,
  },
  search: {
    globFiles: 100,
    defaultHeadLimit: 250,
    contentChars: 30_000,
    columns: 500,
    timeoutMs: 30_000,
    outputBytes: 16_777_216,
    patternChars: 20_000,
  },
  web: {
    urlChars: 2000,
    redirects: 10,
    timeoutMs: 30_000,
    bodyBytes: 10_485_760,
    pageChars: 100_000,
    cacheMs: 900_000,
    cachePages: 40,
    answerTokens: 4000,
    searches: 8,
  },
  pathChars: 4096,
} as const;
