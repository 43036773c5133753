import { expect, test } from 'vitest';
import { logSources } from '../../../../src/app/cli/local/log-sources.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('a missing log cannot be opened, and an abort yields no log', async () => {
  const folder = await temporaryFolder();
  const place = { settings: { state_dir: folder } as Settings, folder };
  const abort = new AbortController();
  const sources = logSources(['missing.log', 'missing-too.log'], place, abort.signal);
  const { value } = await sources.next();
  expect(value).toMatchObject({ name: 'missing.log', version: null });
  expect(() => value?.open(0, abort.signal)).toThrow(/missing\.log/);
  abort.abort(new Error('the user pressed Ctrl-C'));
  await expect(sources.next()).rejects.toThrow('the user pressed Ctrl-C');
});
