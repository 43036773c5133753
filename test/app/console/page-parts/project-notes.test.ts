import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadNotes } from '../../../../src/etl/project/settings/notes.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const folder = sharedFolder();
const NOTE = { date: '2026-11-20', project: 'p1', kind: 'deployment', text: 'New <b>templates</b>' };
let settings: Settings;

beforeAll(async () => {
  settings = await projectWithWarehouse(folder);
});

async function send(
  { ask }: OpenConsole,
  change: string,
  fields: Readonly<Record<string, string>> = NOTE,
): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await (await ask('/ask')).text())?.[1] ?? '';
  return ask('/projects/p1/notes', {
    method: 'POST',
    body: new URLSearchParams({ csrf, change, ...fields }),
  });
}

test('an operator adds a note and removes it, and the audit has both', async () => {
  const open = await openConsole(settings);
  const added = await send(open, 'add');
  expect([added.status, added.headers.get('location')]).toEqual([303, '/projects/p1']);
  expect(await loadNotes(settings.projectDir)).toEqual([NOTE]);
  expect((await send(open, 'remove')).status).toBe(303);
  expect(await loadNotes(settings.projectDir)).toEqual([]);
  const gone = await send(open, 'remove');
  expect([gone.status, (await gone.text()).includes('there is no such note')]).toEqual([400, true]);
  const audit = await (await open.ask('/audit')).text();
  expect(audit).toContain('add note {&quot;date&quot;:&quot;2026-11-20&quot;');
  expect(audit).toContain('remove note');
  expect(audit).not.toContain('<b>templates');
});

test('notes cannot be changed without the form token, or in a read-only console', async () => {
  const foreign = await (await openConsole(settings)).ask('/projects/p1/notes', {
    method: 'POST',
    body: new URLSearchParams({ csrf: 'x', change: 'add', ...NOTE }),
  });
  expect(foreign.status).toBe(403);
  expect((await send(await openConsole({ ...settings, console_actions: false }), 'add')).status).toBe(403);
  const bad = await send(await openConsole(settings), 'add', { ...NOTE, date: 'soon' });
  expect([bad.status, (await bad.text()).includes('a day is expected')]).toEqual([400, true]);
  expect(existsSync(join(settings.projectDir, 'notes.yaml'))).toBe(true);
  expect(await loadNotes(settings.projectDir)).toEqual([]);
});
