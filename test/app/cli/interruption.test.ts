import { expect, test } from 'vitest';
import { Interruption } from '../../../src/app/cli/app.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';

test.for([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s aborts the signal with a crawlhouse error and sets the exit code to %i', ([name, code]) => {
  using interruption = new Interruption();
  expect(interruption.signal.aborted).toBe(false);
  process.emit(name, name);
  expect(interruption.signal.reason).toBeInstanceOf(CrawlhouseError);
  expect([interruption.signal.reason.code, interruption.exitCode]).toEqual(['interrupted', code]);
});

test('a command that ends as interrupted without a signal has the exit code 130', () => {
  using interruption = new Interruption();
  expect([interruption.signal.aborted, interruption.exitCode]).toEqual([false, 130]);
});

test('a disposed interruption no longer listens', () => {
  const before = process.listenerCount('SIGTERM');
  new Interruption()[Symbol.dispose]();
  expect(process.listenerCount('SIGTERM')).toBe(before);
});
