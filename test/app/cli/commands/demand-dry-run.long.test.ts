import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { demandAdd } from '../../../../src/app/cli/commands/demand-add.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { projectFolder } from '../../../support/project.ts';
import { capture } from '../capture.ts';
import { typing } from '../typing.ts';

const SITE = 'https://e.example/';
const HEADER = 'date,page,clicks,impressions,position\n';

async function folderWith(content: string) {
  const folder = await projectFolder();
  const file = join(folder, 'a.csv');
  writeFileSync(file, content);
  const run = (...words: readonly string[]) => capture('demand', ...words, '--project-dir', folder);
  const sql = 'SELECT CAST(date AS VARCHAR) AS day, clicks FROM mart.ranking_performance ORDER BY 1';
  const rows = async () => {
    const { stdout } = await capture('query', sql, '--format', 'json', '--project-dir', folder);
    return JSON.parse(stdout) as unknown;
  };
  return { folder, file, run, rows };
}

test('--dry-run prints what the file means and stores nothing, not even the website', async () => {
  const { file, run } = await folderWith(
    `${HEADER}2026-11-01,${SITE}a,12,120,5.5\n2026-11-02,${SITE}b,3,30,2\n`,
  );
  const { code, stdout, stderr } = await run('add', file, '--site', SITE, '--dry-run');
  expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing was stored')]);
  for (const line of [
    /^format +a table of search results$/m,
    /^site +https:\/\/e.example\/$/m,
    /^days +2026-11-01 to 2026-11-02, 2 days with rows$/m,
    /^written with +a decimal point$/m,
    /^rows by date, url +2, with 15 clicks and 150 impressions$/m,
    /^first row +2026-11-01, https:\/\/e.example\/a, 12 clicks, 120 impressions, position 5.5$/m,
    /^last row +2026-11-02, https:\/\/e.example\/b, 3 clicks, 30 impressions, position 2$/m,
  ])
    expect(stdout).toMatch(line);
  const json = await run('add', file, '--site', SITE, '--dry-run', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    run: null,
    exports: [
      {
        status: 'planned',
        understood: expect.arrayContaining([
          { name: 'days', value: '2026-11-01 to 2026-11-02, 2 days with rows', is_guess: false },
        ]),
      },
    ],
  });
  const after = await run('add', file);
  expect([after.code, after.stderr]).toEqual([
    2,
    expect.stringContaining('this project folder has no crawled website'),
  ]);
});

test('demand remove removes exactly the added rows from the warehouse', async () => {
  const { folder, file, run, rows } = await folderWith(`${HEADER}2026-11-01,${SITE}a,12,120,5.5\n`);
  expect((await run('add', file, '--site', SITE)).code).toBe(0);
  const before = await rows();
  const second = join(folder, 'b.csv');
  writeFileSync(second, `${HEADER}2026-11-01,${SITE}a,7,70,5\n2026-11-03,${SITE}a,8,80,5\n`);
  expect((await run('add', second)).code).toBe(0);
  expect(await rows()).toEqual([
    { day: '2026-11-01', clicks: 7 },
    { day: '2026-11-03', clicks: 8 },
  ]);
  const removed = await run('remove', second);
  expect([removed.code, removed.stdout]).toEqual([
    0,
    expect.stringContaining('b.csv: 2 rows of 2 days removed; 1 row of earlier exports are back.'),
  ]);
  expect(await rows()).toEqual(before);
  expect((await run('remove', file, '--json')).code).toBe(0);
  expect(await rows()).toEqual([]);
  expect((await run('remove', file)).code).toBe(2);
});

test('rows of a day that has not ended are reported as not in the warehouse yet', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { file, run } = await folderWith(
    `${HEADER}2026-11-01,${SITE}a,12,120,5.5\n${today},${SITE}a,1,10,5\n`,
  );
  const { code, stdout } = await run('add', file, '--site', SITE);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`Not in the warehouse: 1 day (${today}): these days have not ended`),
  ]);
});

test('on a terminal, the user resolves ambiguous tables and confirms distant days', async () => {
  const { folder } = await folderWith(
    `${HEADER}2016-11-01,${SITE}a,12.000,150.000,\n2026-11-01,${SITE}a,1.000,2.000,\n`,
  );
  const settings = await loadSettings(folder, {});
  const add = () => {
    const typist = typing();
    const said: string[] = [];
    const invocation: Partial<Invocation> = {
      positionals: ['a.csv'],
      workingDirectory: folder,
      texts: () => [],
      has: () => false,
      text: (flag) => (flag === 'site' ? SITE : undefined),
      settings: async () => settings,
      logger: silentLogger,
      signal: new AbortController().signal,
      person: typist.person,
      terminal: null,
      progress: () => {},
      say: (text) => void said.push(text),
      print: async (text) => void said.push(text),
    };
    return { ...typist, ended: demandAdd.run(invocation as Invocation), said: () => said.join('') };
  };
  const declined = add();
  await declined.answer('Which one? point or comma', 'comma');
  await declined.answer('Add it?', '');
  expect(await declined.ended).toBe(4);
  expect(declined.said()).toContain('2016-11-01 to 2026-11-01, 2 days with rows, far apart (a guess)');
  expect(declined.said()).toMatch(/first row +2016-11-01, https:\/\/e.example\/a, 12,000 clicks/);
  const agreed = add();
  await agreed.answer('Which one? point or comma', 'point');
  await agreed.answer('Add it?', 'yes');
  expect(await agreed.ended).toBe(0);
  expect(existsSync(join(folder, 'a.csv'))).toBe(true);
});
