import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { StagedName } from './staged-files.ts';

/** Empty: not given. */
const Given = z.string();
const Of = { file: StagedName, site: Given };

/** An operator's request to add an uploaded file, or to take it back. */
export const UploadAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('logs-add'), ...Of, format: Given, time_zone: Given }),
  z.strictObject({
    action: z.literal('demand-add'),
    ...Of,
    from: Given,
    to: Given,
    date_order: Given,
    decimal: Given,
  }),
  z.strictObject({ action: z.literal('logs-remove'), ...Of }),
  z.strictObject({ action: z.literal('demand-remove'), ...Of }),
]);
export type UploadAction = Typed<typeof UploadAction>;

/** The fields that change how a file is read, by the action. */
export const READING_FIELDS = {
  'logs-add': ['format', 'time_zone'],
  'demand-add': ['from', 'to', 'date_order', 'decimal'],
} as const;

/** @throws CrawlhouseError `usage` */
export function readUpload(fields: URLSearchParams): UploadAction {
  const action = fields.get('action') ?? '';
  const options: readonly string[] =
    action === 'logs-add' || action === 'demand-add' ? READING_FIELDS[action] : [];
  const names = ['action', 'file', 'site', ...options];
  const given = Object.fromEntries(names.map((name) => [name, (fields.get(name) ?? '').trim()]));
  const { data, error } = UploadAction.safeParse(given);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new CrawlhouseError('usage', `${issue?.path.join('.')}: ${issue?.message}`, {
    hint: 'go back to the page Uploads',
  });
}

/**
 * Returns the words of the command after `crawlhouse`.
 *
 * @param path the uploaded file
 */
export function wordsOfUpload(
  { action, file: _, site, ...options }: UploadAction,
  path: string,
): readonly string[] {
  const isAdd = action === 'logs-add' || action === 'demand-add';
  const { protocol, host } = URL.parse(site) ?? { protocol: '', host: '' };
  const isWebsite = /^https?:$/.test(protocol);
  // A project that was made for a website has the name of its host.
  const named = isWebsite && isAdd ? `--site=${site}` : `--project=${isWebsite ? host : site}`;
  const flags = Object.entries(options).filter(([, value]) => value !== '');
  return [
    ...action.split('-'),
    ...(site === '' ? [] : [named]),
    ...flags.map(([name, value]) => `--${name.replaceAll('_', '-')}=${value}`),
    '--',
    path,
  ];
}
