import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { CrawlhouseError } from '../core/errors.ts';
import { keepSecret } from '../core/redact.ts';
import { ON_REJECT, SCHEMA_CHANGE } from '../model/pipeline.ts';
import { checkYaml, readYaml, type YamlSource } from './yaml-file.ts';

const Names = z.union([z.literal('all'), z.array(z.string()).min(1)]);
const WholeNumber = z.int().positive();
const SINCE = 'all or a date such as 2026-01-31 is expected';

/** A registered application and the leave that somebody gave it (docs/client.md, "OAuth2"). */
const OAuthSettings = z.strictObject({
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  refresh_token: z.string().min(1),
  /** Where tokens are asked for; `<base_url>/oauth/token` where nothing is said. */
  token_url: z.url({ protocol: /^https?$/, error: 'an address is expected' }).optional(),
});
export type OAuthSettings = z.output<typeof OAuthSettings>;

const Given = z.string('a text is expected').min(1, 'a text is expected');
/** What the keys of data exports begin with, without slashes at its ends. */
const Prefix = z
  .string()
  .default('')
  .transform((prefix) => prefix.replace(/^\/+|\/+$/g, ''));
/** Of an emulator, or of a store that speaks like the cloud's own. */
const Endpoint = z.url({ protocol: /^https?$/, error: 'an address is expected' }).optional();

/** Every setting, as crawlhouse.yaml writes it (interface.md, "Running it"). */
export const SettingsFile = z.strictObject({
  /** Address of the service, without `/api/v2`. */
  base_url: z
    .url({ protocol: /^https?$/, error: 'an address is expected, such as https://service.example' })
    .optional(),
  access_token: z.string().min(1).optional(),
  /** In place of `access_token`. */
  oauth: OAuthSettings.optional(),
  /** Ids of the workspaces to read. */
  workspaces: Names.default('all'),
  /** Ids or names of the projects to read. */
  projects: Names.default('all'),
  /** How far back a first run reaches: `all`, or a day (`YYYY-MM-DD`, UTC) that a crawl's end is held against. */
  since: z.union([z.literal('all'), z.iso.date(SINCE)], { error: SINCE }).default('all'),
  /** The published warehouse. */
  warehouse: z.string().min(1).default('warehouse.duckdb'),
  state_dir: z.string().min(1).default('.crawlhouse'),
  /** What DuckDB may hold in memory at once. */
  memory_limit: z
    .string()
    .regex(/^\d+(\.\d+)?\s*([KMGT]i?B)$/i, 'a size is expected, such as 400MB or 2GB')
    .default('400MB'),
  threads: WholeNumber.default(availableParallelism()),
  /** Downloads at once. */
  concurrency: WholeNumber.default(2),
  /** No more than this many requests a second; none: no limit. */
  requests_per_second: z.number().positive().optional(),
  /** Of what is downloaded. */
  compression: z.enum(['auto', 'gzip', 'none']).default('auto'),
  /** How long raw files stay on disk. */
  keep_raw: z
    .union([z.enum(['never', 'until_published']), z.strictObject({ days: WholeNumber })], {
      error: 'never, until_published or {days: N} is expected',
    })
    .default('never'),
  /** Whether the objects of a data export stay in the store once they are loaded. */
  keep_exports: z.enum(['always', 'never']).default('always'),
  /** Archived crawls that one run may have restored, where a pipeline says `unarchive`. */
  unarchive_per_run: WholeNumber.default(5),
  /** A bucket of Google Cloud Storage for data exports. */
  store_a: z.strictObject({ bucket: Given, prefix: Prefix, endpoint: Endpoint }).optional(),
  /** A bucket of S3 for data exports; `credentials_secret` names the secret by which the service writes to it. */
  store_b: z
    .strictObject({
      bucket: Given,
      prefix: Prefix,
      region: Given,
      endpoint: Endpoint,
      credentials_secret: Given.optional(),
    })
    .optional(),
  on_reject: z.enum(ON_REJECT).default('fail'),
  schema_change: z.enum(SCHEMA_CHANGE).default('evolve'),
  /** Where `crawlhouse schedule` answers `/healthz`, `/readyz` and `/webhook`; none: nowhere. */
  schedule_listen: z
    .string()
    .regex(/^.+:\d{1,5}$/, 'an address is expected, such as 127.0.0.1:8090')
    .optional(),
  /** Seconds that a run may take to its end once the service is told to stop. */
  schedule_grace: z.number().min(0).default(60),
  /** The secret that the service signs its webhooks with. */
  webhook_secret: Given.optional(),
});

/** The settings of one project folder; paths are absolute. */
export type Settings = z.output<typeof SettingsFile> & { readonly projectDir: string };

const PREFIX = 'CRAWLHOUSE_';

/** Settings that hold lists or objects in the environment: how their text is read. */
const LISTS: ReadonlySet<string> = new Set(['workspaces', 'projects']);
const NUMBERS: ReadonlySet<string> = new Set([
  'threads',
  'concurrency',
  'requests_per_second',
  'unarchive_per_run',
  'schedule_grace',
]);

/** What a variable sets: a setting, or a part of one. */
interface Variable {
  readonly path: readonly [key: string, part?: string];
  readonly schema: z.ZodType;
}

/** Every variable by its name in lower case, without the prefix; parts stand behind `_`: `oauth_client_id`. */
const VARIABLES: ReadonlyMap<string, Variable> = new Map(
  Object.entries(SettingsFile.shape).flatMap(([key, schema]): [string, Variable][] => {
    const parts = partsOf(schema);
    if (parts === undefined) return [[key, { path: [key], schema }]];
    return Object.entries(parts).map(([part, of]) => [
      `${key}_${part}`,
      { path: [key, part], schema: of as z.ZodType },
    ]);
  }),
);
/** Settings that have parts. */
const NESTED: ReadonlySet<string> = new Set(
  [...VARIABLES.values()].flatMap(({ path: [key, part] }) => (part === undefined ? [] : [key])),
);

