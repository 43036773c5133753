import {
  type Block,
  type Kind,
  type Link,
  section,
  tableOf,
  type Value,
} from '../../src/project/model/shown/blocks.ts';
import { HOSTILE } from './console-project.ts';

/** Values of each kind as they may come from anywhere: markup, control characters, a mark that turns text around. */
const VALUES: Readonly<Record<Kind, Value>> = {
  text: HOSTILE,
  code: '\u001b[31m\u202e`<b>\r\n\t',
  status: '<i>failed',
  count: 2n ** 53n + 1n,
  bytes: 49_000_000,
  duration: 61.4,
  age: 3 * 86_400,
  time: '2026-11-21T06:00:00.000Z',
};

const LINKS: { readonly [K in Link['to']]: Link & { readonly to: K } } = {
  unit: { to: 'unit', unit: 'crawl_pages/"<c1>' },
  run: { to: 'run', run_id: '"><b>' },
  project: { to: 'project', project_id: '../a?b#c' },
  crawl: { to: 'crawl', crawl_id: "c'1", ended_at: null },
};

const kinds = Object.keys(VALUES) as Kind[];
const links = Object.values(LINKS);

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
      { name: 'none', of: () => null },
      { name: 'empty', of: () => '' },
    ],
    [0],
    { cause: { name: 'cause', of: () => [HOSTILE, { value: HOSTILE, link: LINKS.unit }] } },
  ),
  problems: {
    is: 'problems',
    problems: [{ title: HOSTILE, began: null, details: [HOSTILE, 'b', 'c'], todo: [HOSTILE] }],
  },
  next: { is: 'next', command: `pages ${HOSTILE}` },
};
