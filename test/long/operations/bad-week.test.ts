import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { printBlocks } from '../../../src/app/answers/presentation/print-blocks.ts';
import { readStatus } from '../../../src/app/operations/status/read-status.ts';
import { statusBlocks } from '../../../src/app/operations/status/status-blocks.ts';
import { statusFacts } from '../../../src/app/operations/status/status-facts.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { clearFaults, rawProjectFolder, runProject, sandboxFor, setFaults } from '../../support/project.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const PIPELINES = ['workspaces', 'projects', 'crawls', 'crawl_pages'];

/** A crawl of `site` that ended late on a day of November 2026. */
async function crawl(sandbox: Sandbox, site: string, day: number, rows = 60): Promise<void> {
  const dir = join(await temporaryFolder(), `${site}-2026-11-${String(day).padStart(2, '0')}`);
  await mkdir(dir);
  const lines = Array.from({ length: rows }, (_, n) => `{"url":"https://${site}.example/${day}/${n}"}\n`);
  await writeFile(join(dir, 'pages.jsonl'), lines.join(''));
  const fields = [{ name: 'url', type: 'string', arity: 'one' }];
  await writeFile(join(dir, 'pages.fields.json'), JSON.stringify({ fields }));
  const response = await fetch(`${sandbox.baseUrl}/_sandbox/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dir }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** What goes wrong with the run of a morning. */
const FAULTS: Readonly<Record<number, readonly unknown[]>> = {
  15: [{ match: { path: '/workspaces' }, kind: 'status', status: 503, retry_after: 3600 }],
  16: [{ match: { path: '/workspaces' }, kind: 'status', status: 503, retry_after: 3600 }],
  18: [{ match: { path: '/data/crawl/' }, kind: 'status', status: 429, retry_after: 86_400 }],
  19: [{ match: { path: 'export=true' }, kind: 'duplicate' }],
  20: [{ match: { path: 'export=true' }, kind: 'duplicate' }],
};

test('on the eighth day of a bad week, status first shows the open incidents with start, reason and hint', async () => {
  const sandbox = await sandboxFor({});
  const folder = await rawProjectFolder();
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    for (const day of [8, 9, 10, 11, 12])
      for (const site of ['blog', 'shop']) await crawl(sandbox, site, day);
    for (let day = 14; day <= 20; day++) {
      vi.setSystemTime(Date.UTC(2026, 10, day, 6));
      await crawl(sandbox, 'shop', day - 1);
      // Nobody noticed that this site's crawls had come to an end.
      if (day <= 16) await crawl(sandbox, 'blog', day - 1);
      await setFaults(sandbox, FAULTS[day] ?? []);
      await runProject(folder, sandbox, { pipelines: PIPELINES, now: Date.now() });
      await clearFaults(sandbox);
    }
    vi.setSystemTime(Date.UTC(2026, 10, 21, 9));
    const settings = await loadSettings(folder, {});
    const status = await readStatus(settings, Date.now());
    const said = printBlocks(statusBlocks(statusFacts(status, []), Date.now()), { indent: 2 });
    expect(status.incidents).toMatchObject([
      {
        event: 'stale',
        title: expect.stringMatching(/^blog: no new crawl since 2026-11-15/),
        hint: expect.any(String),
      },
      {
        event: 'failure',
        title: expect.stringMatching(/^3 units of shop failed: unreconciled$/),
        began: expect.stringMatching(/^2026-11-18T06:/),
      },
    ]);
    expect(said).toMatch(/^Incidents: 2\n/);
    expect(status.runs.map(({ status }) => status).toReversed()).toEqual([
      'done',
      'failed',
      'failed',
      'done',
      'partial',
      'refused',
      'refused',
    ]);
    // Without the ledger the warehouse tells, if with less.
    await rm(settings.state_dir, { recursive: true });
    const { incidents } = await readStatus(settings, Date.now());
    expect(incidents.map(({ title }) => title)).toEqual(status.incidents.map(({ title }) => title));
  } finally {
    vi.useRealTimers();
  }
});
