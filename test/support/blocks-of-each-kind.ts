import {
  type Block,
  type Kind,
  type Link,
  section,
  tableOf,
  type Value,
} from '../../src/app/answers/presentation/blocks.ts';
import { HOSTILE } from './console-project.ts';

/** Values of each kind as they may come from anywhere: markup, control characters, a mark that turns text around. */
const VALUES: Readonly<Record<Kind, Value>> = {
  text: HOSTILE,
  code: '\u001b[31m\u202e`<b>\r\n\t',
  status: '<i>failed',
  severity: '<i>high',
  count: 2n ** 53n + 1n,
  bytes: 49_000_000,
  duration: 61.4,
  age: 3 * 86_400,
  time: '2026-11-21T06:00:00.000Z',
  weight: 40,
};

const LINKS: { readonly [K in Link['to']]: Link & { readonly to: K } } = {
  unit: { to: 'unit', unit: 'crawl_pages/"<c1>' },
  run: { to: 'run', run_id: '"><b>' },
  project: { to: 'project', project_id: '../a?b#c' },
  url: { to: 'url', project_id: '"p', url: 'https://x.example/?"<b>', crawl_id: 'c&1' },
  web: { to: 'web', address: 'javascript:"<b>' },
  pages: { to: 'pages', project_id: '"p', parts: { issue: '"<b>', crawl: null } },
  crawl: { to: 'crawl', crawl_id: "c'1", ended_at: null },
};

const kinds = Object.keys(VALUES) as Kind[];
const links = Object.values(LINKS);

const TABLE = tableOf(
  HOSTILE,
  [
    { name: 'day', of: ({ day }: { readonly day: string }) => day },
    { name: HOSTILE, of: () => 1 },
  ],
  [{ day: '2026-11-20' }, { day: '2026-11-21' }],
);

/** A block of each kind; one that has no example here does not compile. */
export const BLOCKS: { readonly [K in Block['is']]: Block & { readonly is: K } } = {
  section: section(`Part ${HOSTILE}`, { is: 'next', command: 'inner' }),
  line: {
    is: 'line',
    words: ['Line ', ...kinds.map((kind) => ({ value: VALUES[kind], kind })), { value: null }],
    tone: 'plain',
  },
  facts: {
    is: 'facts',
    title: null,
    facts: [[HOSTILE, null], ...kinds.map((kind) => [kind, { value: VALUES[kind], kind }] as const)],
  },
  table: tableOf(
    HOSTILE,
    [
      ...kinds.map((kind) => ({ name: `${kind} ${HOSTILE}`, kind, of: () => VALUES[kind] })),
      ...links.map((link) => ({ name: link.to, of: () => ({ value: HOSTILE, link }) })),
      { name: 'sentence', of: () => [HOSTILE, { value: HOSTILE, tone: 'after' }] },
      { name: 'trend', of: () => ({ value: 3, trend: { label: HOSTILE, values: [1, null, 3] } }) },
      { name: `for commands ${HOSTILE}`, only: 'terminal', of: () => HOSTILE },
      { name: `for browsers ${HOSTILE}`, only: 'browser', of: () => HOSTILE },
      { name: 'none', of: () => null },
      { name: 'empty', of: () => '' },
    ],
    [0],
    {
      cause: { name: 'cause', of: () => [HOSTILE, { value: HOSTILE, link: LINKS.unit }] },
      beside: () => ({ panel: { blocks: [TABLE], isOpen: true }, below: [HOSTILE, null] }),
    },
  ),
  problems: {
    is: 'problems',
    problems: [{ title: HOSTILE, began: null, details: [HOSTILE, 'b', 'c'], todo: [HOSTILE] }],
  },
  next: { is: 'next', command: `pages ${HOSTILE}` },
  chart: { is: 'chart', label: HOSTILE, table: TABLE, lines: [HOSTILE], command: HOSTILE },
  folded: { is: 'folded', title: HOSTILE, blocks: [TABLE], command: HOSTILE },
  chosen: { is: 'chosen', parts: [{ text: HOSTILE, without: LINKS.pages }] },
  preview: {
    is: 'preview',
    address: HOSTILE,
    title: { value: HOSTILE, tone: 'bad' },
    text: { value: HOSTILE, tone: 'before' },
  },
};
