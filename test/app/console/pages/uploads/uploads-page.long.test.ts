import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { Access } from '../../../../../src/app/console/access/access.ts';
import { actingConsole } from '../../../../support/acting-console.ts';
import { projectFolder } from '../../../../support/project.ts';
import { until } from '../../../../support/until.ts';

const SITE = 'https://www.example.com/';

interface Preview {
  readonly preview: {
    readonly understood: readonly (readonly {
      readonly name: string;
      readonly value: string;
      readonly is_guess: boolean;
    }[])[];
    readonly statuses: readonly string[];
    readonly problem: string | null;
  };
}
interface AddedFiles {
  readonly added: readonly {
    readonly added: { readonly status: string };
    readonly removed: { readonly status: string } | null;
  }[];
}

async function uploading() {
  const { ask, csrf, settings } = await actingConsole(await projectFolder());
  const access = new Access(settings);
  onTestFinished(() => access[Symbol.dispose]());
  const ended = (id: number) =>
    until(async () => {
      const entry = access.audit.find(id);
      return entry?.ended_at == null ? undefined : entry;
    });
  return {
    ask,
    settings,
    /** Uploads a file; returns the address of its preview. */
    upload: async (kind: string, name: string, content: string | Buffer<ArrayBuffer>) => {
      const body = new FormData();
      for (const [field, value] of Object.entries({ csrf, kind, site: SITE })) body.append(field, value);
      body.append('file', new Blob([content]), name);
      return (await ask('/uploads', { method: 'POST', body })).headers.get('location') ?? '';
    },
    preview: async (address: string) =>
      ((await (await ask(address.replace('/read?', '/read.json?'))).json()) as Preview).preview,
    /** Starts an action by its form, and waits for its end. */
    start: async (fields: Readonly<Record<string, string>>) => {
      const answer = await ask('/uploads/add', {
        method: 'POST',
        body: new URLSearchParams({ csrf, ...fields }),
      });
      return ended(Number(answer.headers.get('location')?.split('/').at(-1)));
    },
    added: async () => ((await (await ask('/uploads.json')).json()) as AddedFiles).added,
  };
}

test('uploaded logs are read, added with their rows, and removed', async () => {
  const { ask, upload, preview, start, added, settings } = await uploading();
  const line = (second: number): string =>
    `203.0.113.7 - - [20/Nov/2025:06:00:${second} +0000] "GET /a HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n`;
  // Its last line has no end: the file is complete.
  const content = gzipSync(`${line(10)}${line(11)}${line(12).trimEnd()}`);
  const address = await upload('logs', 'access.log.gz', content);
  const { understood, statuses } = await preview(address);
  expect([statuses, understood[0]]).toMatchObject([
    ['planned'],
    expect.arrayContaining([{ name: 'lines', value: '3 requests', is_guess: false }]),
  ]);
  const page = await (await ask(address)).text();
  expect(page).toContain('Add access.log.gz?');
  expect(await added()).toEqual([]);
  const fields = Object.fromEntries(new URL(address, 'http://x').searchParams);
  expect(await start(fields)).toMatchObject({ outcome: '0', message: null, run_id: expect.any(String) });
  expect(existsSync(join(settings.state_dir, 'console', 'uploads', String(fields.file)))).toBe(false);
  expect((await ask(address)).status).toBe(404);
  expect(await (await ask('/uploads')).text()).toContain('Remove access.log.gz');
  const { file = '', site = '' } = fields;
  expect(await start({ action: 'logs-remove', file, site })).toMatchObject({ outcome: '0' });
  expect(await added()).toMatchObject([{ added: { status: 'done' }, removed: { status: 'done' } }]);
  expect(await (await ask('/uploads')).text()).not.toContain('Remove access.log.gz');
});

test('an export without days is reported, and added once the days are given', async () => {
  const { upload, preview, start } = await uploading();
  const csv = `Top pages,Clicks,Impressions,CTR,Position\n${SITE},5,100,5%,3.2\n${SITE}a,1,40,2.5%,8\n`;
  const address = await upload('demand', 'Pages.csv', csv);
  expect(await preview(address)).toMatchObject({ problem: expect.stringMatching(/^(?!.*uploads).*/) });
  const dated = `${address}&from=2025-11-01&to=2025-11-08`;
  expect(await preview(dated)).toMatchObject({ statuses: ['planned'], problem: null });
  const fields = Object.fromEntries(new URL(dated, 'http://x').searchParams);
  expect(await start(fields)).toMatchObject({ outcome: '0' });
  const { file = '', site = '' } = fields;
  expect(await start({ action: 'demand-remove', file, site })).toMatchObject({ outcome: '0' });
});

test('text that is not a log is shown with the reason, and cannot be added', async () => {
  const { ask, upload, preview } = await uploading();
  const address = await upload('logs', 'novel.txt', 'It was a dark and stormy night.\n'.repeat(50));
  const { problem, statuses } = await preview(address);
  expect([problem, statuses.includes('planned')]).toEqual([expect.any(String), false]);
  expect(await (await ask(address)).text()).not.toContain('>Add</button>');
});
