import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { seededRandom } from './random.ts';
import { temporaryFolder } from './temporary.ts';

/** Documents with links between them and the sections that faults are planted in. */
const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  architecture: ['Guarantees'],
  client: ['Filters'],
  console: ['Projects', 'Roles'],
  crawl: ['Resume', 'Lists'],
  crawler: ['Settings', 'Fields'],
  dbt: [],
  'decisions/answers': ['Charts'],
  'decisions/code': [],
  'decisions/crawler': [],
  'decisions/engines': ['Portable SQL'],
  'decisions/ledger': ['The shared ledger'],
  'decisions/libraries': [],
  'decisions/models': [],
  'decisions/operation': ['Secrets'],
  'decisions/rendering': [],
  'decisions/service': ['Stores'],
  'decisions/staging': [],
  'decisions/warehouse': ['The load', 'Quarantined units'],
  definitions: ['Pages', 'Links'],
  demand: [],
  errors: ['Doctor'],
  explore: ['Segments', 'Report'],
  'first-hour': ['An outage'],
  ledger: ['Discovery', 'Broken records'],
  'how-we-test': [],
  logs: [],
  models: ['Data tests'],
  operate: ['Alerts', 'Workers'],
  orchestrators: [],
  performance: [],
  query: ['Parquet in a bucket'],
  routes: ['Rejects'],
  sandbox: ['Log monitoring and ranking performance'],
  security: ['Uploads'],
  settings: [],
  trino: ['Set up'],
  warehouse: ['The six counts'],
};
const WORDS =
  'crawl page link unit row column table schedule bucket alert model answer status header robots sitemap folder file name day'.split(
    ' ',
  );
const VERBS = 'loads counts checks keeps compares writes reads shows removes publishes'.split(' ');
const SENTENCES = 60;

/**
 * A folder of documents that no editor changes: each page of the demo's site has text of its own, and every document is
 * linked from two others.
 */
export async function demoDocuments(): Promise<string> {
  const folder = await temporaryFolder();
  const random = seededRandom(7);
  const names = Object.keys(DOCUMENTS);
  const any = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? '';
  const text = (): string =>
    Array.from(
      { length: SENTENCES },
      () => `The ${any(WORDS)} of the ${any(WORDS)} ${any(VERBS)} a ${any(WORDS)} and each ${any(WORDS)}.`,
    ).join(' ');
  for (const [index, name] of names.entries()) {
    const links = [1, 5].map((step) => names[(index + step) % names.length]).map((to) => `[${to}](${to}.md)`);
    const sections = (DOCUMENTS[name] ?? []).map((heading) => `## ${heading}\n\n${text()}\n`);
    const file = join(folder, `${name}.md`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(
      file,
      `# About ${name.replaceAll(/[/-]/g, ' ')}\n\n${text()} ${links.join(', ')}\n\n${sections.join('\n')}`,
    );
  }
  return folder;
}
