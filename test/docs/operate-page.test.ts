import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { loadSchedules, Schedule } from '../../src/etl/project/settings/schedules.ts';
import { temporaryFolder } from '../support/temporary.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const operate = await readFile(join(DOCS, 'operate.md'), 'utf8');
const [, alerts = ''] = operate.split('\n## Alerts\n');

/** The first block of YAML on a page. */
const yamlOf = (page: string): string => String(/^```yaml\n([\s\S]*?)^```$/m.exec(page)?.[1]);

test('the schedules.yaml of the page is valid, and shows every key', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'schedules.yaml'), yamlOf(operate));
  const [schedule] = await loadSchedules(folder, ['crawl_pages', 'crawl_links']);
  expect(Object.keys(schedule ?? {}).sort()).toEqual(Object.keys(Schedule.shape).sort());
});

test('the alert settings of the page are valid, and show every key', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'crawlhouse.yaml'), yamlOf(alerts).replace('…', 'x'));
  const settings = await loadSettings(folder, {});
  const shown = yamlOf(alerts).match(/^ {2}\w+(?=:)/gm);
  expect(shown?.map((key) => key.trim())).toEqual([
    ...Object.keys(settings.alerts),
    ...Object.keys(settings.volume_check),
  ]);
});
