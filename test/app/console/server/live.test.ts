import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import type { Progress } from '../../../../src/core/progress/progress.ts';
import { LiveRunFile } from '../../../../src/etl/state/ledger/live-run.ts';
import { openConsole } from '../../../support/open-console.ts';
import { projectFolder } from '../../../support/project.ts';

const RUN = { run_id: '0123456789', command: 'run', started_at: '2026-11-22T06:00:00.000Z' };
const PROGRESS: Progress = {
  phase: 'download',
  steps: null,
  units: { done: 1, due: 4 },
  rows: { received: 25, expected: 50, isGuess: false },
  bytes: 0,
  seconds: 5,
  elapsed: 6,
  left: null,
};

/** The events of a stream, one at a time. */
async function* events(answer: Response) {
  let text = '';
  for await (const piece of answer.body ?? []) {
    text += Buffer.from(piece).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      if (data !== undefined) yield { name, data: JSON.parse(data) };
      text = text.slice(end + 2);
    }
  }
}

test('a page follows the current run to its end, with the same text as the terminal', async () => {
  const settings = await loadSettings(await projectFolder(), {});
  const { ask } = await openConsole(settings);
  expect((await ask('/live', { cookie: '' })).status).toBe(401);
  expect(await (await ask('/')).text()).not.toContain('<progress');

  const answer = await ask('/live');
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const told = events(answer);
  expect((await told.next()).value).toEqual({ name: 'ended', data: { run_id: null } });

  const file = new LiveRunFile(settings.state_dir, RUN);
  file.write(PROGRESS, [{ unit: 'crawl_pages/<b>', phase: 'stage' }]);
  const { value } = await told.next();
  const words = '50 % download after 6.0 s · 25 of 50 rows · 5 rows/s · 1 of 4 units · 0 B';
  expect(value).toMatchObject({ name: 'progress', data: { run_id: RUN.run_id, share: 0.5, words } });
  const page = await (await ask('/')).text();
  expect(page).toContain(`value="0.5" aria-label="Progress of the run" aria-valuetext="${words}"`);
  expect(page).toContain('<li>crawl_pages/&lt;b&gt;: stage</li>');
  expect(page).toContain('<noscript>');

  file[Symbol.dispose]();
  expect((await told.next()).value).toEqual({ name: 'ended', data: { run_id: RUN.run_id } });
  await told.return();
});
