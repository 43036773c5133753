import { expect, test } from 'vitest';
import { lineMarks } from '../../../src/site/access-logs/text-digest.ts';
import { seededRandom } from '../../support/random.ts';

function markOf(key: string, line: string, before = ''): number {
  const bytes = Buffer.from(before + line, 'latin1');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return lineMarks(key)(view, before.length, bytes.length);
}

const LINE = '203.0.113.7 - - [01/Oct/2026:00:00:01 +0000] "GET /a HTTP/1.1" 200 12 "-" "Mozilla/5.0"';

test('the hash of a line depends only on its text and the key', () => {
  for (let before = 0; before < 9; before++)
    expect(markOf('a key', LINE, 'x'.repeat(before))).toBe(markOf('a key', LINE));
  expect(markOf('another key', LINE)).not.toBe(markOf('a key', LINE));
});

test('lines that differ in few characters, in length or in their last bytes have different hashes', () => {
  const random = seededRandom(7);
  const lines = new Set<string>([LINE]);
  for (let length = 0; length < LINE.length; length++) lines.add(LINE.slice(0, length));
  while (lines.size < 20_000) {
    const changed = Buffer.from(LINE, 'latin1');
    for (let change = 0; change < 2; change++)
      changed[Math.floor(random() * changed.length)] = 32 + Math.floor(random() * 224);
    lines.add(changed.toString('latin1'));
  }
  const marks = [...lines].map((line) => markOf('a key', line));
  expect(new Set(marks).size).toBe(lines.size);
  expect(marks.every(Number.isSafeInteger)).toBe(true);
});
