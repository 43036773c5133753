import { z } from 'zod';
import { LEDGER_VARIABLE } from '../../core/duckdb/statement-ledger.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { PREFIX } from '../../etl/project/settings/settings.ts';
import { SettingsFile } from './warehouse-setting.ts';

/** Maximum characters of a variable's name in a message. */
const MOST_SHOWN = 100;

/** The target of a variable: a setting, or a part of one. */
interface Variable {
  readonly path: readonly [key: string, part?: string];
  readonly schema: z.ZodType;
}

/** Every variable by its name in lowercase, without the prefix. Parts follow `_`: `oauth_client_id`. */
const VARIABLES: ReadonlyMap<string, Variable> = new Map(
  Object.entries(SettingsFile.shape).flatMap(([key, schema]): [string, Variable][] => {
    const { parts, isWhole } = partsOf(schema);
    return [
      ...(isWhole ? [[key, { path: [key], schema }] as [string, Variable]] : []),
      ...Object.entries(parts).map(([part, of]): [string, Variable] => [
        `${key}_${part}`,
        { path: [key, part], schema: of as z.ZodType },
      ]),
    ];
  }),
);

/** Every setting, or part of one, in the order of the schema, with its variables. */
export const SETTING_PATHS: readonly {
  readonly path: readonly string[];
  readonly names: readonly string[];
}[] = [...VARIABLES].flatMap(
  ([
    name,
    {
      path: [key, part],
    },
  ]) => {
    // A setting that accepts a plain value or parts is listed as one.
    if (part !== undefined)
      return VARIABLES.has(key) ? [] : [{ path: [key, part], names: [variableOf(name)] }];
    const all = [...VARIABLES].filter(([, { path }]) => path[0] === key);
    return [{ path: [key], names: all.map(([one]) => variableOf(one)) }];
  },
);

export const NESTED: ReadonlySet<string> = new Set(
  [...VARIABLES.values()].flatMap(({ path: [key, part] }) => (part === undefined ? [] : [key])),
);

interface Parts {
  readonly parts: z.ZodRawShape;
  /** Whether it may have a value without parts. */
  readonly isWhole: boolean;
}

/** Returns the parts of a setting; for a union of several engines, the parts of each. */
export function partsOf(schema: z.ZodType): Parts {
  let inner = schema as {
    shape?: z.ZodRawShape;
    def?: { catchall?: { type: string } };
    unwrap?: () => unknown;
    options?: readonly { shape?: z.ZodRawShape }[];
  };
  while (inner.shape === undefined && inner.unwrap !== undefined) inner = inner.unwrap() as typeof inner;
  // If any name is a valid key, the known keys are not parts.
  if ((inner.def?.catchall?.type ?? 'never') !== 'never') return { parts: {}, isWhole: true };
  const shapes = [inner, ...(inner.options ?? [])].flatMap((one) => Object.entries(one.shape ?? {}));
  const parts = Map.groupBy(shapes, ([name]) => name);
  const merged = [...parts].map(([name, [one, ...others]]) => [
    name,
    others.length === 0 ? one?.[1] : z.union([one, ...others].map((part) => part?.[1] as z.ZodType)),
  ]);
  return { parts: Object.fromEntries(merged), isWhole: inner.shape === undefined };
}

function variableOf(name: string): string {
  return PREFIX + name.toUpperCase();
}

/** Reads the settings from CRAWLHOUSE_… variables; an unknown variable is an error, an empty one counts as unset. */
export function readVariables(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [variable, value] of Object.entries(variables)) {
    if (!variable.startsWith(PREFIX) || value === undefined || value === '' || variable === LEDGER_VARIABLE)
      continue;
    const key = variable.slice(PREFIX.length).toLowerCase();
    const found = VARIABLES.get(key);
    if (found === undefined) {
      const known = [...VARIABLES.keys()].map(variableOf);
      throw new CrawlhouseError('bad_settings', `unknown variable ${shortened(variable)}`, {
        hint: `${didYouMean(variable, known)}known variables: ${known.join(', ')}`,
      });
    }
    const read = readText(found.schema, value);
    const checked = found.schema.safeParse(read);
    if (!checked.success) {
      throw new CrawlhouseError('bad_settings', `${variable}: ${checked.error.issues[0]?.message}`);
    }
    const [setting, part] = found.path;
    const former = lookUp(settings, setting);
    if (former !== undefined && (part === undefined || typeof former !== 'object'))
      throw new CrawlhouseError('bad_settings', `${variable}: another variable already sets ${setting}`);
    settings[setting] = part === undefined ? read : { ...(former as object | undefined), [part]: read };
  }
  return settings;
}

/** Shortens a name for a message, because names in files have any length. */
function shortened(variable: string): string {
  return variable.length > MOST_SHOWN ? `${variable.slice(0, MOST_SHOWN)}…` : variable;
}

/**
 * Converts text to the first type that its setting accepts: text, number, true or false, or a comma-separated list.
 */
function readText(schema: z.ZodType, value: string): unknown {
  const list = value.split(',').map((item) => item.trim());
  const truth = value === 'true' || value === 'false' ? [value === 'true'] : [];
  const number = value.trim() === '' || Number.isNaN(Number(value)) ? [] : [Number(value)];
  const forms: readonly unknown[] = [value, ...number, ...truth, list];
  return forms.find((form) => schema.safeParse(form).success) ?? number[0] ?? value;
}
