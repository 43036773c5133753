import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { CONFIG_DEFAULTS } from '../../../client/resources/config-defaults.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { YamlFault } from '../../../core/text/parse-yaml.ts';
import {
  CrawlFile,
  type CrawlFileChange,
  type CrawlFileKeys,
  changedCrawlText,
  checkCrawlText,
  crawlFileOf,
  crawlFileText,
  stampOf,
  writeCrawlFile,
} from '../../../etl/project/settings/crawls/crawl-file.ts';
import { yamlSource } from '../../../etl/project/settings/yaml-file.ts';
import { configFault, DEFAULT_RECHECK, readCrawlSettings } from '../../../site/crawler/crawl-settings.ts';
import { CRAWL_DEFAULTS, SPEED, siteConfig } from '../../operations/crawls/site-settings.ts';
import { type FieldText, readValue, textOf } from './field-text.ts';
import { type SettingField, settingFields } from './setting-fields.ts';

/** Keys without an input: the form is for one website, and its crawler ignores the others. A file keeps them. */
export const HIDDEN_KEYS: ReadonlySet<string> = new Set([
  'name',
  'start_url',
  'analytics_a_params',
  'analytics_b_params',
  'search_console_params',
  'backlinks_params',
  'notifications',
  'trigger_coc',
  'user_input_files',
]);

/** Keys that determine where requests go, and therefore where a website's secrets go. */
const HOST_KEYS = ['alternate_start_urls', 'crawl_subdomains', 'dns', 'sites', 'use_proxy'] as const;

export const SETTING_FIELDS = settingFields(CrawlFile, HIDDEN_KEYS);

/** Defaults that differ from those of `CONFIG_DEFAULTS`, as messages. */
export const SETTING_DEFAULTS: Readonly<Record<string, unknown>> = {
  ...CONFIG_DEFAULTS,
  ...CRAWL_DEFAULTS,
  max_speed: SPEED,
  recheck: DEFAULT_RECHECK,
  vitals: 'the setting vitals of crawlhouse.yaml',
};

/** Returns the default of an input, for people. */
export function defaultOf({ name }: SettingField): string {
  const value = lookUp(SETTING_DEFAULTS, name);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : 'none';
}

/** The file of a website, as a form begins with it. */
export interface SiteFile {
  readonly startUrl: string;
  readonly file: string;
  /** Without a file, a text with the settings of the last crawl. */
  readonly text: string;
  /** Empty without a file. */
  readonly stamp: string;
  readonly keys: CrawlFileKeys;
}

/**
 * Opens the file of a website.
 *
 * @param last the configuration of its last crawl, with which a form begins if there is no file
 * @throws CrawlhouseError `bad_settings` naming file, line and key
 */
