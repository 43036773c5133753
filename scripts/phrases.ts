import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Fails where a page, or the header of an issue, has a phrase of the first table of `docs/style.md`, and prints what to
 * write instead. Code, links and blocks are left out. `npm run lint` runs it.
 */
const ROOT = join(import.meta.dirname, '..');
const STYLE = 'docs/style.md';

interface Phrase {
  readonly phrase: string;
  readonly replacement: string;
}

interface Finding extends Phrase {
  readonly line: number;
}

/** The table below the heading of phrases: a phrase, or several with commas between, and the replacement. */
export function phrasesOf(style: string): Phrase[] {
  const [, table = ''] = /^## Phrases that lint rejects\n[^|#]*\n((?:\|.*\n)+)/m.exec(style) ?? [];
  const rows = [...table.matchAll(/^\| (.*?) +\| (.*?) +\|$/gm)].slice(2);
  return rows.flatMap(([, phrases = '', replacement = '']) =>
    phrases.split(', ').map((phrase) => ({ phrase, replacement })),
  );
}

/** A phrase may go over the end of a line, and is found at the line where it begins. */
export function findingsIn(prose: string, phrases: readonly Phrase[]): Finding[] {
  return phrases
    .flatMap(({ phrase, replacement }) => {
      const words = new RegExp(`\\b${phrase.split(' ').map(RegExp.escape).join('\\s+')}\\b`, 'gi');
      return [...prose.matchAll(words)].map(({ index }) => ({
        line: prose.slice(0, index).split('\n').length,
        phrase,
        replacement,
      }));
    })
    .toSorted((a, b) => a.line - b.line);
}

/** A page without its code and the targets of its links; lines keep their numbers. */
export function proseOf(page: string): string {
  // No white space, which words of a phrase may have between them.
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, '~');
  return page
    .replaceAll(/^(```|~~~)[\s\S]*?^\1.*$|^ {4}\S.*$/gm, blank)
    .replaceAll(/`[^`]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank);
}

function textsToRead(): Map<string, string> {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
    .map((name) => `docs/${name}`);
  const issues = readdirSync(join(ROOT, 'sql', 'issues')).map((name) => `sql/issues/${name}`);
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docs];
  const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
  return new Map([
    // The tables of the page about style name the phrases.
    ...pages.map(
      (name) => [name, proseOf(name === STYLE ? read(name).replaceAll(/^\|.*$/gm, '') : read(name))] as const,
    ),
    ...issues.map((name) => [name, /^\/\*[\s\S]*?\*\//.exec(read(name))?.[0] ?? ''] as const),
  ]);
}

if (import.meta.main) {
  const phrases = phrasesOf(readFileSync(join(ROOT, STYLE), 'utf8'));
  const lines = [...textsToRead()].flatMap(([name, text]) =>
    findingsIn(text, phrases).map(
      ({ line, phrase, replacement }) => `${name}:${line}: "${phrase}": write ${replacement}\n`,
    ),
  );
  process.stdout.write(`${lines.join('')}${phrases.length} phrases looked for, ${lines.length} found\n`);
  if (lines.length > 0 || phrases.length === 0) process.exitCode = 1;
}
