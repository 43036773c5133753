import { z } from 'zod';
import { lookUp } from '../../core/text/look-up.ts';
import { invalidParameters, type OffendingField } from './refusal.ts';

/** The expected value, by the validator's names of types and formats. */
const KINDS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  bigint: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  email: 'an e-mail address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
};
/** Issues that are clearer with the received value. */
const TELLING = ['invalid_type', 'invalid_value', 'invalid_union'];
const LONGEST_ECHO = 40;
/** The most parameters that the message about an unknown one lists; more would hide the error. */
const FEW = 12;

/**
 * Parses a query or a body; invalid parameters are refused by name. The single key around a resource (`{project: {…}}`)
 * is not part of a parameter's name (api-spec.md §7, such as `start_url`).
 */
export function checkRequest<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input, { error: issueWords });
  if (parsed.success) return parsed.data;
  const envelope = envelopeOf(schema);
  const fields = parsed.error.issues.flatMap((issue) => offending(issue, input));
  throw invalidParameters(...fields.map((field) => ({ ...field, name: within(envelope, field.name) })));
}

/** Returns the key of a body that contains only one resource. */
function envelopeOf(schema: z.ZodType): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined;
  const [[key, value] = [], ...others] = Object.entries<z.ZodType>(schema.shape);
  const isRequired = value !== undefined && !value.safeParse(undefined).success;
  return isRequired && others.length === 0 ? key : undefined;
}

function within(envelope: string | undefined, name: string): string {
  return envelope !== undefined && name.startsWith(`${envelope}.`) ? name.slice(envelope.length + 1) : name;
}

function offending(issue: z.core.$ZodIssue, input: unknown): OffendingField[] {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      name: path ? `${path}.${key}` : key,
      type: 'unknown',
      message: issue.message,
    }));
  }
  // The value is missing, regardless of the issue.
  const missing = issue.code !== 'custom' && path !== '' && valueAt(input, issue.path) === undefined;
  if (missing) return [{ name: path, type: 'required', message: 'is required' }];
  const within = issue.code === 'invalid_union' ? issue.errors.find(isWithin) : undefined;
  if (within !== undefined)
    return within.flatMap((one) => offending({ ...one, path: [...issue.path, ...one.path] }, input));
  return [{ name: path || 'body', type: typeOf(issue), message: issue.message }];
}

/** Returns whether a value has the shape of this alternative, with an error inside. */
function isWithin(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');
}

/** Returns the field error's type: the validator's code, if that is part of the contract (docs/sandbox.md). */
function typeOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return 'invalid_value';
  if (issue.code !== 'invalid_union') return issue.code;
  const [code = 'invalid_value', ...others] = new Set(issue.errors.flat().map((inner) => inner.code));
  return others.length === 0 ? code : 'invalid_type';
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  );
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}

type Issue = z.core.$ZodIssue | z.core.$ZodRawIssue;
interface TypeIssue {
  readonly expected: string;
  readonly input?: unknown;
  readonly inst?: { readonly def?: { readonly check?: unknown } };
}

/**
 * Describes the valid values to a client. The validator calls it if a schema has no message, because its own messages
 * are for programmers.
 */
function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return unknownWords(issue.inst);
  const wanted = wantedBy(issue);
  if (wanted === undefined) return undefined;
  return `must be ${wanted}${givenIn(issue)}`;
}

function unknownWords(schema: unknown): string {
  const keys = Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
  const known = keys.length === 0 ? ': it has none here' : `: those here are ${keys.join(', ')}`;
  return `is not a parameter of this request${keys.length <= FEW ? known : ''}`;
}

function wantedBy(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue as TypeIssue);
    case 'invalid_format':
      return lookUp(KINDS, String(issue.format));
    case 'invalid_value':
      return oneOf((issue.values as readonly unknown[]).map((value) => JSON.stringify(value)));
    case 'too_small':
      return sized(issue, 'at least', 'more than', issue.minimum);
    case 'too_big':
      return sized(issue, 'at most', 'less than', issue.maximum);
    case 'invalid_union': {
      const options = (issue as { options?: readonly unknown[] }).options?.map((option) =>
        JSON.stringify(option),
      );
      const inner = (issue.errors as readonly (readonly Issue[])[]).map(
        ([first]) => first && wantedBy(first),
      );
      return oneOf(options ?? [...new Set(inner.filter((one) => one !== undefined))]);
    }
    default:
      return undefined;
  }
}

/**
 * Returns the name of a type. For numbers the validator lists the plain type first, even if only whole numbers are
 * valid.
 */
function typeWords({ expected, input, inst }: TypeIssue): string | undefined {
  // Whole numbers that JavaScript cannot represent arrive as `bigint`.
  if (expected === 'number' && typeof input === 'bigint') return `at most ${Number.MAX_SAFE_INTEGER}`;
  return lookUp(KINDS, inst?.def?.check === 'number_format' ? 'int' : expected);
}

function oneOf(wanted: readonly string[]): string | undefined {
  if (wanted.length > 2) return `one of ${wanted.join(', ')}`;
  return wanted.length === 0 ? undefined : wanted.join(' or ');
}

function sized(
  { origin, inclusive }: Issue & { readonly origin?: unknown; readonly inclusive?: unknown },
  atTheBound: string,
  beyondIt: string,
  bound: unknown,
): string {
  const size = `${inclusive === false ? beyondIt : atTheBound} ${bound}`;
  if (origin === 'string') return `${size} character${Number(bound) === 1 ? '' : 's'} long`;
  return origin === 'array' ? `a list of ${size}` : size;
}

/** Returns the received value, if it helps: a text only if one of a few words is expected. */
function givenIn(issue: z.core.$ZodRawIssue): string {
  const { code, input } = issue;
  if (input === undefined || !TELLING.includes(code)) return '';
  if (Array.isArray(input)) return ', not a list';
  if (input !== null && typeof input === 'object') return 'discriminator' in issue ? '' : ', not an object';
  if (typeof input !== 'string') return `, not ${input}`;
  const isFormat =
    code === 'invalid_union' && issue.errors.flat().some((issue) => issue.code === 'invalid_format');
  if (isFormat) return '';
  return code === 'invalid_value'
    ? `, not ${JSON.stringify(input.slice(0, LONGEST_ECHO))}`
    : ', not a string';
}
