import type { z } from 'zod';
import { CrawlhouseError } from '../core/errors.ts';
import { SettingsFile } from './settings-file.ts';

export const PREFIX = 'CRAWLHOUSE_';

/** The target of a variable: a setting, or a part of one. */
interface Variable {
  readonly path: readonly [key: string, part?: string];
  readonly schema: z.ZodType;
}

/** Every variable by its name in lower case, without the prefix. Parts follow `_`: `oauth_client_id`. */
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

/** Every setting, or part of one, in the order of the schema, with the variables that give it. */
export const SETTING_PATHS = [...VARIABLES].map(([name, { path }]) => ({
  path: path.flatMap((one) => one ?? []),
  names: (name === 'keep_raw' ? [name, 'keep_raw_days'] : [name]).map((one) => PREFIX + one.toUpperCase()),
}));

/** Settings that have parts. */
export const NESTED: ReadonlySet<string> = new Set(
  [...VARIABLES.values()].flatMap(({ path: [key, part] }) => (part === undefined ? [] : [key])),
);

function partsOf(schema: z.ZodType): z.ZodRawShape | undefined {
  let inner = schema as { shape?: z.ZodRawShape; unwrap?: () => unknown };
  while (inner.shape === undefined && inner.unwrap !== undefined) inner = inner.unwrap() as typeof inner;
  return inner.shape;
}

/** The settings that CRAWLHOUSE_… variables give; an unknown one is an error, an empty one counts as not set. */
export function readVariables(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
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
    const read = key === 'keep_raw_days' ? { days: Number(value) } : readText(found.schema, value);
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

/** A text as what its setting takes: itself, a number, true or false, or a list with commas; the first that fits. */
function readText(schema: z.ZodType, value: string): unknown {
  const list = value.split(',').map((item) => item.trim());
  const truth = value === 'true' || value === 'false' ? [value === 'true'] : [];
  const number = value.trim() === '' || Number.isNaN(Number(value)) ? [] : [Number(value)];
  const forms: readonly unknown[] = [value, ...number, ...truth, list];
  return forms.find((form) => schema.safeParse(form).success) ?? number[0] ?? value;
}
