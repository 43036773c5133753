import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { checkPlainFile } from '../../../core/files/read-text.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { Letterhead } from './report-page.ts';

const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.gif': 'gif',
  '.webp': 'webp',
  '.svg': 'svg+xml',
};
const LARGEST_LOGO = 500_000;

export interface LetterheadSettings {
  readonly projectDir: string;
  /** The logo is the path of a file. */
  readonly report: Pick<Letterhead, 'client' | 'author' | 'logo'>;
}

/** @throws CrawlhouseError `bad_settings` for a logo that reports do not support */
export async function readLetterhead(settings: LetterheadSettings): Promise<Letterhead> {
  return { ...settings.report, logo: await logoAddress(settings) };
}

async function logoAddress({
  projectDir,
  report: { logo },
}: LetterheadSettings): Promise<string | undefined> {
  if (logo === undefined) return undefined;
  const type = lookUp(LOGO_TYPES, extname(logo).toLowerCase());
  const refuse = (why: string, cause?: unknown): CrawlhouseError =>
    new CrawlhouseError('bad_settings', `crawlhouse.yaml: report.logo: ${logo} ${why}`, {
      cause,
      hint: `use an image of at most 500 kB: ${Object.keys(LOGO_TYPES).join(', ')}`,
    });
  if (type === undefined) throw refuse('is not an image that a report supports');
  const path = resolve(projectDir, logo);
  const bytes = await checkPlainFile(path, Number.POSITIVE_INFINITY)
    .then(() => readFile(path))
    .catch((cause: unknown) => {
      throw refuse('cannot be read', cause);
    });
  if (bytes.length > LARGEST_LOGO) throw refuse('is too large');
  return `data:image/${type};base64,${bytes.toString('base64')}`;
}
