// Ctrl-Z in raw mode: stops the process until the shell continues it.

/** The caller must restore the terminal first. */
export async function stopUntilResumed(): Promise<void> {
  const resumed = new Promise<void>((resolve) => {
    process.once('SIGCONT', () => resolve());
  });
  // A signal listener does not keep the process alive, and stdin is paused.
  const alive = setInterval(() => {}, 1_000_000);
  process.kill(process.pid, 'SIGTSTP');
  await resumed;
  clearInterval(alive);
}
