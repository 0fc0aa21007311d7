// Every limit of the built-in tools. One file, so that what the descriptions promise and what the code does cannot differ.

export const limits = {
  read: {
    defaultLines: 2000,
    /** Of one line; the rest is named, not shown. */
    lineChars: 2000,
    /** About 25,000 tokens: what one result may take of a model's window. */
    totalChars: 100_000,
    /** Up to here a file is held whole, hashed and may be edited; above it lines are picked from a stream. */
    wholeFileBytes: 10_485_760,
    imageFileBytes: 52_428_800,
    imageSide: 2000,
    /** The API counts base64 characters. */
    imageBase64Chars: 5_242_880,
    /** A picture of more is not decoded. */
    imagePixels: 100_000_000,
  },
  change: {
    fileBytes: 10_485_760,
    /** More changed lines than this are one hunk: the exact difference of two large texts takes quadratic time. */
    diffEdits: 1000,
    /** A longer text is not kept a second time in the transcript. */
    keptChars: 1_048_576,
  },
  bash: {
    commandChars: 200_000,
    defaultTimeoutMs: 120_000,
    maxTimeoutMs: 600_000,
    outputChars: 30_000,
    previewHeadChars: 2000,
    previewTailChars: 8000,
    /** Of the file that holds the whole output. */
    outputFileBytes: 268_435_456,
    progressChars: 4000,
    progressEveryMs: 200,
    /** From SIGTERM to SIGKILL. */
    killGraceMs: 2000,
    /** How long output is awaited after the shell ended, where something it started holds on to the pipe. */
    drainMs: 400,
    /** The same where nothing is left but `cat`, which ends by itself: only a slow machine needs it. */
    flushMs: 10_000,
    filterMs: 2000,
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
