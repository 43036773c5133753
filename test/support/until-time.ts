import { basename } from 'node:path';
import { TestRunner, test } from 'vitest';

type Source = Parameters<TestRunner['importFile']>[1];

/**
 * Runs test files until the time of `TESTS_UNTIL` (ISO 8601). A file that would begin later has one skipped test
 * instead. `.ci/run` sets the time, so that it always ends, and names these files.
 */
export default class UntilTime extends TestRunner {
  override importFile(filepath: string, source: Source): unknown {
    const until = process.env.TESTS_UNTIL;
    if (source === 'setup' || until === undefined || Date.now() < Date.parse(until))
      return super.importFile(filepath, source);
    return test.skip(`${basename(filepath)} waits for npm run test:nightly: its time is over`, () => {});
  }
}
