import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CrawlhouseError, toCrawlhouseError } from '../../src/core/errors/errors.ts';
import { displayWidth } from '../../src/core/text/display-width.ts';
import { nameFullDisk } from '../../src/etl/project/settings/name-full-disk.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/first-hour.md'), 'utf8');
const screens = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, screen = '']) => screen);

test('each screen of the first hour starts with its command, and fits 80 columns', () => {
  expect(screens.length).toBeGreaterThan(15);
  const lines = screens.flatMap((screen) => screen.trimEnd().split('\n'));
  expect(screens.filter((screen) => !/^\$ (crawlhouse|npm) /.test(screen))).toEqual([]);
  expect(lines.filter((line) => !line.startsWith('$ ') && displayWidth(line) > 80)).toEqual([]);
});

test('each screen with an error shows what to do', () => {
  const failing = screens.filter((screen) => /^(Error:|fail |Incidents:)/m.test(screen));
  expect(failing.length).toBeGreaterThan(4);
  expect(failing.filter((screen) => !/^ *(Try|to do): \S/m.test(screen))).toEqual([]);
});

/** Without what differs from run to run, and without the breaks of a terminal. */
function masked(text: string): string {
  return text
    .replaceAll(/\s+/g, '')
    .replaceAll(/\b[0-9a-f]{24}\b/g, 'ID')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID');
}

test('the errors of a full disk match the program', () => {
  const settings = { state_dir: '/srv/seo/.crawlhouse', warehouse: '/srv/seo/warehouse.duckdb' };
  const given = (message: string, details: object = {}): CrawlhouseError =>
    toCrawlhouseError(Object.assign(new Error(message), { code: 'ENOSPC' }, details));
  const dest = '/srv/seo/warehouse.duckdb.00000000-0000-0000-0000-000000000000.publishing';
  const copy = `ENOSPC: no space left on device, copyfile '${settings.state_dir}/work.duckdb' -> '${dest}'`;
  const [links, pages] = ['links', 'pages'].map((name) => `crawl_${name}/${'0'.repeat(24)}`);
  const errors = [
    nameFullDisk(given(copy, { dest }), settings),
    nameFullDisk(given('ENOSPC: no space left on device, write'), settings, links),
    nameFullDisk(given('database or disk is full', { errcode: 13 }), settings, pages),
  ];
  const [, section = ''] = /^## A full disk$([\s\S]*?)^## /m.exec(page) ?? [];
  const [run = '', status = ''] = section.split('$ crawlhouse status').map(masked);
  const expected = errors.map(({ message, hint }) => masked(`Error: ${message}\nTry: ${hint}`));
  for (const one of expected) expect(run).toContain(one);
  expect(run.split('Error:')).toHaveLength(expected.length + 1);
  for (const { message, hint } of errors.slice(0, 2)) {
    expect(status).toContain(masked(message));
    expect(status).toContain(masked(`to do: ${hint}`));
  }
});
