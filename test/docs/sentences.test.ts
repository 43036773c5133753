import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** The pages that a person reads first: README, the index, and the first page of each of its four readers. */
const FIRST = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/README.md',
  'docs/first-hour.md',
  'docs/warehouse.md',
  'docs/client.md',
  'docs/crawl.md',
  'docs/settings.md',
];
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
  .map((name) => join('docs', name));
const MOST_WORDS = { first: 25, other: 35 };

/** Sentences of the prose, without blocks, tables, headings and what is in brackets; a link is its words. */
function sentencesOf(name: string): string[] {
  const prose = readFileSync(join(ROOT, name), 'utf8')
    .replaceAll(/^(```|~~~)[\s\S]*?^\1.*$/gm, '\n')
    .replaceAll(/^(\||#| {4,}\S).*$/gm, '\n')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\*\*[^*]+[.:]\*\*|\*\*|<a [^>]*><\/a>/g, '')
    .replaceAll(/\s*\([^()]*\)/g, '');
  return prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .flatMap((block) => block.split(/(?<=[.!?:;])\s+(?=[A-Z`"(])|(?<=[.!?])\s| · /))
    .filter((sentence) => sentence !== '');
}

/** Words and forms that a reader has to read twice. */
const RIDDLES: readonly RegExp[] = [
  // A clause as a subject.
  /^(What|Whatever|Whoever|Who) [^?:]*\.$/,
  /^(So|Neither|Nor) (is|are|does|do|was|were) /,
  /\b(is|are|was|were) (told (of|apart)|passed over|heard of)\b|\bat hand\b|\bnobody asked\b|\bwhoever\b/i,
  /\b(Beside|Besides) (it|them|that) (stands?|is|are|comes?)\b/,
];
/** A time or a ratio that was measured. */
const MEASURED = [
  /\b(takes?|took|saves?|costs?|starts? in)\b(?:(?!at most|at least|longer than|for)[^.;]){0,40}?\b\d[\d.,]* (ms|s|seconds?|minutes?)\b/,
  /\b\d[\d.,]* times (as|slower|faster|quicker)\b/,
];

describe.each([...new Set([...FIRST, ...pages])])('%s', (name) => {
  const sentences = sentencesOf(name);

  test('no sentence is too long', () => {
    const most = FIRST.includes(name) ? MOST_WORDS.first : MOST_WORDS.other;
    // A list of names is no sentence.
    const wordsOf = (sentence: string): string[] =>
      sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word) && !/^"?code\b/.test(word));
    expect(sentences.filter((sentence) => wordsOf(sentence).length > most)).toEqual([]);
  });

  test('no sentence is a riddle', () => {
    expect(sentences.filter((sentence) => RIDDLES.some((riddle) => riddle.test(sentence)))).toEqual([]);
  });

  test.skipIf(name === 'docs/performance.md')('measured times are only on the performance page', () => {
    expect(sentences.filter((sentence) => MEASURED.some((one) => one.test(sentence)))).toEqual([]);
  });
});
