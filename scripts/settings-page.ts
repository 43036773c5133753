import { markdownProse, markdownTable } from '../src/app/answers/presentation/markdown.ts';
import { editorSchemas } from '../src/app/settings/editor-schemas.ts';
import { SETTING_PATHS } from '../src/app/settings/variables.ts';

/** What the page needs of a JSON Schema of draft 7. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** A key of a file, with all that its schema says of it. */
export interface Key {
  /** Such as `keep_raw.days`, or `schedules[].cron`. */
  readonly name: string;
  readonly takes: string;
  readonly fallback: string;
  /** As the schema has it; empty where it has none. */
  readonly means: string;
}

/** The YAML files of a project, by the schema that checks each, with where its guide is. */
const FILES = {
  'crawlhouse.yaml': ['crawlhouse', 'Settings; the file may be missing ([guide](../settings.md)).'],
  'pipelines/*.yaml': ['pipeline', 'One file per dataset ([guide](../settings.md#a-pipeline-file)).'],
  'schedules.yaml': ['schedules', 'What runs when ([guide](../operate.md#schedulesyaml)).'],
  'segments.yaml': ['segments', 'Segmentations of pages; may be missing ([guide](../explore.md#segments)).'],
  'notes.yaml': ['notes', 'What happened on a day; may be missing ([guide](../console.md#notes)).'],
  'tickets.yaml': ['tickets', 'Who fixes which pages; may be missing ([guide](../explore.md#tickets)).'],
} as const;

const VARIABLES: ReadonlySet<string> = new Set(SETTING_PATHS.flatMap(({ names }) => names));
/** The least and the most that JavaScript counts by whole numbers: no limit of ours. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** The page of every key of a project's files, made of the schemas that check them. */
export function settingsPage(): string {
  const sections = Object.entries(FILES).map(([file, [, what]]) => {
    const isSettings = file === 'crawlhouse.yaml';
    const rows = keysOf(file as keyof typeof FILES).map((key) => [
      `\`${key.name}\``,
      key.takes,
      key.fallback,
      linked(key.means),
      ...(isSettings ? [variableOf(key.name)] : []),
    ]);
    const head = ['key', 'takes', 'default', 'means', ...(isSettings ? ['variable'] : [])];
    return `## ${file}\n\n${what}\n\n${markdownTable([head, ...rows]).join('\n')}\n`;
  });
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Settings

Every key of the files of a project. The same definitions check the files, and \`schemas/\` gives them to editors. A key with
a dot is a part: \`keep_raw.days\` is \`keep_raw: { days: 7 }\`. An unknown key is an error.
`;

/** Every key of a file, a part after what it is a part of. */
export function keysOf(file: keyof typeof FILES): readonly Key[] {
  return partsOf(editorSchemas()[`${FILES[file][0]}.schema.json`] as Schema, '');
}

function partsOf(schema: Schema, prefix: string): Key[] {
  const forms = [schema, ...(schema.anyOf ?? [])];
  return forms.flatMap(({ properties, items, required }) => [
    ...(items ? partsOf(items, `${prefix}[]`) : []),
    ...Object.entries(properties ?? {}).flatMap(([key, part]) => {
      const name = prefix === '' ? key : `${prefix}.${key}`;
      const isRequired = required?.includes(key) ?? false;
      const own = {
        name,
        takes: takes(part),
        fallback: fallback(part, isRequired),
        means: part.description ?? '',
      };
      return [own, ...partsOf(part, name)];
    }),
  ]);
}

function takes(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(takes))].join(' or ');
  if ('const' in schema) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(', ');
  if (schema.type === undefined) return 'any value';
  if (schema.type === 'null') return '`null`';
  if (schema.type === 'boolean') return '`true`, `false`';
  if (schema.type === 'integer') return `whole number${range(schema)}`;
  if (schema.type === 'number') return `number${range(schema)}`;
  if (schema.type === 'array')
    return schema.items?.properties ? 'list' : `list of ${takes(schema.items ?? {})}`;
  if (schema.type === 'object') return schema.properties ? 'parts' : 'keys of your own';
  const [example] = schema.examples ?? [];
  return example === undefined ? 'text' : `text such as ${code(example)}`;
}

function range({ minimum, exclusiveMinimum, maximum = UNLIMITED, type }: Schema): string {
  const least = minimum ?? (type === 'integer' && exclusiveMinimum === 0 ? 1 : exclusiveMinimum);
  const from = minimum === undefined && least === exclusiveMinimum ? ' above' : ' from';
  if (maximum < UNLIMITED) return least === undefined ? ` to ${maximum}` : `${from} ${least} to ${maximum}`;
  return least === undefined || least <= -UNLIMITED ? '' : `${from} ${least}`;
}

function fallback(schema: Schema, isRequired: boolean): string {
  if (isRequired) return 'required';
  const { default: value } = schema;
  const isNone = value === undefined || value === null || JSON.stringify(value) === '{}' || value === '';
  return isNone ? '' : code(value);
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** A description with its pages as links; the same text is shown by editors, which have none. */
function linked(description: string): string {
  return markdownProse(description).replaceAll(/\bdocs\/([\w-]+\.md)(#[\w-]+)?/g, '[$1](../$1$2)');
}

function variableOf(name: string): string {
  const variable = `CRAWLHOUSE_${name.replaceAll('.', '_').toUpperCase()}`;
  return VARIABLES.has(variable) ? code(variable) : '';
}
