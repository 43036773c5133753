/**
 * Takes the errors of output that nobody reads any more. A terminal that is closed sends SIGHUP, which ends the work in
 * order. Writes until then fail later, even after the last command has ended.
 *
 * @throws any other error of the output
 */
export function ignoreClosedTerminal(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
}

/** Whether a prompt failed because its terminal is gone: the shell may get the SIGHUP alone. */
export function isClosedTerminal(error: unknown): boolean {
  const { code, syscall, cause } = (error ?? {}) as Record<string, unknown>;
  return (code === 'EIO' && syscall === 'setRawMode') || (cause !== undefined && isClosedTerminal(cause));
}
