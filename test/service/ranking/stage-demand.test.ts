import { expect, test } from 'vitest';
import { stageDemand } from '../../../src/service/ranking/stage-demand.ts';
import type { DemandExport, DemandRecord } from '../../../src/site/search-data/demand-row.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const ROW = {
  date: '2026-11-01',
  query: null,
  device: null,
  country: null,
  clicks: 1n,
  impressions: 2n,
  position: 3,
  isAnonymized: false,
};

test('an interruption is handled while rows arrive from memory', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  let read = 0;
  const source: DemandExport = {
    format: 'search_console_api',
    engine: 'google',
    files: ['a.json'],
    hash: 'a',
    period: null,
    notes: [],
    tables: [
      {
        place: 'a.json',
        dimensions: ['date', 'url'],
        async *records(): AsyncGenerator<DemandRecord> {
          for (; read < 20_000_000; read++) yield { row: { ...ROW, url: `https://e.example/${read}` } };
        },
      },
    ],
  };
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('stopped')), 50);
  const options = { onReject: 'fail', isOwnHost: () => true } as const;
  await expect(stageDemand(connection, source, options, controller.signal)).rejects.toThrow('stopped');
  expect(read).toBeLessThan(20_000_000);
});
