import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { referencePages } from '../../scripts/reference.ts';
import { GLOBAL_FLAGS } from '../../src/app/cli/command.ts';
import { allCommands } from '../../src/app/cli/commands.ts';

const COMMANDS = await allCommands();
const ROOT = join(import.meta.dirname, '..', '..');
const DECISIONS = join(ROOT, 'docs', 'decisions');

interface Page {
  /** Below the root, such as `docs/query.md`. */
  readonly name: string;
  readonly text: string;
}

const pages: readonly Page[] = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter((name) => existsSync(join(ROOT, name))),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
    .map((name) => join('docs', name)),
].map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));
/** Those that `npm run docs` writes, as it would write them now. */
const built: readonly Page[] = Object.entries(await referencePages()).map(([name, text]) => ({
  name: join('docs', 'reference', name),
  text,
}));

const all = [...pages, ...built];

/** What links may name on a page: its headings as GitHub names them, and anchors of its own. */
function anchorsOf(page: Page | undefined): ReadonlySet<string> {
  const text = page?.text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '') ?? '';
  const found = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name));
  for (const [, heading = ''] of text.matchAll(/^#+ (.*)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    let name = slug;
    for (let more = 1; found.has(name); more++) name = `${slug}-${more}`;
    found.add(name);
  }
  return found;
}

/** Code within a line: what stands between backticks, outside of blocks. */
function spansOf({ text }: Page): string[] {
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
}

/** Made by `npm run docs`, and in no clone. */
const MADE = 'docs/reference/';
/** Paths of a reader's own project, in examples. */
const EXAMPLES = ['sql/mart/slow_pages.sql', 'sql/filters/deep_articles.sql', 'sql/cases', 'service/token'];

/** Every line that calls the program, in blocks and in spans. */
function callsOf(page: Page): string[] {
  const blocks = [...page.text.matchAll(/^```[\s\S]*?^```|^ {4}\S.*$/gm)].flatMap(([block]) =>
    block.split('\n'),
  );
  const lines = blocks.map((line) => line.replace(/^\s*\$?\s*(npx )?/, ''));
  return [...lines, ...spansOf(page).map((span) => span.replace(/^npx /, ''))].filter((line) =>
    /^crawlhouse [a-z]/.test(line),
  );
}

const everySource = readdirSync(ROOT, { recursive: true, encoding: 'utf8', withFileTypes: false })
  .filter((name) => /^((src|test|scripts|sql)\/.*\.(ts|sql)|tsconfig\.json|package\.json)$/.test(name))
  .map((name) => readFileSync(join(ROOT, name), 'utf8'))
  .join('\n');
const scripts = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);
const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

