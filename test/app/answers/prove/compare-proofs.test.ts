import { expect, test } from 'vitest';
import { compareProofs, Proof, type ProvenLoad } from '../../../../src/app/answers/prove/proof.ts';
import { capture } from '../../cli/capture.ts';

const load = (unit: string, more: Partial<ProvenLoad> = {}): ProvenLoad => ({
  ...{ unit, dataset: 'crawl_pages', project_id: 'p', loaded_at: '2026-03-01', reported: null, received: 2 },
  ...{ staged: 2, rejected: 0, loaded: 2, queryable: 2, content_sha256: null, fingerprint: '7', ...more },
});
const proof = (loads: readonly ProvenLoad[], sha256 = 'a'): Proof => ({
  ...{ version: 1, figure: 'sql', proved_at: '2026-03-01', crawlhouse: '1', definitions: 'd', sql: 'SELECT 1' },
  ...{ publication: { id: 'p', published_at: null }, parameters: {}, tables: [], loads: [...loads], days: [] },
  answer: { columns: [], total: 1, rows: [[1]], sha256 },
});

test.each([
  ['equal loads', [load('u', { loaded_at: '2026-04-01' })], []],
  ['a missing load', [], [{ what: 'load', unit: 'u', state: 'missing' }]],
  ['other rows', [load('u', { fingerprint: '8' })], [{ what: 'load', unit: 'u', state: 'changed' }]],
  ['no fingerprint', [load('u', { fingerprint: null })], []],
  ['other counts', [load('u', { fingerprint: null, loaded: 3 })], [{ what: 'load', unit: 'u', state: 'changed' }]],
  ['more loads', [load('u'), load('v')], []],
])('with the same answer and %s, only the loads of the proof count', (_name, loads, differences) => {
  const checked = compareProofs(proof([load('u')]), { ...proof(loads), definitions: 'other' });
  expect(checked).toEqual({ equal: differences.length === 0, differences });
});

test('another answer comes first, with what may explain it', () => {
  const now = { ...proof([load('u'), load('v')], 'b'), definitions: 'e' };
  expect(compareProofs(proof([load('u')]), now)).toEqual({
    equal: false,
    differences: [
      { what: 'answer', then: '1 row, SHA-256 a', now: '1 row, SHA-256 b' },
      { what: 'load', unit: 'v', state: 'added' },
      { what: 'definitions', then: 'd', now: 'e' },
    ],
  });
});

test('a proof is a document of its schema', () => {
  expect(Proof.parse(proof([load('u')]))).toEqual(proof([load('u')]));
});

test.each([[[]], [['issue:noindex', '--check', 'x.json']]])('prove %j is a usage error', async (argv) => {
  const { code, stderr } = await capture('prove', ...argv);
  expect([code, stderr]).toEqual([2, expect.stringContaining('either a figure or --check FILE')]);
});
