import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const MODEL = `/*
name: mart.pages
kind: table
description: Pages.
grain: [url]
columns: { project_id: Its project., url: Its address., status: Its status., large: A number. }
*/
SELECT 'p1' AS project_id, 'u' AS url, 200 AS status, 1 AS large
`;

const folder = sharedFolder();
let settings: Settings;
let questions = '';
beforeAll(async () => {
  settings = await projectWithWarehouse(folder);
  questions = join(settings.projectDir, 'sql', 'questions');
  await mkdir(join(settings.projectDir, 'sql', 'pages'));
  await writeFile(join(settings.projectDir, 'sql', 'pages', 'pages.sql'), MODEL);
});

const SQL =
  'SELECT url, status\nFROM mart.pages\nWHERE status >= $least AND ($project IS NULL OR project_id = $project)';
const WHOLE = {
  name: 'q91_kept',
  title: 'Kept: pages */ of "mine"',
  description: 'What is kept.',
  sql: SQL,
  'type.least': 'BIGINT',
  'about.least': 'The least status.',
};

async function keep({ ask }: OpenConsole, fields: Readonly<Record<string, string>>): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await (await ask('/ask')).text())?.[1] ?? '';
  return ask('/ask/keep', { method: 'POST', body: new URLSearchParams({ csrf, ...fields }) });
}

test('SQL kept as a question runs immediately, and the audit records it', async () => {
  const open = await openConsole(settings);
  const run = new URLSearchParams({ sql: SQL, 'param.least': '400', run: '1' });
  const page = await (await open.ask(`/ask?${run}`)).text();
  expect(page).toContain('name="about.least"');
  expect(page).not.toContain('name="about.project"');
  const kept = await keep(open, WHOLE);
  expect([kept.status, kept.headers.get('location')]).toEqual([303, '/ask?question=q91_kept']);
  const text = readFileSync(join(questions, 'q91_kept.sql'), 'utf8');
  expect(text).toContain('model: "mart.pages"');
  expect(text.endsWith(`*/\n${SQL}\n`)).toBe(true);
  const asked = new URLSearchParams({
    question: 'q91_kept',
    'param.least': '404',
    'param.project': 'p1',
    run: '1',
  });
  const { total, question } = JSON.parse(await (await open.ask(`/ask.json?${asked}`)).text());
  expect([total, question.title]).toEqual([25, 'Kept: pages */ of "mine"']);
  // A second one of the name changes nothing.
  const again = await keep(open, { ...WHOLE, title: 'Another' });
  expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('q91_kept already')]);
  expect(readFileSync(join(questions, 'q91_kept.sql'), 'utf8')).toBe(text);
  const audit = await (await open.ask('/audit')).text();
  expect(audit).toContain('keep question q91_kept');
});

test('a broken question is refused with its position, and the form keeps the input', async () => {
  const open = await openConsole(settings);
  const before = readdirSync(questions);
  for (const [changes, says] of [
    [{ sql: 'SELECT url,\n  nope\nFROM mart.pages' }, '7: Binder Error: Referenced column'],
    [{ sql: 'SELECT 1' }, 'reads no model'],
    [{ sql: "SELECT 'mart.pages' -- mart.pages" }, 'reads no model'],
    [{ sql: 'SELECT nope FROM "mart" . "pages"' }, 'Binder Error: Referenced column'],
    [{ sql: 'SELECT 1 FROM mart.pages; DROP TABLE mart.pages' }, 'q92_new.sql:'],
    [{ sql: 'COPY mart.pages TO x' }, 'q92_new.sql:'],
    [{ 'type.least': 'SECRET' }, 'parameters.least.type'],
    [{ 'about.least': '' }, 'parameters.least.description'],
    [{ title: ' ' }, 'title'],
    [{ name: '../q92' }, 'cannot be named ../q92'],
    [{ name: 'q92/../../x' }, 'cannot be named'],
    [{ name: '' }, 'cannot be named'],
    [{ name: 'q90_pages_by_status' }, 'q90_pages_by_status already'],
  ] as const) {
    const refused = await keep(open, { ...WHOLE, name: 'q92_new', ...changes });
    const page = await refused.text();
    expect([refused.status, page], says).toEqual([400, expect.stringContaining(says)]);
    expect(page).toContain('value="What is kept."');
  }
  expect(readdirSync(questions)).toEqual(before);
});

test('questions cannot be kept in a read-only console or without the token', async () => {
  const reading = await openConsole({ ...settings, console_actions: false });
  const page = await (await reading.ask('/ask?run=1&sql=FROM+mart.pages')).text();
  expect(page).not.toContain('/ask/keep');
  expect((await keep(reading, { ...WHOLE, name: 'q93_x' })).status).toBe(403);
  const open = await openConsole(settings);
  expect((await keep(open, { ...WHOLE, name: 'q93_x', csrf: 'x' })).status).toBe(403);
  expect(readdirSync(questions)).not.toContain('q93_x.sql');
});
