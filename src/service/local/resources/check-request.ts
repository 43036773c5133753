import { z } from 'zod';
import { issueWords } from './issue-words.ts';
import { invalidParameters, type OffendingField } from './refusal.ts';

/**
 * Parses a query or a body; what does not fit is refused, each parameter by its name. The one key that a resource is
 * sent under (`{project: {…}}`) is no part of a parameter's name (api-spec.md §7: `start_url`).
 */
export function checkRequest<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input, { error: issueWords });
  if (parsed.success) return parsed.data;
  const envelope = envelopeOf(schema);
  const fields = parsed.error.issues.flatMap((issue) => offending(issue, input));
  throw invalidParameters(...fields.map((field) => ({ ...field, name: within(envelope, field.name) })));
}

/** The key of a body that holds one resource and nothing else. */
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
  // The value is missing, whatever the issue.
  const missing = issue.code !== 'custom' && path !== '' && valueAt(input, issue.path) === undefined;
  if (missing) return [{ name: path, type: 'required', message: 'is required' }];
  const within = issue.code === 'invalid_union' ? issue.errors.find(isWithin) : undefined;
  if (within !== undefined)
    return within.flatMap((one) => offending({ ...one, path: [...issue.path, ...one.path] }, input));
  return [{ name: path || 'body', type: typeOf(issue), message: issue.message }];
}

/** Whether a value has the shape of this alternative, with an error inside. */
function isWithin(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');
}

/** The field error's type: the validator's code, where that is a word of the contract (docs/sandbox.md). */
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
