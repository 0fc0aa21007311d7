// Where Clew does something else than the client on purpose, and why.

export const differences: Readonly<Record<string, string>> = {
  ...all(
    'Clew shows the first 100,000 characters and how to continue; the client refuses',
    'read: Read large',
    'read: Read huge',
  ),
  ...all('Clew counts lines from 1 also for offset 0', 'read: Read offset-zero'),
  ...all('Clew refuses binary data by its content; the client only by its name', 'read: Read nul'),
  ...all('Clew reads and keeps Latin-1; the client shows U+FFFD and refuses to edit it', 'read: Read latin1'),
  ...all(
    'Clew sends the pages as a PDF, with their text; the client sends pictures, and needs poppler for them',
    'pdf: Read three-range',
    'pdf: Read three-single',
    'pdf: Read three-beyond',
    'pdf: Read twelve-range',
  ),
  ...all('the client sends a damaged PDF, which the API then refuses in every request', 'pdf: Read cut'),
  ...all('Clew keeps the line ends of a file; the client writes those of the call', 'write: Write update-crlf'),
  ...all('a byte order mark is not part of the text', 'write: Write update-bom'),
  ...all('line ends count as equal', 'edit: Edit crlf-in-old'),
  ...all(
    'the client removes blanks at the ends of lines from new_string; Clew writes what the call says',
    'edit: Edit trailing-in-new',
  ),
  ...all(
    'the client also removes the line end after a deletion inside a line, and so joins two lines',
    'stale: Edit delete-in-line',
    'stale: Edit delete-line-end',
  ),
  ...all(
    'Clew does not replace the whole text of a file that the model has not read as a whole',
    'write: Write unread',
    'write: Write after-partial-read',
    'stale: Write write-unread',
  ),
  ...all('the client finds nothing for these patterns', 'glob: Glob tilde', 'glob: Glob dot-slash'),
  ...all(
    'Clew leaves out .git, whose files would fill the list',
    'glob: Glob star',
    'glob: Glob dot-files',
    'glob: Glob negated',
    'glob: Glob empty',
    'glob: Glob repository',
  ),
  ...all('Clew pages a long result; the client stores it in a file', 'grep: Grep content-limit-zero'),
  ...all('Clew shows the beginning of a long line; the client leaves it out', 'grep: Grep content-wide'),
  ...all('Clew says that the pattern needs multiline; the client finds nothing', 'grep: Grep multiline-off'),
  ...all('Clew ends a command after its timeout; the client moves it to the background', 'bash: Bash timeout-short'),
  ...all('few programs that read JSON can handle a NUL; Clew stores U+FFFD', 'bash: Bash nul'),
  ...all('Clew does not compare the files that the model has read after each command', 'stale: Bash change'),
};

function all(reason: string, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}
