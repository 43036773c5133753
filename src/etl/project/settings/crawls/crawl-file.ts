import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Document, isMap, isScalar } from 'yaml';
import { z } from 'zod';
import { CrawlConfigInput } from '../../../../client/resources/crawl-configs.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../../core/files/make-folder.ts';
import { readText } from '../../../../core/files/read-text.ts';
import { Semaphore } from '../../../../core/queue/semaphore.ts';
import { documentToChange } from '../../../../core/text/parse-yaml.ts';
import { keepSecrets } from '../keep-secrets.ts';
import { checkYaml, type YamlSource, yamlSource } from '../yaml-file.ts';

const FOLDER = 'crawls';

/** The settings of a website's crawls: `crawls/<host>.yaml`, and the file of `crawl --config` (docs/crawl.md). */
export const CrawlFile = CrawlConfigInput.partial({
  name: true,
  start_url: true,
  user_agent: true,
  max_speed: true,
}).extend({
  sites: z
    .array(z.string().refine(isSite, 'an http or https URL is expected'))
    .optional()
    .meta({
      title: 'More domains',
      description: 'Start URLs on other domains, which then belong to the site.',
    }),
  recheck: z
    .int()
    .min(0)
    .max(999_999_999)
    .optional()
    .meta({
      title: 'Rechecked URLs',
      description:
        'The maximum number of known URLs to request at the end if the crawl did not find them; 0: none.',
    }),
  vitals: z
    .union([z.int().min(0).max(999_999_999), z.literal('all')], { error: 'a number or all is expected' })
    .optional()
    .meta({
      title: 'Web vitals',
      description: 'Number of pages of each template to measure with Lighthouse, or all. 0 measures none.',
      'x-example': 'all',
    }),
});
export type CrawlFileKeys = z.output<typeof CrawlFile>;

/** Adds a missing scheme. */
export function withScheme(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

function isSite(text: string): boolean {
  return /^https?:$/.test(URL.parse(withScheme(text))?.protocol ?? '');
}

/** A checked file, and the origin of its keys. */
export interface CrawlFileContent {
  readonly keys: CrawlFileKeys;
  readonly source: YamlSource;
}

/** Returns the path of a website's file in the project folder. A port follows `_`, because Windows allows no colon. */
export function crawlFileOf(startUrl: string): string {
  return `${FOLDER}/${new URL(startUrl).host.replaceAll(':', '_')}.yaml`;
}

/**
 * Returns the text of a website's file, or null if there is none.
 *
 * @throws CrawlhouseError `bad_settings`
 */
export async function crawlFileText(projectDir: string, startUrl: string): Promise<string | null> {
  const path = join(projectDir, crawlFileOf(startUrl));
  return existsSync(path) ? readText(path) : null;
}

/**
 * Checks the text of a crawl settings file.
 *
 * @throws CrawlhouseError `code` naming file, line, key and valid values
 */
export function checkCrawlText(
  text: string,
  file: string,
  code: 'bad_settings' | 'usage' = 'bad_settings',
): CrawlFileContent {
  const source = yamlSource(text, file, code);
  keepSecrets(source.value);
  return { keys: checkYaml(CrawlFile, source, code), source };
}

/** Identifies a state of a file, so that a form does not overwrite the changes of another person; null: no file. */
export function stampOf(text: string | null): string {
  return text === null ? '' : hash('sha256', text).slice(0, 16);
}

/** A value by its keys; undefined removes the key. */
export type CrawlFileChange = readonly [path: readonly string[], value: unknown];

/** Returns the text of a file with changed keys. Comments and other keys stay. */
export function changedCrawlText(text: string, changes: readonly CrawlFileChange[]): string {
  if (changes.length === 0) return text;
  const parsed = documentToChange(text);
  // A lone null has no keys to keep.
  const document = parsed.contents === null || isMap(parsed.contents) ? parsed : documentToChange('');
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents.flow = false;
  for (const [path, value] of changes) {
    const parents = path.slice(0, -1);
    if (value === undefined) {
      if (!document.hasIn(path)) continue;
      keepHead(document, path);
      document.deleteIn(path);
      const parent = document.getIn(parents);
      if (parents.length > 0 && isMap(parent) && parent.items.length === 0) {
        keepHead(document, parents);
        document.deleteIn(parents);
      }
      continue;
    }
    if (parents.length > 0 && document.hasIn(parents) && !isMap(document.getIn(parents)))
      document.deleteIn(parents);
    // A replaced scalar keeps the comment on its line.
    const isPlain = isScalar(document.getIn(path, true)) && (value === null || typeof value !== 'object');
    document.setIn(path, isPlain ? value : document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}

/** Keeps the comment at the head of a file, which belongs to its first key, if this key is removed. */
function keepHead(document: Document, path: readonly string[]): void {
  const first = isMap(document.contents) ? document.contents.items[0]?.key : null;
  if (path.length > 1 || !isScalar(first) || first.value !== path[0] || !first.commentBefore) return;
  document.commentBefore = [document.commentBefore, first.commentBefore].filter(Boolean).join('\n');
}

/** Serializes changes. Otherwise, the later of two concurrent changes would undo the other. */
const writing = new Semaphore(1);

/**
 * Writes the file of a website.
 *
 * @param stamp the state of the file that `text` was made from
 * @throws CrawlhouseError `locked` if the file has changed since
 */
export async function writeCrawlFile(
  projectDir: string,
  startUrl: string,
  text: string,
  stamp: string,
): Promise<void> {
  const file = crawlFileOf(startUrl);
  await writing.run(async () => {
    const former = await crawlFileText(projectDir, startUrl);
    if (stampOf(former) !== stamp)
      throw new CrawlhouseError('locked', `${file} has changed since this form was opened`, {
        hint: 'compare the form with the file, and save it again to replace these values',
      });
    const path = join(projectDir, file);
    makeFolder(dirname(path));
    // It may contain passwords.
    await writeFileAtomic(path, text, former === null ? 0o600 : undefined);
  });
}
