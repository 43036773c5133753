import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { openLedger, readLedger } from '../../../src/etl/state/ledger/open-ledger.ts';
import { Reserve } from '../../../src/etl/state/ledger/reserve.ts';
import { crawlhouse, differences, rawProjectFolder, sandboxFor } from '../../support/project.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const DATASETS = ['crawl_pages', 'crawl_links'];
/** Megabytes of the disk that holds the state, run by run: it is full at another point each time. */
const SIZES = [1, 3, 6, 10, 16, 24, 34, 46];
const ENOUGH = 300;
const reason = noSmallDisk();

test.skipIf(reason !== null)(
  `a full disk anywhere in a run ends it with 3; with space it continues${reason === null ? '' : ` (skipped: ${reason})`}`,
  async () => {
    const sandbox = await sandboxFor({
      generate: ['projects=1,crawls=2,pages=8000,links=60000,columns=40,seed=6'],
    });
    const undisturbed = await rawProjectFolder();
    expect((await crawlhouse(undisturbed, sandbox, ['run', ...DATASETS])).status).toBe(0);

    const folder = await rawProjectFolder();
    const disk = await smallDisk(SIZES[0] ?? 1);
    const environment = { CRAWLHOUSE_STATE_DIR: disk.path };
    const ends: string[] = [];
    for (const size of SIZES) {
      disk.resize(size);
      const { status, stderr } = await crawlhouse(folder, sandbox, ['run', ...DATASETS], environment);
      ends.push(`${size} MB: ${status} ${stderr.split('\n').find((line) => line.startsWith('Error')) ?? ''}`);
      expect([size, status, stderr]).toEqual([
        size,
        expect.toBeOneOf([0, 3]),
        expect.not.stringContaining('    at '),
      ]);
      const said = await crawlhouse(folder, sandbox, ['status'], environment);
      expect([size, said.status, said.stdout, said.stderr]).toEqual([
        size,
        0,
        expect.not.stringMatching(/killed|cut off/),
        '',
      ]);
      if (status === 3) {
        const [hint] = /Try: .* disk .*/.exec(stderr.replaceAll(/\n {2,}/g, ' ')) ?? [];
        expect([size, hint, stderr]).toEqual([
          size,
          expect.stringContaining(`${disk.path} (state_dir)`),
          expect.any(String),
        ]);
      }
    }
    process.stdout.write(`${ends.join('\n')}\n`);
    expect(ends.filter((end) => end.includes('MB: 3')).length).toBeGreaterThan(3);
    expect(ends).toEqual(ends.map(() => expect.not.stringContaining('Stack overflow')));

    disk.resize(ENOUGH);
    const last = await crawlhouse(folder, sandbox, ['run', ...DATASETS], environment);
    expect([last.status, last.stderr]).toEqual([0, expect.any(String)]);
    const connection = await temporaryConnection(await temporaryFolder());
    for (const dataset of DATASETS)
      expect([dataset, await differences(connection, undisturbed, folder, dataset)]).toEqual([dataset, 0n]);
    expect(readdirSync(join(disk.path, 'packages'))).toEqual([]);
  },
);

test.skipIf(reason !== null)(
  `a run records its end on a full disk, so it does not count as killed${reason === null ? '' : ` (skipped: ${reason})`}`,
  async () => {
    const disk = await smallDisk(2);
    const settings = { state_dir: disk.path, projectDir: disk.path };
    const signal = new AbortController().signal;
    const summary = { units: {}, rows: 0, error: 'x'.repeat(20_000), errors: 1 };
    {
      await using ledger = await openLedger(settings, 'run', silentLogger, signal);
      using reserve = new Reserve(disk.path);
      await ledger.startRun('r', 'run', '2026-11-01T00:00:00.000Z');
      // The disk takes what fits.
      expect(() => writeFileSync(join(disk.path, 'other'), Buffer.alloc(4_000_000))).toThrow('ENOSPC');
      const end = () => ledger.endRun('r', 'failed', '2026-11-01T00:01:00.000Z', summary);
      await expect(end()).rejects.toThrow('full');
      await reserve.spend(end);
    }
    await using read = await readLedger(settings);
    expect(await read?.runs()).toMatchObject([{ status: 'failed', summary }]);
  },
);