describe.each(all)('$name', (page) => {
  test('every link leads to a file, and to a heading in it', () => {
    const links = [...page.text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const broken = links.filter((link) => {
      if (/^(https?:|mailto:)/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const name = path === '' ? page.name : join(dirname(page.name), path);
      if (anchor === undefined || !name.endsWith('.md')) return !existsSync(join(ROOT, name));
      return !anchorsOf(all.find((one) => one.name === name)).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('a link that names a page leads to that page', () => {
    const links = [...page.text.matchAll(/\[([^\][]*\.md)\]\(([^)\s#]+)/g)];
    const astray = links.filter(([, shown = '', path = '']) => basename(shown) !== basename(path));
    expect(astray.map(([link]) => link)).toEqual([]);
  });

  test('a page has one title, at its top', () => {
    const lines = page.text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').split('\n');
    expect(lines.flatMap((line, index) => (line.startsWith('# ') ? [index] : []))).toEqual([0]);
  });

  test('every path names an existing file or folder', () => {
    const start = new RegExp(
      `^(src|test|docs|sql|scripts|schemas|pipelines|${folders.join('|')})/[\\w./-]*$`,
    );
    const missing = spansOf(page).filter((span) => {
      if (!start.test(span) || EXAMPLES.includes(span) || span === MADE) return false;
      return ![span, join('src', span), relative(ROOT, join(ROOT, dirname(page.name), span))].some((path) =>
        existsSync(join(ROOT, path)),
      );
    });
    expect(missing).toEqual([]);
  });

  test('every command and flag exists in the program', () => {
    const unknown = callsOf(page).flatMap((call) => {
      const words =
        call
          .split(/\s+(?:\||#|>|&&)\s?|…/)[0]
          ?.split(/\s+/)
          .slice(1) ?? [];
      const named = COMMANDS.filter((one) => {
        const name = one.name.split(' ');
        return name.every((word, index) => words[index] === word);
      });
      const command = named.toSorted((a, b) => b.name.length - a.name.length)[0];
      if (!command) return [call];
      const known = new Set([...Object.keys(GLOBAL_FLAGS), ...Object.keys(command.flags)]);
      const flags = words.flatMap((word) => /^\[?--([a-z][a-z-]*)/.exec(word)?.[1] ?? []);
      return flags.filter((flag) => !known.has(flag)).map((flag) => `--${flag} in ${call}`);
    });
    expect(unknown).toEqual([]);
  });

  test('every npm script is in package.json', () => {
    const named = [...page.text.matchAll(/npm run ([a-z][a-z:-]*)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  });

  test('every camelCase name exists in the code', () => {
    const names = spansOf(page).filter((span) => /^[a-z]+[A-Z]\w*(\(\))?$/.test(span));
    const stale = names.filter((name) => !new RegExp(`\\b${name.replace('()', '')}\\b`).test(everySource));
    expect(stale).toEqual([]);
  });
});

/** Files of other projects. */
const FOREIGN = ['dist/esm-loader.mjs'];

test('every file named in a comment or page exists', () => {
  const files = ['src', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const endings = new Set(
    [...files, ...readdirSync(ROOT)].flatMap((file) => {
      const parts = file.split('/');
      return parts.map((_, index) => parts.slice(index).join('/'));
    }),
  );
  const comments = files
    .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith('test/fuzz/corpus'))
    .map((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const lines = text.match(/^\s*(?:\/\/|\/?\*).*$|\s\/\/\s.*$/gm) ?? [];
      return { name: file, text: lines.join('\n') };
    });
  const missing = [...pages, ...comments].flatMap(({ name, text }) =>
    [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs))`/g)]
      .map(([, file = '']) => file.replace(/^\.\//, ''))
      .filter((file) => !endings.has(file) && !FOREIGN.includes(file))
      .map((file) => `${name} names ${file}, which is not there`),
  );
  expect(missing).toEqual([]);
});

test('the index lists every page and every decision', () => {
  const index = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8');
  const files = [
    ...readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md'),
    ...readdirSync(DECISIONS).map((name) => `decisions/${name}`),
  ];
  const missing = files.filter((name) => !index.includes(`](${name})`));
  expect(missing.map((name) => `docs/README.md has no link to docs/${name}`)).toEqual([]);
});

test('every page named in sources and pages exists', () => {
  const texts = [everySource, ...pages.map(({ text }) => text)].join('\n');
  const named = new Set(texts.match(/\bdocs\/[a-z-]+(?:\/[a-z0-9-]+)*\.md\b/g));
  expect(named.size).toBeGreaterThan(20);
  const known = built.map(({ name }) => name);
  expect([...named].filter((name) => !known.includes(name) && !existsSync(join(ROOT, name)))).toEqual([]);
});

test('generated pages are in the index with their location, and no page links to one by path', () => {
  const index = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8');
  const [, section = ''] = index.split('\n## Reference\n');
  expect(built.filter(({ name }) => !section.includes(`| \`${name.split('/').at(-1)}\``))).toEqual([]);
  expect(section).toContain('`npm run docs` writes them');
  // They are in no commit, so on a site that shows the repository such a link would lead nowhere.
  expect(pages.filter(({ text }) => /\]\([^)]*reference\//.test(text)).map(({ name }) => name)).toEqual([]);
});

test('there are at most 27 pages and 12 decisions', () => {
  const count = (folder: string): number => readdirSync(folder).filter((name) => name.endsWith('.md')).length;
  expect(count(join(ROOT, 'docs'))).toBeLessThanOrEqual(27);
  expect(count(DECISIONS)).toBeLessThanOrEqual(12);
});