function partsOf(schema: z.ZodType): z.ZodRawShape | undefined {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

/**
 * Reads the settings of a project folder: environment > `.env` > crawlhouse.yaml > default.
 *
 * @throws CrawlhouseError `bad_settings` naming the file and line or the variable
 */
export async function loadSettings(
  projectDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  const variables = { ...(await readDotEnv(projectDir)), ...environment };
  const overrides = fromEnvironment(variables);
  const file = await readFileSettings(projectDir, variables, overrides);
  const merged = merge(file.value as Record<string, unknown>, overrides);
  const settings = checkYaml(SettingsFile, { ...file, value: merged }, 'bad_settings');
  for (const secret of secretsOf(settings)) keepSecret(secret);
  return {
    ...settings,
    projectDir,
    warehouse: resolve(projectDir, settings.warehouse),
    state_dir: resolve(projectDir, settings.state_dir),
  };
}

async function readDotEnv(projectDir: string): Promise<Record<string, string | undefined>> {
  const path = join(projectDir, '.env');
  return existsSync(path) ? parseEnv(await readFile(path, 'utf8')) : {};
}

async function readFileSettings(
  projectDir: string,
  variables: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, unknown>>,
): Promise<YamlSource> {
  const path = join(projectDir, 'crawlhouse.yaml');
  if (!existsSync(path)) return { file: 'settings', value: {}, lineOf: () => 1 };
  const source = await readYaml(path, 'crawlhouse.yaml', 'bad_settings');
  return { ...source, value: expand(without(source.value, overrides), [], source, variables) };
}

/** What is left of the file's settings once those that the environment gives are taken out. */
function without(value: unknown, overrides: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (!(key in overrides)) return [[key, item]];
      const override = overrides[key];
      return NESTED.has(key) && isObject(override) ? [[key, without(item, override)]] : [];
    }),
  );
}

/** The settings of both, part by part where a setting has parts. */
function merge(
  file: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...file };
  for (const [key, value] of Object.entries(overrides)) {
    const own = file[key];
    merged[key] = NESTED.has(key) && isObject(own) && isObject(value) ? { ...own, ...value } : value;
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces `${NAME}` in texts by the variable of that name; an unset one is an error. */
function expand(
  value: unknown,
  path: readonly PropertyKey[],
  source: YamlSource,
  variables: Readonly<Record<string, string | undefined>>,
): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_match, name: string) => {
      const found = variables[name];
      if (found !== undefined) return found;
      throw new CrawlhouseError(
        'bad_settings',
        `${source.file}:${source.lineOf(path)}: ${path.join('.')}: the variable ${name} is not set`,
      );
    });
  }
  if (Array.isArray(value))
    return value.map((item, index) => expand(item, [...path, index], source, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, expand(item, [...path, key], source, variables)]),
  );
}

/** The settings that CRAWLHOUSE_… variables give; an unknown one is an error, an empty one counts as not set. */
function fromEnvironment(variables: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [variable, value] of Object.entries(variables)) {
    if (!variable.startsWith(PREFIX) || value === undefined || value === '') continue;
    const key = variable.slice(PREFIX.length).toLowerCase();
    const found = VARIABLES.get(key === 'keep_raw_days' ? 'keep_raw' : key);
    if (found === undefined) {
      const known = [...VARIABLES.keys()].map((name) => PREFIX + name.toUpperCase());
      throw new CrawlhouseError('bad_settings', `unknown variable ${variable}`, {
        hint: `variables that work: ${known.join(', ')}`,
      });
    }
    const read = key === 'keep_raw_days' ? { days: Number(value) } : readText(key, value);
    const checked = found.schema.safeParse(read);
    if (!checked.success) {
      throw new CrawlhouseError('bad_settings', `${variable}: ${checked.error.issues[0]?.message}`);
    }
    const [setting, part] = found.path;
    if (part === undefined) settings[setting] = read;
    else settings[setting] = { ...(settings[setting] as object | undefined), [part]: read };
  }
  return settings;
}

function readText(key: string, value: string): unknown {
  if (LISTS.has(key) && value !== 'all') return value.split(',').map((item) => item.trim());
  return NUMBERS.has(key) ? Number(value) : value;
}

function secretsOf({
  access_token,
  oauth,
  webhook_secret,
}: z.output<typeof SettingsFile>): (string | undefined)[] {
  return [access_token, oauth?.client_secret, oauth?.refresh_token, webhook_secret];
}

/** Where the service is, and what lets us in. */
export type ServiceSettings =
  | { readonly baseUrl: string; readonly accessToken: string }
  | { readonly baseUrl: string; readonly oauth: OAuthSettings };

/**
 * The address and token, for commands that talk to the service; `access_token` goes before `oauth`.
 *
 * @throws CrawlhouseError `bad_settings` when either is missing
 */
export function serviceSettings({ base_url, access_token, oauth }: Settings): ServiceSettings {
  if (base_url === undefined) throw missing('base_url');
  const baseUrl = base_url.replace(/\/+$/, '');
  if (access_token !== undefined) return { baseUrl, accessToken: access_token };
  if (oauth !== undefined) return { baseUrl, oauth };
  throw missing('access_token');
}

function missing(key: string): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `the setting ${key} is missing`, {
    hint: `set ${key} in crawlhouse.yaml or ${PREFIX}${key.toUpperCase()} in the environment`,
  });
}
