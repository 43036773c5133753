import { expect, test } from 'vitest';
import { decodeSample, TextSample } from '../../../../../src/site/crawler/parse/text/text-sample.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';

test('a sample is written with four bytes per pair and two per block, and read back', () => {
  const random = seededRandom(testSeed());
  const sample = new TextSample().clear();
  const pairs = Array.from({ length: 100 }, () => Math.floor(random() * 2 ** 32));
  for (const pair of pairs) sample.add(pair | 0, pair | 0);
  sample.endBlock();
  const text = sample.encoded();
  const bytes = Buffer.from(text, 'base64');
  const read = decodeSample(text);
  expect([...read.pairs]).toEqual([...new Set(pairs)].sort((a, b) => a - b));
  expect(new Set(read.blocks).size).toBe(1);
  for (const [at, pair] of read.pairs.entries()) {
    expect(bytes.readUInt32BE(at * 6)).toBe(pair);
    expect(bytes.readUInt16BE(at * 6 + 4)).toBe(read.blocks[at]);
  }
});
