import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { readDotEnv } from '../../etl/project/settings/command-environment.ts';
import { keepSecrets, keepSecretVariables } from '../../etl/project/settings/keep-secrets.ts';
import type { Settings } from '../../etl/project/settings/settings.ts';
import { checkYaml, readYaml, type YamlSource } from '../../etl/project/settings/yaml-file.ts';
import { NESTED, readVariables, SETTING_PATHS } from './variables.ts';
import { placeOf, SettingsFile } from './warehouse-setting.ts';

type SettingsAsWritten = z.output<typeof SettingsFile>;

/**
 * Reads the settings of a project folder, in order of precedence: environment, `.env`, crawlhouse.yaml, defaults.
 *
 * @throws CrawlhouseError `bad_settings` naming the file and line or the variable
 */
export async function loadSettings(projectDir: string, environment: Variables): Promise<Settings> {
  return (await readSettings(projectDir, environment)).settings;
}

/** A setting, or a part of one, with the source of its value. */
export interface SettingOrigin {
  /** As in crawlhouse.yaml, such as `store_b.region`. */
  readonly key: string;
  /** Undefined if it is not set and has no default. */
  readonly value: unknown;
  readonly from: 'environment' | '.env' | 'crawlhouse.yaml' | 'default' | null;
  /** The variable, or `crawlhouse.yaml` with the line. */
  readonly place: string | null;
}

/**
 * Returns every setting of a project folder with its source.
 *
 * @throws CrawlhouseError as `loadSettings`
 */
export async function explainSettings(
  projectDir: string,
  environment: Variables,
): Promise<readonly SettingOrigin[]> {
  const { settings, written, variables, file } = await readSettings(projectDir, environment);
  const values = isObject(written.warehouse) ? { ...settings, warehouse: written.warehouse } : settings;
  return SETTING_PATHS.map(({ path, names }): SettingOrigin => {
    const value = valueAt(values, path);
    const origin = { key: path.join('.'), value };
    const name = names.find((name) => variables[name] !== undefined && variables[name] !== '');
    if (name !== undefined)
      return { ...origin, from: environment[name] === undefined ? '.env' : 'environment', place: name };
    if (valueAt(file.value, path) !== undefined)
      return { ...origin, from: 'crawlhouse.yaml', place: `${file.file}:${file.lineOf(path)}` };
    return { ...origin, from: value === undefined ? null : 'default', place: null };
  });
}

export type Variables = Readonly<Record<string, string | undefined>>;

interface Read {
  readonly settings: Settings;
  readonly written: SettingsAsWritten;
  readonly variables: Variables;
  readonly file: YamlSource;
}

async function readSettings(projectDir: string, environment: Variables): Promise<Read> {
  const variables = { ...(await readDotEnv(projectDir)), ...environment };
  const overrides = readVariables(variables);
  const file = await readFileSettings(projectDir, variables, overrides);
  const merged = merge(file.value as Record<string, unknown>, overrides);
  keepSecrets(merged);
  keepSecretVariables(variables);
  const written = checkYaml(SettingsFile, { ...file, value: merged }, 'bad_settings');
  const state_dir = resolve(projectDir, written.state_dir);
  const { warehouse, metrics_file, rendering } = written;
  const { browser } = rendering;
  return {
    settings: {
      ...written,
      projectDir,
      state_dir,
      ...placeOf(warehouse, { projectDir, state_dir }),
      rendering: {
        ...rendering,
        ...(browser === undefined ? {} : { browser: resolve(projectDir, browser) }),
      },
      ...(metrics_file === undefined ? {} : { metrics_file: resolve(projectDir, metrics_file) }),
    },
    written,
    variables,
    file,
  };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

async function readFileSettings(
  projectDir: string,
  variables: Variables,
  overrides: Readonly<Record<string, unknown>>,
): Promise<YamlSource> {
  const path = join(projectDir, 'crawlhouse.yaml');
  if (!existsSync(path)) return { file: 'settings', value: {}, lineOf: () => 1 };
  const source = await readYaml(path, 'crawlhouse.yaml', 'bad_settings');
  return { ...source, value: expand(without(source.value, overrides), [], source, variables) };
}

function without(value: unknown, overrides: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (!Object.hasOwn(overrides, key)) return [[key, item]];
      const override = lookUp(overrides, key);
      return NESTED.has(key) && isObject(override) ? [[key, without(item, override)]] : [];
    }),
  );
}

/** Merges the settings of both; settings with parts are merged by part. */
function merge(
  file: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...file };
  for (const [key, value] of Object.entries(overrides)) {
    const own = lookUp(file, key);
    merged[key] = NESTED.has(key) && isObject(own) && isObject(value) ? { ...own, ...value } : value;
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces `${NAME}` in texts with the variable of that name; an unset variable is an error. */
export function expand(
  value: unknown,
  path: readonly PropertyKey[],
  source: YamlSource,
  variables: Variables,
): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_match, name: string) => {
      const found = variables[name];
      if (found !== undefined) return found;
      throw new CrawlhouseError(
        'bad_settings',
        `${source.file}:${source.lineOf(path)}: ${path.join('.')}: the variable ${name} is not set`,
        { hint: `${didYouMean(name, Object.keys(variables))}set it in the environment or in .env` },
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
