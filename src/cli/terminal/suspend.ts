// Ctrl-Z where keys are read raw: the process stops as the shell expects it, until it is brought to the front again.

/** The terminal must have been given back before. */
export async function stopUntilResumed(): Promise<void> {
  const resumed = new Promise<void>((resolve) => {
    process.once('SIGCONT', () => resolve());
  });
  // A listener for a signal does not keep a process alive, and stdin is paused.
  const alive = setInterval(() => {}, 1_000_000);
  process.kill(process.pid, 'SIGTSTP');
  await resumed;
  clearInterval(alive);
}