export async function openSiteFile(
  projectDir: string,
  startUrl: string,
  last: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<SiteFile> {
  const known = await crawlFileText(projectDir, startUrl);
  const file = crawlFileOf(startUrl);
  const text =
    known ??
    changedCrawlText(
      `# Settings for the crawls of ${new URL(startUrl).host} (docs/crawl.md).\n`,
      Object.entries(await last()).map(([key, value]) => [[key], value]),
    );
  return { startUrl, file, text, stamp: stampOf(known), keys: checkCrawlText(text, file).keys };
}

/** The set values of a file by the names of their inputs; null: a secret. */
export type ShownSettings = Readonly<Record<string, unknown>>;

export function settingsOf(keys: CrawlFileKeys, fields = SETTING_FIELDS): ShownSettings {
  return Object.fromEntries(
    fields.flatMap(({ name, isSecret }) => {
      const value = valueIn(keys, name);
      return value === undefined ? [] : [[name, isSecret ? null : value]];
    }),
  );
}

/** Returns the text of an input for the value in a file; always empty for a secret. */
export function textIn(settings: ShownSettings, { name, control, isSecret }: SettingField): FieldText {
  return textOf(control, isSecret ? undefined : lookUp(settings, name));
}

function valueIn(keys: CrawlFileKeys, name: string): unknown {
  let value: unknown = keys;
  for (const key of name.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value ?? undefined;
}

/** A problem in the submitted form. An empty name means that the problem belongs to no single input. */
export interface FormFault {
  readonly name: string;
  readonly message: string;
}

/** The submitted form, applied to the file. */
export interface ChangedFile {
  readonly text: string;
  readonly keys: CrawlFileKeys | null;
  readonly faults: readonly FormFault[];
}

/** Applies a submitted form to a file. An unchanged input leaves its key as written in the file. */
export function changedBy(form: URLSearchParams, site: SiteFile, fields = SETTING_FIELDS): ChangedFile {
  const settings = settingsOf(site.keys, fields);
  const changes: CrawlFileChange[] = [];
  const faults: FormFault[] = [];
  for (const field of fields) {
    try {
      const change = changeOf(form, settings, field);
      if (change !== null) changes.push([field.name.split('.'), change.value]);
    } catch (thrown) {
      if (!(thrown instanceof YamlFault)) throw thrown;
      faults.push({ name: field.name, message: `line ${thrown.line}: ${thrown.message}` });
    }
  }
  const text = changedCrawlText(site.text, changes);
  if (faults.length > 0) return { text, keys: null, faults };
  const { success, data, error } = CrawlFile.safeParse(yamlSource(text, site.file, 'bad_settings').value);
  if (success) {
    const kept = fields.filter(
      ({ name, isSecret }) =>
        isSecret && Object.hasOwn(settings, name) && !changes.some(([path]) => path.join('.') === name),
    );
    return {
      text,
      keys: data,
      faults: [...secretFaults(kept, site.keys, data), ...settingFaults(data, site.startUrl)],
    };
  }
  return { text, keys: null, faults: error.issues.map(faultOf) };
}

/** Null: the input was not changed. */
function changeOf(
  form: URLSearchParams,
  settings: ShownSettings,
  field: SettingField,
): { readonly value: unknown } | null {
  const { name, control, isSecret } = field;
  const sent = form.get(name)?.replaceAll(/\r\n?/g, '\n');
  if (isSecret && form.getAll('remove').includes(name)) return { value: undefined };
  if (sent === undefined) return null;
  const known = textIn(settings, field);
  const isYaml = control === 'yaml' || form.getAll('yaml').includes(name);
  return sent === known.text && isYaml === known.isYaml
    ? null
    : { value: isSecret && sent.trim() === '' ? undefined : readValue(control, sent, isYaml) };
}

function faultOf(issue: z.core.$ZodIssue): FormFault {
  const more = issue.code === 'invalid_value' ? `; allowed values: ${issue.values.join(', ')}` : '';
  return { name: issue.path.join('.'), message: `${issue.message}${more}` };
}

/**
 * Returns the faults of a change that would send a stored secret to other hosts, because a person who cannot read the
 * secret must not choose its receivers.
 */
function secretFaults(
  kept: readonly SettingField[],
  before: CrawlFileKeys,
  after: CrawlFileKeys,
): readonly FormFault[] {
  const changed = HOST_KEYS.find((key) => !isDeepStrictEqual(before[key], after[key]));
  if (changed === undefined) return [];
  return kept.map(({ name }) => ({
    name,
    message: `type it again, or remove it, because the crawl would send it to other hosts (${changed})`,
  }));
}

/** Returns the faults that only the crawler can detect. */
function settingFaults(keys: CrawlFileKeys, startUrl: string): readonly FormFault[] {
  const { config, own } = siteConfig(startUrl, keys);
  try {
    readCrawlSettings(config, own);
    return [];
  } catch (thrown) {
    const fault = configFault(thrown);
    if (fault === null) throw thrown;
    return [{ name: fault.path.join('.'), message: fault.problem }];
  }
}

/**
 * Writes a changed file.
 *
 * @throws CrawlhouseError `usage` for faults, `locked` if the file has changed since the form was opened
 */
export async function saveSiteFile(
  projectDir: string,
  { startUrl, file }: SiteFile,
  { text, faults }: ChangedFile,
  stamp: string,
): Promise<void> {
  const [first] = faults;
  if (first !== undefined)
    throw new CrawlhouseError('usage', `${first.name}: ${first.message}`, {
      hint: `correct the marked fields; ${file} is unchanged`,
    });
  await writeCrawlFile(projectDir, startUrl, text, stamp);
}
