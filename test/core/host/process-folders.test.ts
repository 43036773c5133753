import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { host, processScope, processStart } from '../../../src/core/host/host.ts';
import { packageVersion } from '../../../src/core/host/package-version.ts';
import { processFolderName, removeDeadFolders } from '../../../src/core/host/process-folders.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Linux assigns no higher id than 4,194,304. */
const NO_PROCESS = 4_194_305;
const WEEK_MS = 7 * 86_400_000;

test('only folders of dead processes, and old ones of other machines, are removed', async () => {
  const place = await temporaryFolder();
  const [ours, others] = [processScope(), '0123456789ab'];
  const living = [
    processFolderName('q-'),
    `q-${ours}-${process.pid}-unknown-a`,
    `q-${others}-${NO_PROCESS}-7-recent`,
    `q-${NO_PROCESS}-7-recent`,
    `p-${ours}-${NO_PROCESS}-7-other`,
    'q-notes',
  ];
  const dead = [
    `q-${ours}-${NO_PROCESS}-7-a`,
    `q-${ours}-${NO_PROCESS}-unknown-b`,
    `q-${ours}-${process.pid}-7-later-process`,
    `q-${others}-${process.pid}-7-old`,
    `q-${process.pid}-7-old`,
  ];
  for (const name of [...living, ...dead]) mkdirSync(join(place, name, 'content'), { recursive: true });
  const age = (name: string, ms: number): void => {
    const date = new Date(Date.now() - ms);
    utimesSync(join(place, name), date, date);
  };
  for (const name of [...living, ...dead])
    age(name, name.endsWith('-recent') ? WEEK_MS - 60_000 : WEEK_MS + 60_000);
  removeDeadFolders(place, 'q-');
  expect(readdirSync(place).sort()).toEqual(living.toSorted());
  removeDeadFolders(join(place, 'missing'), 'q-');
});

test.runIf(process.platform === 'linux')('the start of a process distinguishes it from a later one', () => {
  expect(processStart(process.pid)).toMatch(/^\d+$/);
  expect(processStart(process.pid)).not.toBe(processStart(1));
  expect(processStart(NO_PROCESS)).toBe(null);
});

test('a sleep ends with its signal', async () => {
  await host().sleep(0);
  await expect(host().sleep(60_000, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});

test('the version is that of the package', async () => {
  expect(await packageVersion()).toBe(manifest.version);
});
