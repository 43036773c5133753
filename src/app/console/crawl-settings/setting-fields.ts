import { z } from 'zod';
import { lookUp } from '../../../core/text/look-up.ts';

/**
 * The kind of input for a value. `flag`: yes or no. `lines`: a list of texts. `pairs`: names with texts. `yaml`: any
 * other structure.
 */
export type Control = 'flag' | 'choice' | 'number' | 'text' | 'lines' | 'pairs' | 'yaml';

/** An input of the form. */
export interface SettingField {
  /** The key, or the keys joined by a dot. */
  readonly name: string;
  readonly label: string;
  /** The meaning of the key, and its effect on the next crawl. */
  readonly about: string;
  readonly control: Control;
  readonly options: readonly string[];
  /** Its value is never shown. */
  readonly isSecret: boolean;
  /** A value as YAML. */
  readonly example: string | null;
}

type Node = z.core.JSONSchema.BaseSchema;

/**
 * Creates an input for each key of a schema, except keys in `hidden` and deprecated keys. Names and explanations come
 * from the schema.
 */
export function settingFields(schema: z.ZodType, hidden: ReadonlySet<string>): readonly SettingField[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).flatMap(([key, node]) =>
    typeof node === 'boolean' || node.deprecated === true || hidden.has(key) ? [] : fieldsOf(key, node),
  );
}

function fieldsOf(name: string, given: Node, within?: Node): readonly SettingField[] {
  const node = withoutNull(given);
  const children = Object.entries(node.properties ?? {});
  if (node.type === 'object' && children.length > 0)
    return children.flatMap(([key, child]) =>
      typeof child === 'boolean' ? [] : fieldsOf(`${name}.${key}`, child, node),
    );
  const own = node.title ?? name.split('.').at(-1)?.replaceAll('_', ' ') ?? name;
  const example = lookUp(node, 'x-example');
  return [
    {
      name,
      label: within === undefined ? own.charAt(0).toUpperCase() + own.slice(1) : `${within.title}: ${own}`,
      about: node.description ?? '',
      control: controlOf(node),
      options: (node.enum ?? []).filter((value) => typeof value === 'string'),
      isSecret: node.writeOnly === true,
      example: typeof example === 'string' ? example : null,
    },
  ];
}

/** Removes null from a schema, because a value that may be null is empty in the form. */
function withoutNull(node: Node): Node {
  const [only, ...others] = (node.anyOf ?? []).filter(
    (schema) => typeof schema === 'object' && schema.type !== 'null',
  );
  if (typeof only !== 'object' || others.length > 0 || node.anyOf?.length !== 2) return node;
  const { anyOf: _, ...about } = node;
  return { ...only, ...about };
}

function controlOf({ type, enum: values, items, additionalProperties: more }: Node): Control {
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return values === undefined ? 'text' : 'choice';
  const isText = (node: unknown): boolean => z.object({ type: z.literal('string') }).safeParse(node).success;
  if (type === 'array' && isText(items)) return 'lines';
  return type === 'object' && isText(more) ? 'pairs' : 'yaml';
}
