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

/** Every setting, as crawlhouse.yaml writes it (interface.md, "Running it"). */
export const SettingsFile = z.strictObject({
  /** Address of the service, without `/api/v2`. */
  base_url: z
    .url({ protocol: /^https?$/, error: 'an address is expected, such as https://service.example' })
    .optional(),
  access_token: z.string().min(1).optional(),
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
  on_reject: z.enum(ON_REJECT).default('fail'),
  schema_change: z.enum(SCHEMA_CHANGE).default('evolve'),
});

/** The settings of one project folder; paths are absolute. */
export type Settings = z.output<typeof SettingsFile> & { readonly projectDir: string };

const PREFIX = 'CRAWLHOUSE_';

/** Settings that hold lists or objects in the environment: how their text is read. */
const LISTS: ReadonlySet<string> = new Set(['workspaces', 'projects']);
const NUMBERS: ReadonlySet<string> = new Set(['threads', 'concurrency', 'requests_per_second']);

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
  const file = await readFileSettings(projectDir, variables, Object.keys(overrides));
  const merged = { ...(file.value as Record<string, unknown>), ...overrides };
  const settings = checkYaml(SettingsFile, { ...file, value: merged }, 'bad_settings');
  keepSecret(settings.access_token);
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
  overridden: readonly string[],
): Promise<YamlSource> {
  const path = join(projectDir, 'crawlhouse.yaml');
  if (!existsSync(path)) return { file: 'settings', value: {}, lineOf: () => 1 };
  const source = await readYaml(path, 'crawlhouse.yaml', 'bad_settings');
  const used = Object.entries(source.value as object).filter(([key]) => !overridden.includes(key));
  return { ...source, value: expand(Object.fromEntries(used), [], source, variables) };
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
    if (key === 'keep_raw_days') settings.keep_raw = { days: Number(value) };
    else if (!Object.hasOwn(SettingsFile.shape, key)) {
      const known = Object.keys(SettingsFile.shape).map((name) => PREFIX + name.toUpperCase());
      throw new CrawlhouseError('bad_settings', `unknown variable ${variable}`, {
        hint: `variables that work: ${known.join(', ')}`,
      });
    } else if (LISTS.has(key) && value !== 'all') settings[key] = value.split(',').map((item) => item.trim());
    else settings[key] = NUMBERS.has(key) ? Number(value) : value;
    const known = key === 'keep_raw_days' ? 'keep_raw' : (key as keyof typeof SettingsFile.shape);
    const checked = SettingsFile.shape[known].safeParse(settings[known]);
    if (!checked.success) {
      throw new CrawlhouseError('bad_settings', `${variable}: ${checked.error.issues[0]?.message}`);
    }
  }
  return settings;
}

/**
 * The address and token, for commands that talk to the service.
 *
 * @throws CrawlhouseError `bad_settings` when either is missing
 */
export function serviceSettings(settings: Settings): { baseUrl: string; accessToken: string } {
  for (const key of ['base_url', 'access_token'] as const) {
    if (settings[key] === undefined) {
      throw new CrawlhouseError('bad_settings', `the setting ${key} is missing`, {
        hint: `set ${key} in crawlhouse.yaml or ${PREFIX}${key.toUpperCase()} in the environment`,
      });
    }
  }
  return { baseUrl: (settings.base_url ?? '').replace(/\/+$/, ''), accessToken: settings.access_token ?? '' };
}
